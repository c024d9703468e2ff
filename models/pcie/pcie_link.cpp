#include "pcie/pcie_link.h"

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/systemc_time.h"

namespace dpusim::pcie {

const ConfigTable<PcieLinkConfig>& PcieLinkConfig::table() {
  using namespace literals;
  static const ConfigTable<PcieLinkConfig> table(
      "PCI Express link",
      {field("generation", &PcieLinkConfig::generation, between(1U, 6U),
             "Signalling rate: 1 to 5 are 2.5, 5, 8, 16 and 32 GT/s; 6 is not modelled (FLIT mode)"),
       field("lanes", &PcieLinkConfig::lanes, one_of({1U, 2U, 4U, 8U, 16U}), "Lanes"),
       field("mps", &PcieLinkConfig::mps, power_of_two(128_B, 4096_B),
             "Max_Payload_Size of both ends: most data in a write request or completion"),
       field("mrrs", &PcieLinkConfig::mrrs, power_of_two(128_B, 4096_B),
             "Max_Read_Request_Size: most data that a read request asks for"),
       field("rcb", &PcieLinkConfig::rcb, one_of({64_B, 128_B}),
             "Read completion boundary: completions but the last end at multiples of it"),
       field("tags", &PcieLinkConfig::tags, between(1U, 768U),
             "Requests of each direction that wait for completions at once (768: 10-bit tags)"),
       field("posted_credits", &PcieLinkConfig::posted_credits, between(1U, 2032U),
             "Write packets of each direction that the receiver holds at once before it has dealt with them (127, "
             "scaled by 1, 4 or 16)"),
       field(
           "latency", &PcieLinkConfig::latency, between(0_ps, 100_us),
           "From the last octet sent to the packet at the other end's transaction layer: PHY, SerDes, data link layer"),
       field("ecrc", &PcieLinkConfig::ecrc, "Each packet carries an end-to-end CRC of 4 octets"),
       field("dllp_overhead", &PcieLinkConfig::dllp_overhead, between(0.0, 0.5),
             "Fraction of the rate that DLLPs (acknowledgements, flow control) and SKP ordered sets take")},
      [](const PcieLinkConfig& config, const std::string& path) {
        if (config.generation == 6)
          throw ConfigError(path + ".generation", "6", "1 to 5: FLIT mode, which 64 GT/s needs, is not modelled");
      });
  return table;
}

PcieLink::PcieLink(const BlockContext& context, const PcieLinkConfig& config)
    : PcieLink(sc_core::sc_module_name(context.name.c_str()), context, config) {}

PcieLink::PcieLink(const sc_core::sc_module_name& name, const BlockContext& context, const PcieLinkConfig& config)
    : sc_module(name), device("device"), root("root"), engine_(config, context, *this) {
  device.bind(static_cast<PcieUpstream&>(*this));
  root.bind(static_cast<PcieDownstream&>(*this));
}

std::vector<Port> PcieLink::ports() {
  return {{"device", &device, "The device, which binds to it"},
          {"root", &root, "To the root complex, or a switch's downstream port"}};
}

void PcieLink::before_end_of_elaboration() {
  open_.close(device);
  open_.close(root);
}

Time PcieLink::present() const { return now(); }

}  // namespace dpusim::pcie
