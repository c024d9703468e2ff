#include "accel/regex/regex_config.h"

namespace dpusim::accel {

const ConfigTable<RegexConfig>& RegexConfig::table() {
  static const ConfigTable<RegexConfig> table = accel_table<RegexConfig>(
      "Regular-expression accelerator", {},
      field("rules", &RegexConfig::rules, items(0, 65'536),
            "Rule files, from the directory that the run was started in; the first is rule set 0"),
      field("streams", &RegexConfig::streams, between(0U, 65'536U), "Streams open at a time; 0: no streams"),
      field("most_matches", &RegexConfig::most_matches, between(1U, 16'777'216U),
            "Matches of a job beyond which it fails, whatever room there is"),
      field("octets_per_cycle", &RegexConfig::octets_per_cycle, between(0.125, 1024.0),
            "Octets that an engine scans a cycle"),
      field("match_cycles", &RegexConfig::match_cycles, between(0.0, 1000.0),
            "Cycles that an engine stops scanning for, to report a match"));
  return table;
}

}  // namespace dpusim::accel
