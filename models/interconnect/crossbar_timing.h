// Durations in the crossbar: cycles of its clock for octets that move.
#pragma once

#include <cstdint>

#include "interconnect/crossbar_config.h"

namespace dpusim::interconnect {

/// Converts octets to the time that a path of some width is busy with them, in whole cycles.
class BeatTime {
 public:
  BeatTime(Bytes width, Frequency clock)
      : width_(width.count()),
        cycle_q16_(static_cast<std::uint64_t>(mul_div(std::uint64_t{1} << 16, kPicosecondsPerSecond, clock.count()))) {}
  /// @return to the nearest picosecond; a cycle's fraction of a picosecond is kept to 2^-17, so a burst of 64 KiB is
  /// right.
  [[nodiscard]] Time operator()(std::uint64_t octets) const {
    const std::uint64_t cycles = (octets + width_ - 1) / width_;
    return Time(static_cast<std::int64_t>((cycles * cycle_q16_ + 0x8000) >> 16));
  }

 private:
  std::uint64_t width_, cycle_q16_;
};

}  // namespace dpusim::interconnect
