#include "host/nic_device.h"

#include <fmt/format.h>

#include "sim/error.h"

namespace dpusim::host {
namespace {

constexpr const char* kKinds[] = {"receive queue", "transmit queue", "completion queue", "port"};
constexpr std::uint32_t kNicId = 0x4e4943;  // 'NIC'; the lowest octet is the interface's version
constexpr std::uint32_t kVersion = 1;

}  // namespace

NicDevice::NicDevice(HostServices& host, const PcieFunction& function, std::uint64_t address, const std::string& who)
    : host_(host), function_(function), address_(address) {
  const auto id = host.read_now<std::uint32_t>(at(nic_regs::kID_offset));
  if (id != (kNicId << 8 | kVersion))
    throw ConfigError(who + ".device", fmt::format("a device whose ID register reads {:#010x}", id),
                      "a NIC's, 0x4e494301");
  const auto capability = host.read_now<std::uint32_t>(at(nic_regs::kCAPABILITY_offset));
  has_[kPort] = capability & 0xf;
  has_[kReceive] = capability >> 8 & 0x7f;
  has_[kTransmit] = capability >> 16 & 0x7f;
  has_[kCompletion] = capability >> 24 & 0x7f;
}

void NicDevice::check_port(unsigned port, const std::string& who) const {
  if (port >= has_[kPort])
    throw ConfigError(who + ".port", fmt::format("port {}", port),
                      fmt::format("one of the NIC's {} ports", has_[kPort]));
}

unsigned NicDevice::take(Kind kind, unsigned count, std::optional<unsigned> first, const std::string& who) {
  std::map<unsigned, std::string>& taken = taken_[kind];
  const auto fits = [&](unsigned from) {
    for (unsigned i = 0; i < count; ++i) {
      if (from + i >= has_[kind] || taken.contains(from + i)) return false;
    }
    return true;
  };
  unsigned from = first.value_or(0);
  if (first && !fits(from)) {
    for (unsigned i = from; i < from + count; ++i) {
      if (const auto other = taken.find(i); other != taken.end())
        throw ConfigError(who, fmt::format("{} {} of the NIC, which {} has", kKinds[kind], i, other->second),
                          "queues and ports of its own for each program");
    }
  }
  while (!first && from < has_[kind] && !fits(from)) ++from;
  if (!fits(from))
    throw ConfigError(
        who,
        fmt::format("{} of the NIC's {} {}s, of which others have {}", count, has_[kind], kKinds[kind], taken.size()),
        "fewer, or a NIC with more");
  for (unsigned i = 0; i < count; ++i) taken.emplace(from + i, who);
  return from;
}

Task NicDevice::enable_lines(HostThread& thread, std::uint64_t mask) {
  lines_ |= mask;
  co_await thread.write(at(nic_regs::kINTERRUPT_ENABLE_offset), lines_);
}

Task NicDevice::enable(HostThread& thread) { co_await thread.write(at(nic_regs::kCONTROL_offset), std::uint32_t{1}); }

}  // namespace dpusim::host
