// Parameters of an endpoint.
#pragma once

#include <array>

#include "sim/config.h"
#include "sim/units.h"

namespace dpusim::pcie {

/// Most vectors that MSI-X can have. @spec PCIe Base 4.0, 7.7.2.2
inline constexpr unsigned kMaxVectors = 2048;

/// A window of the host onto the card's interconnect.
struct CardBarConfig {
  Bytes size{0};  ///< 0: the BAR is not there
  Address at{0};
  bool prefetchable = true;
  static const ConfigTable<CardBarConfig>& table();
};

struct PcieEndpointConfig {
  std::uint16_t vendor_id = 0x1234, device_id = 0xd9c0, subsystem_vendor_id = 0x1234, subsystem_id = 0x0001;
  std::uint8_t revision = 1;
  std::uint32_t class_code = 0x120000;  // processing accelerator
  unsigned vectors = 64;
  CardBarConfig bar2{Bytes(64U << 20U), Address(0), true};
  CardBarConfig bar4{};
  Bytes window_size{std::uint64_t{64} << 30U};
  Address window_at{0x80'0000'0000};
  Address host_base{0};
  unsigned generation = 4;
  unsigned lanes = 16;
  Bytes mps{256};
  Bytes mrrs{512};
  Time latency{25'000};
  Time access{40'000};
  bool allocate = true;
  static const ConfigTable<PcieEndpointConfig>& table();
};

}  // namespace dpusim::pcie
