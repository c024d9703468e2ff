#include "cpu/a64/fp/fp_compare.h"

#include <type_traits>

namespace dpusim::cpu::fp {
namespace {

// Maps a number to an integer of the same order; both zeros, and flushed denormals, map to 0.
template <Format T>
auto ordinal(T bits, FpEnv& env) {
  using F = Traits<T>;
  using Signed = std::make_signed_t<T>;
  T magnitude = absolute(bits);
  const bool flush = (env.fpcr & (F::kBits == 16 ? kFpcrFz16 : kFpcrFz)) != 0;
  if (flush && magnitude != 0 && magnitude < F::kMinNormal) {
    if (F::kBits != 16) env.raise(kFpsrIdc);
    magnitude = 0;
  }
  return static_cast<Signed>(sign_of(bits) ? static_cast<T>(0 - magnitude) : magnitude);
}

}  // namespace

template <Format T>
Ordering compare(T a, T b, bool signal_quiet, FpEnv& env) {
  using F = Traits<T>;
  const auto ordinal_a = ordinal(a, env), ordinal_b = ordinal(b, env);
  const auto nan = [](T x) { return absolute(x) > F::kInfinity; };
  const auto signalling = [&](T x) { return nan(x) && (x & F::kQuietBit) == 0; };
  if (nan(a) || nan(b)) {
    if (signal_quiet || signalling(a) || signalling(b)) env.raise(kFpsrIoc);
    return Ordering::kUnordered;
  }
  return ordinal_a == ordinal_b ? Ordering::kEqual : ordinal_a < ordinal_b ? Ordering::kLess : Ordering::kGreater;
}

template Ordering compare<std::uint16_t>(std::uint16_t, std::uint16_t, bool, FpEnv&);
template Ordering compare<std::uint32_t>(std::uint32_t, std::uint32_t, bool, FpEnv&);
template Ordering compare<std::uint64_t>(std::uint64_t, std::uint64_t, bool, FpEnv&);

}  // namespace dpusim::cpu::fp
