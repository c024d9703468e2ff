// Rates of the regular-expression accelerator.
#pragma once

#include "accel/regex/regex_config.h"
#include "accel/timing.h"

namespace dpusim::accel {

/// Rates of the regular-expression accelerator.
class RegexTiming : public Timing {
 public:
  explicit RegexTiming(const RegexConfig& config) : config_(config) {}
  [[nodiscard]] Time service(const AccelJob& job, std::uint64_t in, std::uint64_t out) const override;
  [[nodiscard]] bool streams(const AccelJob& job) const override;

 private:
  RegexConfig config_;
};

}  // namespace dpusim::accel
