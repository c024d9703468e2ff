#include "pcie/config_space.h"

#include <bit>

#include "sim/error.h"

namespace dpusim::pcie {

using namespace config_offset;

namespace {

// Capability IDs. @spec PCI Code and ID Assignment 1.11, 2 and 3
constexpr std::uint64_t kIdPowerManagement = 0x01, kIdExpress = 0x10, kIdMsix = 0x11, kIdVendorSpecific = 0x000b;

// Max_Payload_Size and Max_Read_Request_Size as fields: 0 is 128 octets. @spec PCIe Base 4.0, 7.5.3.3, 7.5.3.4
std::uint64_t size_code(Bytes size) { return static_cast<std::uint64_t>(std::countr_zero(size.count() / 128)); }

constexpr unsigned kDeviceStatus = kExpress + 0x0a;

}  // namespace

ConfigSpace::ConfigSpace(const PcieEndpointConfig& config) {
  put_header(config);
  put_capabilities(config);
  put_express(config);
  put_vendor_specific(config);
}

void ConfigSpace::put(unsigned offset, unsigned octets, std::uint64_t value, std::uint64_t writable) {
  for (unsigned i = 0; i < octets; ++i) {
    value_[offset + i] = static_cast<std::uint8_t>(value >> (8 * i));
    writable_[offset + i] = static_cast<std::uint8_t>(writable >> (8 * i));
  }
}

std::uint64_t ConfigSpace::get(unsigned offset, unsigned octets) const {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < octets; ++i) value |= std::uint64_t{value_[offset + i]} << (8 * i);
  return value;
}

// 7.5.1. Command: memory enable, bus master, parity error response, SERR#, interrupt disable. No I/O, no INTx, no
// expansion ROM.
void ConfigSpace::put_header(const PcieEndpointConfig& config) {
  put(kVendorId, 2, config.vendor_id);
  put(kVendorId + 2, 2, config.device_id);
  put(kCommand, 2, 0, 0x0546);
  put(kStatus, 2, 0x0010);  // has a capabilities list
  clears_[kStatus + 1] = 0xf9;
  put(kRevision, 1, config.revision);
  put(kRevision + 1, 3, config.class_code);
  put(0x0c, 1, 0, 0xff);  // cache line size: for legacy software, without effect
  put(kSubsystem, 2, config.subsystem_vendor_id);
  put(kSubsystem + 2, 2, config.subsystem_id);
  put(kCapabilities, 1, kPowerManagement);
  put(kInterruptLine, 1, 0, 0xff);
  put_bar(0, kBar0Size, false);
  put_bar(2, config.bar2.size.count(), config.bar2.prefetchable);
  put_bar(4, config.bar4.size.count(), config.bar4.prefetchable);
}

// 7.5.1.2.1: the address bits below the size read 0, which is how software finds the size.
void ConfigSpace::put_bar(unsigned bar, std::uint64_t size, bool prefetchable) {
  bar_size_[bar / 2] = size;
  if (size == 0) return;
  constexpr std::uint64_t kMemory64 = 0x4, kPrefetchable = 0x8;
  put(kBar0 + 4 * bar, 8, kMemory64 | (prefetchable ? kPrefetchable : 0), ~(size - 1));
}

