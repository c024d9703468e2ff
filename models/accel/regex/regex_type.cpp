#include "accel/regex/regex_type.h"

#include "accel/regex/regex_function.h"
#include "accel/regex/regex_timing.h"

namespace dpusim::accel {

AcceleratorParts make_parts(const BlockContext& /*context*/, const RegexConfig& config) {
  std::vector<std::vector<Rule>> sets;
  for (const std::string& path : config.rules) sets.push_back(read_rules(path));
  return {.type = ACCEL_TYPE_REGEX,
          .function = std::make_unique<RegexFunction>(config, std::move(sets)),
          .timing = std::make_unique<RegexTiming>(config)};
}

}  // namespace dpusim::accel
