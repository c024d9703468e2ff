// Configuration structs that the tests of sim/config_table.h share: one member of each type, each range.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/config.h"

namespace config_test {

using namespace dpusim;
using namespace dpusim::literals;

enum class Mode : std::uint8_t { kOpen = 3, kClosed = 7 };

struct Timing {
  Cycles trcd{22};
  double factor = 0.5;
  static const ConfigTable<Timing>& table() {
    static const ConfigTable<Timing> table("Timing", {field("tRCD", &Timing::trcd, between(1, 100), "Activate to read"),
                                                      field("factor", &Timing::factor, between(0, 1.5), "A factor")});
    return table;
  }
};

struct Common {
  bool enabled = true;
};

struct Port : Common {
  BitRate rate{100'000'000'000};
  Bytes mtu{9216};
  unsigned lanes = 4;
  std::uint64_t seed = UINT64_MAX;
  std::int64_t offset = -3;
  std::uint8_t ways = 8;
  Bytes line{64};
  Mode mode = Mode::kClosed;
  Timing timing;
  std::vector<Timing> banks;
  std::vector<unsigned> map{1, 2};
  std::string name = "eth";
  Time delay{12'500'000};
  Address base{0x40000000};
  Frequency clock{2'500'000'000};
  DataRate data_rate{3'200'000'000};
  double load = 0.25;
  std::vector<Mode> modes;
  BitRate speed{25'000'000'000};
  static const ConfigTable<Port>& table() {
    static const ConfigTable<Port> table(
        "Ethernet port",
        {field("rate", &Port::rate, between(1_Gbps, 800_Gbps), "Line rate"),
         field("mtu", &Port::mtu, between(64_B, 9978_B), "Largest frame"),
         field("lanes", &Port::lanes, one_of({1, 2, 4, 8}), "Number of lanes"),
         field("seed", &Port::seed, "Seed"),
         field("offset", &Port::offset, at_least(-5), "An offset"),
         field("ways", &Port::ways, power_of_two(1, 128), "Ways"),
         field("line", &Port::line, power_of_two(32_B, 4_KiB), "Cache line"),
         field("mode", &Port::mode, one_of({{"open", Mode::kOpen}, {"closed", Mode::kClosed}}), "Page policy"),
         field("timing", &Port::timing, "Timings"),
         field("banks", &Port::banks, items(0, 2), "Banks"),
         field("map", &Port::map, items(1, 4, between(0, 7)), "A map"),
         field("name", &Port::name, "A name"),
         field("enabled", &Port::enabled, "Whether it works"),
         field("delay", &Port::delay, between(0_ps, 1_s), "A delay"),
         field("base", &Port::base, "Where it is"),
         field("clock", &Port::clock, at_least(1_MHz), "Clock"),
         field("data_rate", &Port::data_rate, "Data rate"),
         field("load", &Port::load, at_least(0), "Load"),
         field("modes", &Port::modes, one_of({{"open", Mode::kOpen}}), "Modes | allowed"),
         field("speed", &Port::speed, one_of({10_Gbps, 25_Gbps}), "Speed")},
        [](const Port& port, const std::string& path) {
          if (port.mtu > 1500_B && port.rate < 2_Gbps) {
            throw ConfigError(path, "an mtu of " + to_text(port.mtu), "at most 1500B below 2Gb/s");
          }
        });
    return table;
  }
};

inline Port parse(const std::string& text) {
  return Port::table().parse(nlohmann::ordered_json::parse(text), "blocks.p0");
}

/// Returns the message that parsing `text` gives, "accepted" when it gives none.
inline std::string message(const std::string& text) {
  try {
    (void)parse(text);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace config_test
