#include "host/root_complex.h"

#include <algorithm>

#include "sim/error.h"

namespace dpusim::host {
namespace {

constexpr std::uint64_t kLine = 64;  // memory moves whole cache lines

}  // namespace

RootComplex::RootComplex(HostMemory& memory, const RootTiming& timing, StatGroup& stats, Interrupt interrupt)
    : memory_(memory),
      timing_(timing),
      interrupt_(std::move(interrupt)),
      bus_(stats, "memory", "host's memory"),
      reads_(stats, "device_reads", "requests", "Memory reads of devices served, as packets or pieces arrived"),
      read_octets_(stats, "device_read_octets", "octets", "Octets that devices read"),
      writes_(stats, "device_writes", "requests", "Memory writes of devices served, as packets or pieces arrived"),
      write_octets_(stats, "device_write_octets", "octets", "Octets that devices wrote"),
      interrupts_(stats, "interrupts", "messages", "Writes of devices to the MSI window"),
      refused_(stats, "unsupported_requests", "requests", "Requests of devices outside of memory and the MSI window") {}

Time RootComplex::serve(PcieRequest& request, Time when, Time present) {
  request.status = CompletionStatus::kSuccessful;
  request.sent = when;
  switch (request.type) {
    case TlpType::kMemoryRead:
      return read(request, when, present);
    case TlpType::kMemoryWrite:
      return write(request, when, present);
    default:
      return refuse(request, when);
  }
}

Time RootComplex::refuse(PcieRequest& request, Time when) {
  ++refused_;
  request.status = CompletionStatus::kUnsupportedRequest;
  return when;
}

BusyCalendar::Slot RootComplex::move(const PcieRequest& request, Time when, Time present) {
  if (timing_.bandwidth == BitRate(0)) return {when, when};
  if (present > present_) bus_.advance(present_ = present);
  const std::uint64_t first = request.address & ~(kLine - 1);
  const std::uint64_t last = (request.address + request.data.size() + kLine - 1) & ~(kLine - 1);
  return bus_.reserve_split(when, transfer_time(Bytes(last - first), timing_.bandwidth));
}

Time RootComplex::read(PcieRequest& request, Time when, Time present) {
  const auto from = memory_.try_at(request.address, request.data.size());
  if (from.empty()) return refuse(request, when);
  std::copy(from.begin(), from.end(), request.data.begin());
  ++reads_;
  read_octets_ += request.data.size();
  return move(request, when, present).done + timing_.read_latency;
}

Time RootComplex::write(PcieRequest& request, Time when, Time present) {
  if (request.address >= kMsiBegin && request.address < kMsiEnd) {
    if (request.data.size() != 4 || request.address % 4 != 0) return refuse(request, when);
    std::uint32_t data = 0;
    std::memcpy(&data, request.data.data(), sizeof data);
    ++interrupts_;
    interrupt_(request.address, data, in_order(when, when + timing_.write_latency));
    return when;
  }
  const auto to = memory_.try_at(request.address, request.data.size());
  if (to.empty()) return refuse(request, when);
  std::copy(request.data.begin(), request.data.end(), to.begin());
  ++writes_;
  write_octets_ += request.data.size();
  const Time done = move(request, when, present).done;
  tell(request.address, request.data.size(), in_order(when, done + timing_.write_latency));
  return done;
}

// A posted write does not pass one that arrived before it.
Time RootComplex::in_order(Time when, Time visible) {
  if (when < last_arrival_) return visible;
  last_arrival_ = when;
  last_visible_ = std::max(last_visible_, visible);
  return last_visible_;
}

void RootComplex::watch(std::uint64_t begin, std::uint64_t end, WriteWatcher& watcher) {
  const auto at = std::find_if(watches_.begin(), watches_.end(), [&](const Watch& w) { return w.end > begin; });
  DPUSIM_CHECK(begin < end && (at == watches_.end() || at->begin >= end), "range {:#x} to {:#x} is watched already",
               begin, end);
  watches_.insert(at, {begin, end, &watcher});
}

void RootComplex::tell(std::uint64_t address, std::uint64_t length, Time visible) {
  auto at = std::upper_bound(watches_.begin(), watches_.end(), address,
                             [](std::uint64_t a, const Watch& w) { return a < w.end; });
  for (; at != watches_.end() && at->begin < address + length; ++at) {
    const std::uint64_t begin = std::max(address, at->begin), end = std::min(address + length, at->end);
    at->watcher->written(begin, end - begin, visible);
  }
}

}  // namespace dpusim::host
