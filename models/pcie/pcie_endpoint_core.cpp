#include "pcie/pcie_endpoint_core.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "pcie/pcie_endpoint_host_regs.h"
#include "pcie/pcie_endpoint_regs.h"
#include "sim/error.h"

namespace dpusim::pcie {
namespace {

constexpr std::uint64_t kLongestPiece = 64;

// Accesses on the card are naturally aligned powers of two: what registers take, and what memory does not mind.
std::uint64_t card_piece(std::uint64_t address, std::uint64_t left) {
  const std::uint64_t aligned = address == 0 ? kLongestPiece : address & (~address + 1);
  return std::min({aligned, std::bit_floor(left), kLongestPiece});
}

}  // namespace

PcieEndpointCore::PcieEndpointCore(const PcieEndpointConfig& config, const BlockContext& context,
                                   PcieEndpointEnvironment& environment)
    : config_(config),
      latency_(context.fidelity == Fidelity::kFunctional ? Time(0) : config.latency),
      access_(context.fidelity == Fidelity::kFunctional ? Time(0) : config.access),
      environment_(environment),
      stats_(context.stats),
      space_(config),
      msix_(config.vectors),
      card_(pcie_endpoint_regs::kTable),
      host_(pcie_endpoint_host_regs::kTable),
      raised_(config.vectors, Time(-1)) {
  install_card_registers();
  install_host_registers();
}

Time PcieEndpointCore::to_device(PcieRequest& request, Time when) {
  request.status = CompletionStatus::kSuccessful;
  request.sent = when;
  switch (request.type) {
    case TlpType::kMemoryRead:
    case TlpType::kMemoryWrite:
      return access_memory(request, when);
    case TlpType::kConfigurationRead:
    case TlpType::kConfigurationWrite:
      request.status = configure(request, when);
      return when + access_;
    default:
      request.status = CompletionStatus::kUnsupportedRequest;
      return when;
  }
}

CompletionStatus PcieEndpointCore::configure(PcieRequest& request, Time when) {
  const bool inside = request.address < ConfigSpace::kSize;
  const bool one_doubleword = !request.data.empty() && (request.address & 3) + request.data.size() <= 4;
  const bool is_write = request.type == TlpType::kConfigurationWrite;
  ++(is_write ? stats_.configuration_writes : stats_.configuration_reads);
  if (!inside || !one_doubleword || request.target.function != 0) {
    ++stats_.inbound_unsupported;
    return CompletionStatus::kUnsupportedRequest;
  }
  if (!is_write) {
    space_.read(request.address, request.data);
    return CompletionStatus::kSuccessful;
  }
  // 2.2.6.2: a function is told its bus and device number by each configuration write.
  id_ = {request.target.bus, request.target.device, 0};
  const std::uint32_t before = host_settings();
  space_.write(request.address, request.data);
  if (host_settings() != before) {
    environment_.tell_at({.doorbells = 0, .configuration = true}, when + access_);
    release_pending(when + access_);
  }
  return CompletionStatus::kSuccessful;
}

Time PcieEndpointCore::access_memory(PcieRequest& request, Time when) {
  const bool is_write = request.type == TlpType::kMemoryWrite;
  ++(is_write ? stats_.inbound_writes : stats_.inbound_reads);
  (is_write ? stats_.inbound_write_octets : stats_.inbound_read_octets) += request.data.size();
  const auto hit = space_.decode(request.address, request.data.size());
  Time done = when;
  if (!hit) {
    request.status = CompletionStatus::kUnsupportedRequest;
  } else if (hit->bar == 0) {
    request.status = access_bar0(is_write, hit->offset, request.data, when);
    done = when + access_;
  } else if (nesting_ == kMaxNesting) {
    ++stats_.loops;
    request.status = CompletionStatus::kCompleterAbort;
  } else {
    const CardBarConfig& bar = hit->bar == 2 ? config_.bar2 : config_.bar4;
    ++nesting_;
    done = access_card(request, bar.at.count() + hit->offset, when + latency_) + (is_write ? Time(0) : latency_);
    --nesting_;
  }
  if (request.status == CompletionStatus::kUnsupportedRequest) ++stats_.inbound_unsupported;
  if (request.status == CompletionStatus::kCompleterAbort) ++stats_.inbound_aborted;
  space_.note_answer(request.status, is_write);
  return done;
}

// A read stops at the first error; a write is posted and goes on.
Time PcieEndpointCore::access_card(PcieRequest& request, std::uint64_t address, Time when) {
  const bool is_write = request.type == TlpType::kMemoryWrite;
  Time done = when;
  for (std::size_t at = 0; at < request.data.size();) {
    const std::uint64_t octets = card_piece(address + at, request.data.size() - at);
    const auto result =
        environment_.card_access(is_write, address + at, request.data.subspan(at, octets), when, nesting_ - 1);
    done = std::max(done, result.done);
    if (result.status != CompletionStatus::kSuccessful) request.status = result.status;
    if (request.status != CompletionStatus::kSuccessful && !is_write) break;
    at += octets;
  }
  return done;
}

CompletionStatus PcieEndpointCore::access_bar0(bool write, std::uint64_t offset, std::span<std::uint8_t> data,
                                               Time when) {
  if (offset % 4 != 0 || data.size() % 4 != 0) return CompletionStatus::kCompleterAbort;
  when_ = when + access_;
  for (std::size_t at = 0; at < data.size(); at += 4) {
    std::uint32_t value = 0;
    if (write) {
      std::memcpy(&value, &data[at], 4);
      write_bar0(offset + at, value);
    } else {
      value = read_bar0(offset + at);
      std::memcpy(&data[at], &value, 4);
    }
  }
  if (write && offset + data.size() > kTableOffset) release_pending(when + access_);
  return CompletionStatus::kSuccessful;
}

// What is nothing reads 0.
std::uint32_t PcieEndpointCore::read_bar0(std::uint64_t offset) {
  if (offset >= kTableOffset) return msix_.read((offset - kTableOffset) / 4);
  if (offset >= kPbaOffset) return msix_.read_pending((offset - kPbaOffset) / 4);
  std::array<std::uint8_t, 4> octets{};
  std::uint32_t value = 0;
  if (host_.read(offset, octets) == RegisterResult::kOk) std::memcpy(&value, octets.data(), 4);
  return value;
}

void PcieEndpointCore::write_bar0(std::uint64_t offset, std::uint32_t value) {
  if (offset >= kTableOffset) return msix_.write((offset - kTableOffset) / 4, value);
  if (offset >= kPbaOffset) return;  // 7.7.2.9: software must not write it
  std::array<std::uint8_t, 4> octets{};
  std::memcpy(octets.data(), &value, 4);
  host_.write(offset, octets);  // nothing there: ignored
}

PcieEndpointCore::Outcome PcieEndpointCore::access_window(bool write, std::uint64_t offset,
                                                          std::span<std::uint8_t> data, Time when) {
  const std::uint64_t size = config_.window_size.count(), base = card_.get(pcie_endpoint_regs::HOST_BASE);
  const std::uint64_t octets = data.size();
  const bool inside = octets > 0 && offset < size && octets <= size - offset;
  if (!inside || !space_.bus_master() || base + offset < base || base + offset + (octets - 1) < base + offset) {
    ++stats_.outbound_refused;
    return {when, Answer::kRefused};
  }
  ++(write ? stats_.outbound_writes : stats_.outbound_reads);
  PcieRequest request{.type = write ? TlpType::kMemoryWrite : TlpType::kMemoryRead,
                      .address = base + offset,
                      .data = data,
                      .requester = id_};
  Time done = environment_.request(request, when + latency_);
  if (request.status != CompletionStatus::kSuccessful) ++stats_.outbound_errors;
  if (write) {
    stats_.outbound_write_octets += octets;
    stats_.outbound_write_latency.record(std::max(done - when, Time(0)));
    return {std::max(request.sent, when), Answer::kOk};
  }
  done += latency_;
  stats_.outbound_read_latency.record(std::max(done - when, Time(0)));
  space_.note_completion(request.status);
  if (request.status == CompletionStatus::kSuccessful) {
    stats_.outbound_read_octets += octets;
    return {done, Answer::kOk};
  }
  return {done, request.status == CompletionStatus::kUnsupportedRequest ? Answer::kUnsupported : Answer::kAborted};
}

}  // namespace dpusim::pcie
