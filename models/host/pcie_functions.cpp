#include "host/pcie_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "host/host_memory.h"
#include "sim/error.h"

namespace dpusim::host {
namespace {

// Registers of a type 0 header and of capabilities.
constexpr unsigned kId = 0x00, kCommand = 0x04, kHeaderType = 0x0c, kBar0 = 0x10, kCapabilities = 0x34,
                   kExtended = 0x100;
constexpr std::uint32_t kMultiFunction = 0x0080'0000, kCapabilityList = 0x0010'0000, kMemorySpace = 2, kBusMaster = 4;
constexpr unsigned kMsiXCapability = 0x11, kVendorSpecific = 0x000b;
// A server's chipset keeps the top of the hole for its own devices and for interrupts.
constexpr std::uint64_t kHoleLimit = 0xfec0'0000;
// BARs above 4 GiB begin here or above memory: room for 64 GiB of memory without a change of addresses.
constexpr std::uint64_t kHighBars = std::uint64_t{1} << 36;
// The vendor-specific capability of dpusim's endpoint that tells its window onto host memory (models/pcie): VSEC ID,
// and offsets in it.
constexpr std::uint32_t kWindowVsec = 0x0001;
constexpr unsigned kWindowCard = 0x08, kWindowSize = 0x10, kWindowHost = 0x18;

}  // namespace

PcieEnumerator::PcieEnumerator(PcieDownstream& port, std::uint64_t memory_end, bool bus_master)
    : port_(port),
      next32_(HostMemory::kHoleBegin),
      next64_(std::bit_ceil(std::max(memory_end, kHighBars))),
      bus_master_(bus_master) {}

std::optional<std::uint32_t> PcieEnumerator::read(PcieId id, unsigned offset) {
  std::uint32_t value = 0;
  PcieRequest request{.type = TlpType::kConfigurationRead,
                      .address = offset,
                      .data = {reinterpret_cast<std::uint8_t*>(&value), sizeof value},
                      .target = id};
  time_ = std::max(time_, port_.to_device(request, time_));
  if (request.status != CompletionStatus::kSuccessful) return std::nullopt;
  return value;
}

std::uint64_t PcieEnumerator::read64(PcieId id, unsigned offset) {
  const std::uint64_t low = read(id, offset).value_or(0);
  return low | std::uint64_t{read(id, offset + 4).value_or(0)} << 32;
}

void PcieEnumerator::write(PcieId id, unsigned offset, std::uint32_t value) {
  PcieRequest request{.type = TlpType::kConfigurationWrite,
                      .address = offset,
                      .data = {reinterpret_cast<std::uint8_t*>(&value), sizeof value},
                      .target = id};
  time_ = std::max(time_, port_.to_device(request, time_));
}

std::vector<PcieFunction> PcieEnumerator::run(Time when) {
  time_ = when;
  std::vector<PcieFunction> found;
  bool more = true;
  for (unsigned function = 0; function < 8 && more; ++function) {
    const PcieId id{1, 0, static_cast<std::uint8_t>(function)};
    auto one = probe(id);
    if (function == 0) more = one && (read(id, kHeaderType).value_or(0) & kMultiFunction) != 0;
    if (!one) continue;
    place_bars(*one);
    read_capabilities(*one);
    read_extended_capabilities(*one);
    write(id, kCommand, kMemorySpace | (bus_master_ ? kBusMaster : 0));
    found.push_back(*one);
  }
  return found;
}

std::optional<PcieFunction> PcieEnumerator::probe(PcieId id) {
  const auto value = read(id, kId);
  if (!value || (*value & 0xffff) == 0xffff) return std::nullopt;
  PcieFunction function;
  function.id = id;
  function.vendor = static_cast<std::uint16_t>(*value);
  function.device = static_cast<std::uint16_t>(*value >> 16);
  return function;
}

void PcieEnumerator::place_bars(PcieFunction& function) {
  for (unsigned bar = 0; bar < 6; ++bar) {
    const unsigned at = kBar0 + 4 * bar;
    write(function.id, at, 0xffff'ffff);
    const std::uint32_t low = read(function.id, at).value_or(0);
    if (low == 0 || (low & 1) != 0) continue;  // not there, or I/O space, which stays off
    const bool wide = (low & 6) == 4;
    std::uint64_t mask = 0xffff'ffff'0000'0000 | (low & ~0xfU);
    if (wide) {
      write(function.id, at + 4, 0xffff'ffff);
      mask = std::uint64_t{read(function.id, at + 4).value_or(0)} << 32 | (low & ~0xfU);
    }
    const std::uint64_t size = ~mask + 1;
    std::uint64_t& next = wide ? next64_ : next32_;
    const std::uint64_t address = (next + size - 1) & ~(size - 1);
    if (!wide && address + size > kHoleLimit)
      throw ConfigError("host",
                        fmt::format("BAR {} of {:#x} octets, for which there is no room below 4 GiB", bar, size),
                        "smaller BARs, or 64-bit ones");
    next = address + size;
    function.bars[bar] = {address, size};
    write(function.id, at, static_cast<std::uint32_t>(address));
    if (wide) write(function.id, at + 4, static_cast<std::uint32_t>(address >> 32));
    if (wide) ++bar;
  }
}

void PcieEnumerator::read_capabilities(PcieFunction& function) {
  if ((read(function.id, kCommand).value_or(0) & kCapabilityList) == 0) return;
  unsigned at = read(function.id, kCapabilities).value_or(0) & 0xfc;
  // A list has at most 48 entries in 192 octets; a longer one is a ring.
  for (unsigned i = 0; i < 48 && at >= 0x40; ++i) {
    const std::uint32_t header = read(function.id, at).value_or(0);
    if ((header & 0xff) == kMsiXCapability) {
      const std::uint32_t table = read(function.id, at + 4).value_or(0);
      const PcieFunction::Bar& bar = function.bars[std::min(table & 7, 5U)];
      if ((table & 7) < 6 && bar.size != 0) {
        function.msix = {(header >> 16 & 0x7ff) + 1, bar.address + (table & ~7U)};
        write(function.id, at, header | 0x8000'0000);  // MSI-X Enable, and Function Mask as it is
      }
    }
    at = header >> 8 & 0xfc;
  }
}

void PcieEnumerator::read_extended_capabilities(PcieFunction& function) {
  unsigned at = kExtended;
  for (unsigned i = 0; i < 960 && at >= kExtended; ++i) {
    const std::uint32_t header = read(function.id, at).value_or(0);
    if (header == 0 || header == 0xffff'ffff) return;
    if ((header & 0xffff) == kVendorSpecific && (read(function.id, at + 4).value_or(0) & 0xffff) == kWindowVsec) {
      function.window = {read64(function.id, at + kWindowCard), read64(function.id, at + kWindowSize),
                         read64(function.id, at + kWindowHost)};
    }
    at = header >> 20 & 0xffc;
  }
}

}  // namespace dpusim::host
