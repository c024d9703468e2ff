#include "pcie/pcie_endpoint_config.h"

#include <bit>

#include "sim/error.h"

namespace dpusim::pcie {
namespace {

void check_bar(const CardBarConfig& bar, const std::string& path) {
  const std::uint64_t size = bar.size.count(), at = bar.at.count();
  if (size == 0) return;
  if (!std::has_single_bit(size) || size < 4096)
    throw ConfigError(path + ".size", fmt::format("{} octets", size), "0, or a power of two from 4KiB on");
  if (at % size != 0)
    throw ConfigError(path + ".at", fmt::format("{:#x}", at), fmt::format("a multiple of the size, {:#x}", size));
}

}  // namespace

const ConfigTable<CardBarConfig>& CardBarConfig::table() {
  using namespace literals;
  static const ConfigTable<CardBarConfig> table(
      "Host's window onto the card",
      {field("size", &CardBarConfig::size, between(0_B, Bytes(std::uint64_t{1} << 46U)),
             "Size, a power of two; 0 leaves the BAR out"),
       field("at", &CardBarConfig::at, "Address on the card's interconnect that its first octet stands for"),
       field("prefetchable", &CardBarConfig::prefetchable,
             "The host may merge writes and read ahead: memory, not registers")},
      check_bar);
  return table;
}

const ConfigTable<PcieEndpointConfig>& PcieEndpointConfig::table() {
  using namespace literals;
  using C = PcieEndpointConfig;
  static const ConfigTable<C> table(
      "PCI Express endpoint",
      {field("vendor_id", &C::vendor_id, between(1U, 0xfffeU), "Vendor ID; the default is not assigned to dpusim"),
       field("device_id", &C::device_id, "Device ID"),
       field("subsystem_vendor_id", &C::subsystem_vendor_id, "Subsystem vendor ID"),
       field("subsystem_id", &C::subsystem_id, "Subsystem ID"), field("revision", &C::revision, "Revision ID"),
       field("class_code", &C::class_code, between(0U, 0xff'ffffU), "Class, subclass and programming interface"),
       field("vectors", &C::vectors, between(1U, kMaxVectors), "MSI-X vectors, each with an interrupt input"),
       field("bar2", &C::bar2, "BAR 2: the host's window onto the card"),
       field("bar4", &C::bar4, "BAR 4: another window"),
       field("window_size", &C::window_size, between(4_KiB, Bytes(std::uint64_t{1} << 52U)),
             "Size of the card's window onto host memory"),
       field("window_at", &C::window_at,
             "Where the window is mapped on the card, as the host is told: equal to \"at\" of port \"window\""),
       field("host_base", &C::host_base, "Host address of the window's first octet after reset"),
       field("generation", &C::generation, between(1U, 5U), "Link speed that the capability shows: the link's"),
       field("lanes", &C::lanes, one_of({1U, 2U, 4U, 8U, 16U}), "Link width that the capability shows: the link's"),
       field("mps", &C::mps, power_of_two(128_B, 4096_B), "Max_Payload_Size that the capability shows: the link's"),
       field("mrrs", &C::mrrs, power_of_two(128_B, 4096_B),
             "Max_Read_Request_Size that the capability shows: the link's"),
       field("latency", &C::latency, between(0_ps, 100_us),
             "Through the endpoint, each way: between the card's interconnect and the link"),
       field("access", &C::access, between(0_ps, 10_us), "Time of a register access, by the card and by the host"),
       field("allocate", &C::allocate, "Ask the last-level cache to allocate what the host writes")},
      [](const C& config, const std::string& path) {
        const std::uint64_t size = config.window_size.count();
        for (const auto& [key, at] : {std::pair{"window_at", config.window_at}, {"host_base", config.host_base}}) {
          if (at.count() > ~std::uint64_t{0} - (size - 1))
            throw ConfigError(path + "." + key, fmt::format("{:#x}", at.count()), "a window that ends below 2^64");
        }
      });
  return table;
}

}  // namespace dpusim::pcie
