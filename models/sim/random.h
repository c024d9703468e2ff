// Seeded random numbers per instance: the same seed and instance name give the same sequence on every host.
#pragma once

#include <cstdint>
#include <string_view>

namespace dpusim {

/// Generates 64-bit random numbers by xoshiro256** (Blackman and Vigna, ACM TOMS 47(4), 2021), seeded by splitmix64
/// from a run's seed and an instance name, so that adding an instance does not change another's sequence.
class Random {
 public:
  using result_type = std::uint64_t;
  Random(std::uint64_t seed, std::string_view instance);
  std::uint64_t operator()();
  static constexpr std::uint64_t min() { return 0; }
  static constexpr std::uint64_t max() { return UINT64_MAX; }
  /// Returns a number in 0..bound-1 without bias. @param bound not 0.
  std::uint64_t below(std::uint64_t bound);
  /// Returns a number in [0, 1) with 53 bits.
  double uniform();

 private:
  std::uint64_t state_[4];
};

}  // namespace dpusim
