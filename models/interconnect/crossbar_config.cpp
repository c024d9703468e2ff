#include "interconnect/crossbar_config.h"

#include "cache/tag_array.h"

namespace dpusim::interconnect {
using namespace literals;

const ConfigTable<CrossbarConfig>& CrossbarConfig::table() {
  static const ConfigTable<CrossbarConfig> table(
      "Coherent crossbar",
      {field("hop_latency", &CrossbarConfig::hop_latency, between(0_ps, 1_us),
             "Time from a port through the fabric, one way; an access pays it there and back"),
       field("clock", &CrossbarConfig::clock, between(1_MHz, 10_GHz), "Clock of ports and cache"),
       field("port_width", &CrossbarConfig::port_width, power_of_two(1_B, 1_KiB),
             "Octets that a port moves a cycle, in each direction"),
       field("l3_size", &CrossbarConfig::l3_size, between(0_B, 1_GiB), "Size of the last-level cache; 0: none"),
       field("l3_ways", &CrossbarConfig::l3_ways, between(1U, 64U), "Ways of a set"),
       field("line", &CrossbarConfig::line, power_of_two(16_B, 256_B), "Octets of a cache line"),
       field("l3_latency", &CrossbarConfig::l3_latency, between(0_ps, 1_us), "Time of a hit within the cache"),
       field("l3_lookup", &CrossbarConfig::l3_lookup, between(0_ps, 1_us),
             "Time until a miss is known and goes on to memory"),
       field("l3_width", &CrossbarConfig::l3_width, power_of_two(1_B, 16_KiB),
             "Octets that all slices of the cache together move a cycle"),
       field("ddio", &CrossbarConfig::ddio,
             "Whether writes of devices that ask for it may allocate in the last-level cache")},
      [](const CrossbarConfig& config, const std::string& path) {
        if (config.l3_size == 0_B) return;
        try {
          const cache::TagArray probe({config.l3_size, config.l3_ways, config.line});
        } catch (const ConfigError& error) {
          throw ConfigError(fmt::format("{}.l3_size: {}", path, error.what()));
        }
      });
  return table;
}

}  // namespace dpusim::interconnect