// 7.5.2: version 3, D0 and D3hot, no PME. 7.7.2: MSI-X.
void ConfigSpace::put_capabilities(const PcieEndpointConfig& config) {
  put(kPowerManagement, 4, kIdPowerManagement | kMsix << 8U | 3U << 16U);
  put(kPowerManagement + 4, 4, 0x8, 0x3);  // No_Soft_Reset: state survives D3hot
  put(kMsix, 4, kIdMsix | kExpress << 8U | std::uint64_t{config.vectors - 1} << 16U, 0xc000'0000);
  put(kMsix + 4, 4, kTableOffset);  // BIR 0
  put(kMsix + 8, 4, kPbaOffset);
}

// 7.5.3: version 2, an endpoint.
void ConfigSpace::put_express(const PcieEndpointConfig& config) {
  const std::uint64_t mps = size_code(config.mps), mrrs = size_code(config.mrrs);
  put(kExpress, 4, kIdExpress | 0x2U << 16U);
  put(kExpress + 0x04, 4, mps | 1U << 5U | 1U << 15U);  // extended tags, role-based error reporting
  // Error reporting, relaxed ordering, MPS, extended tag, no snoop, MRRS.
  put(kExpress + 0x08, 2, mps << 5U | 1U << 8U | mrrs << 12U, 0x79ff);
  put(kDeviceStatus, 2, 0);
  clears_[kDeviceStatus] = 0x0f;
  put(kExpress + 0x0c, 4, config.generation | std::uint64_t{config.lanes} << 4U);
  put(kExpress + 0x10, 2, 0, 0x01cb);  // ASPM, RCB, common clock, extended synch, clock power management
  put(kExpress + 0x12, 2, config.generation | std::uint64_t{config.lanes} << 4U);
  put(kExpress + 0x28, 2, 0, 0x0010);                              // completion timeout disable
  put(kExpress + 0x24, 4, 1U << 4U);                               // which is supported
  put(kExpress + 0x2c, 4, ((1U << config.generation) - 1) << 1U);  // supported speeds
  put(kExpress + 0x30, 2, config.generation, 0x000f);
}

// 7.9.5. The body tells the host how the card's programs see its memory.
void ConfigSpace::put_vendor_specific(const PcieEndpointConfig& config) {
  constexpr std::uint64_t kLength = 0x20, kRevisionOne = 1, kWindow = 1;
  put(kVendorSpecific, 4, kIdVendorSpecific | 1U << 16U);  // the last capability
  put(kVendorSpecific + 0x04, 4, kWindow | kRevisionOne << 16U | kLength << 20U);
  put(kVendorSpecific + 0x08, 8, config.window_at.count());
  put(kVendorSpecific + 0x10, 8, config.window_size.count());
  put(kVendorSpecific + 0x18, 8, config.host_base.count());
}

void ConfigSpace::read(std::size_t offset, std::span<std::uint8_t> data) const {
  DPUSIM_CHECK(offset + data.size() <= kSize, "configuration read of {} octets at {:#x}", data.size(), offset);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = value_[offset + i];
}

void ConfigSpace::write(std::size_t offset, std::span<const std::uint8_t> data) {
  DPUSIM_CHECK(offset + data.size() <= kSize, "configuration write of {} octets at {:#x}", data.size(), offset);
  const std::uint8_t power = value_[kPowerManagement + 4];
  for (std::size_t i = 0; i < data.size(); ++i) {
    std::uint8_t& value = value_[offset + i];
    const std::uint8_t writable = writable_[offset + i];
    value = static_cast<std::uint8_t>(((value & ~writable) | (data[i] & writable)) & ~(data[i] & clears_[offset + i]));
  }
  // 7.5.2.2: a write of a state that is not supported changes nothing; D1 and D2 are not.
  std::uint8_t& state = value_[kPowerManagement + 4];
  if ((state & 3) == 1 || (state & 3) == 2) state = power;
}

std::optional<ConfigSpace::Hit> ConfigSpace::decode(std::uint64_t address, std::uint64_t length) const {
  if (!memory_enabled()) return std::nullopt;
  for (unsigned bar = 0; bar < 6; bar += 2) {
    const std::uint64_t size = bar_size_[bar / 2];
    const std::uint64_t offset = address - (get(kBar0 + 4 * bar, 8) & ~std::uint64_t{0xf});
    if (offset < size && length <= size - offset) return Hit{bar, offset};
  }
  return std::nullopt;
}

void ConfigSpace::note_answer(CompletionStatus status, bool posted) {
  if (status == CompletionStatus::kSuccessful) return;
  constexpr std::uint8_t kCorrectable = 0x1, kNonFatal = 0x2, kUnsupported = 0x8, kSignalledTargetAbort = 0x08;
  // Role-based reporting: the requester of a non-posted request deals with the error, so here it is an advisory one.
  value_[kDeviceStatus] |= posted ? kNonFatal : kCorrectable;
  if (status == CompletionStatus::kUnsupportedRequest) value_[kDeviceStatus] |= kUnsupported;
  if (status == CompletionStatus::kCompleterAbort && !posted) value_[kStatus + 1] |= kSignalledTargetAbort;
}

void ConfigSpace::note_completion(CompletionStatus status) {
  constexpr std::uint8_t kReceivedTargetAbort = 0x10, kReceivedMasterAbort = 0x20;
  if (status == CompletionStatus::kCompleterAbort) value_[kStatus + 1] |= kReceivedTargetAbort;
  if (status == CompletionStatus::kUnsupportedRequest) value_[kStatus + 1] |= kReceivedMasterAbort;
}

void ConfigSpace::set_host_base(std::uint64_t address) { put(kVendorSpecific + 0x18, 8, address); }

}  // namespace dpusim::pcie
