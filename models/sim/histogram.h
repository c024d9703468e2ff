// The statistic that keeps a distribution. Include sim/stats.h.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/error.h"
#include "sim/stats_value.h"

namespace dpusim {

/// Log-linear histogram of 64-bit values: exact below 256, then 128 buckets a power of two, hence at most 1/256
/// relative error when a bucket is named by its middle.
class Histogram : public Statistic {
 public:
  Histogram(StatGroup& group, std::string name, std::string unit, std::string text);
  /// Records a value, or the same value `times` times.
  void record(std::uint64_t value, std::uint64_t times = 1) {
    if (times == 0) return;
    const std::size_t bucket = bucket_of(value);
    if (bucket >= buckets_.size()) [[unlikely]]
      grow(bucket);
    buckets_[bucket] += times;
    if (count_ == 0 || value < min_) min_ = value;
    if (value > max_) max_ = value;
    count_ += times;
    sum_ += static_cast<Uint128>(value) * times;
  }
  /// Records a duration in picoseconds. @param duration not negative. @error Defect otherwise.
  void record(Time duration) {
    DPUSIM_CHECK(duration.count() >= 0, "{}: duration of {} ps", name(), duration.count());
    record(static_cast<std::uint64_t>(duration.count()));
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t min() const { return min_; }
  [[nodiscard]] std::uint64_t max() const { return max_; }
  [[nodiscard]] double mean() const;
  /// Returns the smallest recorded value (to the bucket's middle, and never outside min..max) that at least the
  /// fraction `q` of all values do not exceed (the nearest rank, ceil(q * count)); exact for 0, 1 and values below 256.
  /// @param q in 0..1. @return 0 when empty.
  [[nodiscard]] std::uint64_t quantile(double q) const;
  [[nodiscard]] const char* kind() const override { return "histogram"; }
  [[nodiscard]] nlohmann::ordered_json value_json(Time now) const override;
  [[nodiscard]] double scalar(Time now) const override;

 private:
  static std::size_t bucket_of(std::uint64_t value) {
    if (value < 256) return static_cast<std::size_t>(value);
    const auto octave = static_cast<unsigned>(std::bit_width(value)) - 1;  // 8..63
    return 128 * (octave - 6) + (value >> (octave - 7) & 127);
  }
  static std::uint64_t middle_of(std::size_t bucket);
  void grow(std::size_t bucket);

  std::vector<std::uint64_t> buckets_;  // up to the largest value's
  std::uint64_t count_ = 0, min_ = 0, max_ = 0;
  Uint128 sum_ = 0;
};

}  // namespace dpusim
