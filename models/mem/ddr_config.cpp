#include "mem/ddr_config.h"

namespace dpusim::mem {
using namespace literals;

const ConfigTable<DdrConfig>& DdrConfig::table() {
  static const ConfigTable<DdrConfig> table(
      "DDR memory",
      {field("capacity", &DdrConfig::capacity, between(1_MiB, 64_GiB), "Size of the memory, all channels together"),
       field("data_rate", &DdrConfig::data_rate, between(100_MTps, 12'800_MTps), "Transfers a second of a data pin"),
       field("bus_width", &DdrConfig::bus_width, power_of_two(8U, 512U), "Data bits of a channel, without ECC"),
       field("burst_length", &DdrConfig::burst_length, power_of_two(4U, 32U),
             "Transfers a burst: 8 for DDR4, 16 for DDR5 and LPDDR4/5; a shorter access costs a whole burst"),
       field("channels", &DdrConfig::channels, power_of_two(1U, 16U), "Independent channels (for DDR5, subchannels)"),
       field("interleave", &DdrConfig::interleave, power_of_two(64_B, 1_MiB),
             "Octets that go to one channel before the next one"),
       field("tCL", &DdrConfig::tCL, between(1, 200), "CAS latency, in clocks of half the data rate (JEDEC CL)"),
       field("tRCD", &DdrConfig::tRCD, between(1, 200), "Activate to read or write, in clocks"),
       field("tRP", &DdrConfig::tRP, between(1, 200), "Precharge to activate, in clocks"),
       field("row_state", &DdrConfig::row_state,
             one_of({{"hit", RowState::kHit}, {"closed", RowState::kClosed}, {"conflict", RowState::kConflict}}),
             "State in which every access finds its row: hit costs tCL, closed tRCD + tCL, conflict tRP + tRCD + tCL"),
       field("tRFC", &DdrConfig::tRFC, between(0_ps, 10_us), "Refresh cycle time: the rank serves nothing meanwhile"),
       field("tREFI", &DdrConfig::tREFI, between(100_ns, 100_us), "Average time between refreshes"),
       field("controller_latency", &DdrConfig::controller_latency, between(0_ps, 10_us),
             "Time in the controller and PHY, both ways together"),
       field("efficiency", &DdrConfig::efficiency, between(0.05, 1.0),
             "Fraction of the data bus's time that scheduling reaches under load, refresh not counted"),
       field("write_queue", &DdrConfig::write_queue, between(1U, 1024U),
             "Bursts of writes that a channel accepts before they are in the memory")},
      [](const DdrConfig& config, const std::string& path) {
        if (config.tRFC >= config.tREFI) {
          throw ConfigError(path + ".tRFC", fmt::format("{} ps", config.tRFC.count()),
                            fmt::format("less than tREFI ({} ps)", config.tREFI.count()));
        }
        const std::uint64_t burst = std::uint64_t{config.bus_width} / 8 * config.burst_length;
        if (config.interleave.count() < burst) {
          throw ConfigError(path + ".interleave", fmt::format("{} octets", config.interleave.count()),
                            fmt::format("at least one burst ({} octets)", burst));
        }
        const std::uint64_t stripe = config.interleave.count() * config.channels;
        if (config.capacity.count() % stripe != 0) {
          throw ConfigError(path + ".capacity", fmt::format("{} octets", config.capacity.count()),
                            fmt::format("a multiple of interleave x channels ({} octets)", stripe));
        }
      });
  return table;
}

}  // namespace dpusim::mem
