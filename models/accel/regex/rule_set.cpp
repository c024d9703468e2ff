#include "accel/regex/rule_set.h"

#include <fmt/format.h>

#include "sim/error.h"

namespace dpusim::accel {

namespace {

unsigned flags(const Rule& rule) {
  // A single match is kept by MatchStore: Vectorscan cannot tell where one begins.
  return HS_FLAG_SOM_LEFTMOST | (rule.ignore_case ? HS_FLAG_CASELESS : 0U) | (rule.dot_all ? HS_FLAG_DOTALL : 0U) |
         (rule.multi_line ? HS_FLAG_MULTILINE : 0U);
}

}  // namespace

RuleSet::RuleSet(std::vector<Rule> rules) : rules_(std::move(rules)) {
  if (hs_valid_platform() != HS_SUCCESS) {
    throw ConfigError("regex", "a processor that Vectorscan does not run on", "one with SSE4.2, or Arm NEON");
  }
  std::vector<const char*> patterns;
  std::vector<unsigned> all_flags, indices;
  for (const Rule& rule : rules_) {
    patterns.push_back(rule.pattern.c_str());
    all_flags.push_back(flags(rule));
    indices.push_back(static_cast<unsigned>(indices.size()));
  }
  hs_platform_info_t generic{};  // HS_TUNE_FAMILY_GENERIC, no cpu_features
  hs_database_t* database = nullptr;
  const unsigned mode = HS_MODE_STREAM | HS_MODE_SOM_HORIZON_LARGE;
  hs_compile_error_t* failure = nullptr;
  const hs_error_t status =
      hs_compile_multi(patterns.data(), all_flags.data(), indices.data(), static_cast<unsigned>(patterns.size()), mode,
                       &generic, &database, &failure);
  database_.reset(database);
  if (status == HS_SUCCESS) return;
  const std::unique_ptr<hs_compile_error_t, VectorscanFree> owner(failure);
  const int index = failure == nullptr ? -1 : failure->expression;
  const std::string message = failure == nullptr ? "an error" : failure->message;
  const Rule& rule = rules_[index < 0 ? 0 : static_cast<std::size_t>(index)];
  const std::string pattern = index < 0 ? "rules" : fmt::format("/{}/", rule.pattern);
  throw ConfigError(rule.place, fmt::format("{}, of which Vectorscan says \"{}\"", pattern, message),
                    "a pattern that it supports with starts of matches");
}

}  // namespace dpusim::accel
