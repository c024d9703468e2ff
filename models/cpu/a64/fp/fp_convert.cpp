#include "cpu/a64/fp/fp_convert.h"

#include "cpu/a64/fp/fp_unpack.h"

namespace dpusim::cpu::fp {
namespace {

// An integral magnitude after rounding, and whether anything was cut off.
struct Integral {
  u128 magnitude;
  bool inexact;
};

// Rounds mantissa * 2^exponent to an integer. Exponents that would shift beyond 128 bits are the caller's to exclude.
Integral integral(std::uint64_t mantissa, int exponent, bool sign, Rounding rounding) {
  if (exponent >= 0) return {u128{mantissa} << exponent, false};
  // Nothing of a 53-bit mantissa reaches half a unit after 64 places, so the shift can stop there.
  const int shift = exponent < -64 ? 64 : -exponent;
  const u128 value = exponent < -64 ? 1 : mantissa;
  const bool inexact = (value & ((u128{1} << shift) - 1)) != 0;
  return {(value >> shift) + (rounds_up(value, shift, sign, rounding) ? 1 : 0), inexact};
}

}  // namespace

template <Format To, Format From>
To convert(From bits, FpEnv& env, Rounding rounding) {
  using F = Traits<From>;
  const Unpacked u = unpack(bits, env, Purpose::kConversion);
  const bool alternative = Traits<To>::kBits == 16 && (env.fpcr & kFpcrAhp) != 0;
  if (u.nan()) {
    if (alternative || u.kind == Kind::kSignallingNan) env.raise(kFpsrIoc);
    if (alternative) return with_sign<To>(u.sign, 0);
    if (env.default_nan()) return Traits<To>::kDefaultNan;
    // The payload keeps its most significant bits.
    const std::uint64_t top = static_cast<std::uint64_t>(bits) << (64 - F::kFractionBits);
    const To payload = static_cast<To>(top >> (64 - Traits<To>::kFractionBits));
    return with_sign<To>(u.sign, static_cast<To>(Traits<To>::kDefaultNan | payload));
  }
  if (u.infinity()) {
    if (!alternative) return with_sign<To>(u.sign, Traits<To>::kInfinity);
    env.raise(kFpsrIoc);
    return with_sign<To>(u.sign, static_cast<To>(Traits<To>::kSign - 1));
  }
  if (u.zero()) return with_sign<To>(u.sign, 0);
  return round_pack<To>(u.sign, u.exponent, u.mantissa, env, rounding, Purpose::kConversion);
}

template <Format T>
T round_integral(T bits, FpEnv& env, Rounding rounding, bool exact) {
  const Unpacked u = unpack(bits, env);
  if (u.nan()) return process_nan(u.kind, bits, env);
  if (u.infinity()) return bits;
  if (u.zero()) return with_sign<T>(u.sign, 0);
  if (u.exponent >= 0) return bits;
  const Integral i = integral(u.mantissa, u.exponent, u.sign, rounding);
  if (i.inexact && exact) env.raise(kFpsrIxc);
  if (i.magnitude == 0) return with_sign<T>(u.sign, 0);
  return round_pack<T>(u.sign, 0, i.magnitude, env, Rounding::kZero);
}

template <Format T>
std::uint64_t to_fixed(T bits, FpEnv& env, Rounding rounding, int fraction_bits, bool is_unsigned, int width) {
  const Unpacked u = unpack(bits, env);
  if (u.nan()) {
    env.raise(kFpsrIoc);
    return 0;
  }
  if (u.zero()) return 0;
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  const std::uint64_t highest = is_unsigned ? mask : mask >> 1;                    // magnitude of the largest result
  const std::uint64_t lowest = is_unsigned ? 0 : std::uint64_t{1} << (width - 1);  // magnitude of the smallest one
  const std::uint64_t limit = u.sign ? lowest : highest;
  const int exponent = u.exponent + fraction_bits;
  const bool huge = u.infinity() || (exponent >= 0 && exponent + static_cast<int>(std::bit_width(u.mantissa)) > 64);
  const Integral i = huge ? Integral{0, false} : integral(u.mantissa, exponent, u.sign, rounding);
  if (huge || i.magnitude > limit) {
    env.raise(kFpsrIoc);
    return (u.sign ? 0 - limit : limit) & mask;
  }
  if (i.inexact) env.raise(kFpsrIxc);
  const auto magnitude = static_cast<std::uint64_t>(i.magnitude);
  return (u.sign ? 0 - magnitude : magnitude) & mask;
}

template <Format T>
T from_fixed(std::uint64_t value, FpEnv& env, Rounding rounding, int fraction_bits, bool is_unsigned) {
  if (value == 0) return 0;
  const bool sign = !is_unsigned && (value >> 63) != 0;
  return round_pack<T>(sign, -fraction_bits, sign ? 0 - value : value, env, rounding);
}

using H = std::uint16_t;
using S = std::uint32_t;
using D = std::uint64_t;
template S convert<S, H>(H, FpEnv&, Rounding);
template D convert<D, H>(H, FpEnv&, Rounding);
template H convert<H, S>(S, FpEnv&, Rounding);
template D convert<D, S>(S, FpEnv&, Rounding);
template H convert<H, D>(D, FpEnv&, Rounding);
template S convert<S, D>(D, FpEnv&, Rounding);
#define DPUSIM_INSTANTIATE(T)                                              \
  template T round_integral<T>(T, FpEnv&, Rounding, bool);                 \
  template std::uint64_t to_fixed<T>(T, FpEnv&, Rounding, int, bool, int); \
  template T from_fixed<T>(std::uint64_t, FpEnv&, Rounding, int, bool);
DPUSIM_INSTANTIATE(H)
DPUSIM_INSTANTIATE(S)
DPUSIM_INSTANTIATE(D)
#undef DPUSIM_INSTANTIATE

}  // namespace dpusim::cpu::fp
