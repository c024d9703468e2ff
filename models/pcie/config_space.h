// A function's configuration space: type 0 header, BARs, capabilities. No SystemC, no time.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "pcie/pcie_endpoint_config.h"
#include "tlm/pcie_tlp.h"

namespace dpusim::pcie {

/// Where in BAR 0 the function's own structures are.
inline constexpr std::uint64_t kBar0Size = 0x10000, kPbaOffset = 0x4000, kTableOffset = 0x8000;

/// Offsets in configuration space. @spec PCIe Base 4.0, 7.5 to 7.9
namespace config_offset {
inline constexpr unsigned kVendorId = 0x00, kCommand = 0x04, kStatus = 0x06, kRevision = 0x08, kBar0 = 0x10,
                          kSubsystem = 0x2c, kCapabilities = 0x34, kInterruptLine = 0x3c;
inline constexpr unsigned kPowerManagement = 0x40, kMsix = 0x50, kExpress = 0x60, kVendorSpecific = 0x100;
}  // namespace config_offset

/// Holds 4 KiB of registers with the access of each bit, and what they mean for the function.
class ConfigSpace {
 public:
  static constexpr std::size_t kSize = 4096;
  /// Which memory region an address is in.
  struct Hit {
    unsigned bar;  ///< 0, 2 or 4
    std::uint64_t offset;
  };
  explicit ConfigSpace(const PcieEndpointConfig& config);

  /// Reads or writes within the space. @param offset less than kSize, with data.size() octets from there inside.
  void read(std::size_t offset, std::span<std::uint8_t> data) const;
  void write(std::size_t offset, std::span<const std::uint8_t> data);

  /// Tells whether the function may answer memory requests, and may make requests, interrupt messages included: enabled
  /// in the command register and in power state D0. @spec PCIe Base 4.0, 5.3.1.4.1, 7.5.1.1.3
  [[nodiscard]] bool memory_enabled() const { return in_d0() && (value_[config_offset::kCommand] & 0x2) != 0; }
  [[nodiscard]] bool bus_master() const { return in_d0() && (value_[config_offset::kCommand] & 0x4) != 0; }
  [[nodiscard]] bool in_d0() const { return (value_[config_offset::kPowerManagement + 4] & 3) == 0; }
  [[nodiscard]] bool msix_enabled() const { return (value_[config_offset::kMsix + 3] & 0x80) != 0; }
  [[nodiscard]] bool msix_masked() const { return (value_[config_offset::kMsix + 3] & 0x40) != 0; }
  /// Finds the BAR that all of [address, address + length) is in. @return nothing while memory is not enabled.
  [[nodiscard]] std::optional<Hit> decode(std::uint64_t address, std::uint64_t length) const;

  /// Notes an error of this function as completer, and as requester. @spec PCIe Base 4.0, 6.2.3.2.4, 7.5.1.1.4, 7.5.3.5
  void note_answer(CompletionStatus status, bool posted);
  void note_completion(CompletionStatus status);
  /// Shows the host where the window now begins in its memory (in the vendor-specific capability).
  void set_host_base(std::uint64_t address);

 private:
  void put(unsigned offset, unsigned octets, std::uint64_t value, std::uint64_t writable = 0);
  void put_header(const PcieEndpointConfig& config);
  void put_bar(unsigned bar, std::uint64_t size, bool prefetchable);
  void put_capabilities(const PcieEndpointConfig& config);
  void put_express(const PcieEndpointConfig& config);
  void put_vendor_specific(const PcieEndpointConfig& config);
  [[nodiscard]] std::uint64_t get(unsigned offset, unsigned octets) const;

  std::array<std::uint8_t, kSize> value_{}, writable_{}, clears_{};  // clears_: bits that writing 1 clears
  std::array<std::uint64_t, 3> bar_size_{};
};

}  // namespace dpusim::pcie
