// How long engines work: the seam between the engine room and a type's rates. Sees no octets.
#pragma once

#include <cmath>
#include <cstdint>

#include "accel/accel_job_desc.h"
#include "sim/units.h"

namespace dpusim::accel {

/// The rates of one type of accelerator.
class Timing {
 public:
  virtual ~Timing() = default;
  /// Returns the time that an engine works to take `in` octets of a job's source in and give `out` octets out, beyond
  /// the set-up that all jobs have. It never falls when either grows. While source arrives, (octets so far, 0) tells
  /// how far the engine may be; at the end (all octets, octets produced) tells the whole.
  [[nodiscard]] virtual Time service(const AccelJob& job, std::uint64_t in, std::uint64_t out) const = 0;
  /// Says whether the result leaves the engine as it works, in proportion; else all at the end (a digest, what a tag
  /// vouches for).
  [[nodiscard]] virtual bool streams(const AccelJob& job) const = 0;
};

/// Returns the time of `octets` at `octets_per_cycle`, in whole cycles. @param octets_per_cycle above 0.
[[nodiscard]] inline Time cycle_time(Clock clock, std::uint64_t octets, double octets_per_cycle) {
  return clock.time(Cycles(static_cast<std::uint64_t>(std::ceil(static_cast<double>(octets) / octets_per_cycle))));
}

}  // namespace dpusim::accel
