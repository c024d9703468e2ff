// Parameters of the regular-expression accelerator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "accel/accel_config.h"

namespace dpusim::accel {

/// Rules, limits and rates, beyond what every accelerator has.
struct RegexConfig : AccelConfig {
  std::vector<std::string> rules;  ///< rule files; their order gives the rule sets' numbers
  unsigned streams = 1024;
  unsigned most_matches = 1'048'576;
  double octets_per_cycle = 3.125;
  double match_cycles = 1;
  static const ConfigTable<RegexConfig>& table();
};

}  // namespace dpusim::accel
