#include "accel/regex/regex_timing.h"

#include <cmath>

namespace dpusim::accel {

Time RegexTiming::service(const AccelJob& /*job*/, std::uint64_t in, std::uint64_t out) const {
  const double scan = static_cast<double>(in) / config_.octets_per_cycle;
  const double report = static_cast<double>(out / sizeof(AccelMatch)) * config_.match_cycles;
  return Clock(config_.clock).time(Cycles(static_cast<std::uint64_t>(std::ceil(scan + report))));
}

bool RegexTiming::streams(const AccelJob& /*job*/) const { return true; }

}  // namespace dpusim::accel
