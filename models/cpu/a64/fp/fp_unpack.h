// Unpacking, NaN processing and rounding: the pseudocode functions that every operation is made of.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "cpu/a64/fp/fp_env.h"
#include "cpu/a64/fp/fp_format.h"

namespace dpusim::cpu::fp {

__extension__ typedef unsigned __int128 u128;

enum class Kind : std::uint8_t { kZero, kFinite, kInfinity, kQuietNan, kSignallingNan };

/// A value taken apart: for kFinite it is mantissa * 2^exponent with the sign.
struct Unpacked {
  Kind kind = Kind::kZero;
  bool sign = false;
  int exponent = 0;
  std::uint64_t mantissa = 0;

  [[nodiscard]] bool nan() const { return kind == Kind::kQuietNan || kind == Kind::kSignallingNan; }
  [[nodiscard]] bool infinity() const { return kind == Kind::kInfinity; }
  [[nodiscard]] bool zero() const { return kind == Kind::kZero; }
};

/// Whether an operation is a format conversion: those honour FPCR.AHP and ignore FPCR.FZ16, arithmetic does the
/// reverse.
enum class Purpose : std::uint8_t { kArithmetic, kConversion };

/// Takes a number apart and flushes denormal inputs as FPCR asks (FZ16 without IDC, FZ with it).
/// @spec DDI 0487 J1.3 FPUnpackBase, FPUnpack, FPUnpackCV
template <Format T>
Unpacked unpack(T bits, FpEnv& env, Purpose purpose = Purpose::kArithmetic) {
  using F = Traits<T>;
  const int biased = biased_exponent(bits);
  const T fraction = fraction_of(bits);
  Unpacked u{Kind::kFinite, sign_of(bits), 0, fraction};
  if (biased == 0) {
    if (fraction == 0) {
      u.kind = Kind::kZero;
      return u;
    }
    if (F::kBits == 16 ? (purpose == Purpose::kArithmetic && (env.fpcr & kFpcrFz16)) : (env.fpcr & kFpcrFz) != 0) {
      if (F::kBits != 16) env.raise(kFpsrIdc);
      u.kind = Kind::kZero;
      u.mantissa = 0;
      return u;
    }
    u.exponent = F::kMinExponent - F::kFractionBits;
    return u;
  }
  const bool alternative = F::kBits == 16 && purpose == Purpose::kConversion && (env.fpcr & kFpcrAhp);
  if (biased == F::kMaxBiased && !alternative) {
    u.kind = fraction == 0 ? Kind::kInfinity : (fraction & F::kQuietBit) ? Kind::kQuietNan : Kind::kSignallingNan;
    return u;
  }
  u.mantissa |= std::uint64_t{1} << F::kFractionBits;
  u.exponent = biased - F::kBias - F::kFractionBits;
  return u;
}

/// Quiets a NaN operand or replaces it by the default NaN. @spec J1.3 FPProcessNaN
template <Format T>
T process_nan(Kind kind, T bits, FpEnv& env) {
  if (kind == Kind::kSignallingNan) env.raise(kFpsrIoc);
  return env.default_nan() ? Traits<T>::kDefaultNan : static_cast<T>(bits | Traits<T>::kQuietBit);
}

/// Picks the NaN result of two operands: signalling before quiet, first before second. Call only if one is a NaN.
/// @spec J1.3 FPProcessNaNs
template <Format T>
T process_nans(const Unpacked& ua, const Unpacked& ub, T a, T b, FpEnv& env) {
  if (ua.kind == Kind::kSignallingNan) return process_nan(ua.kind, a, env);
  if (ub.kind == Kind::kSignallingNan) return process_nan(ub.kind, b, env);
  return ua.nan() ? process_nan(ua.kind, a, env) : process_nan(ub.kind, b, env);
}

/// Returns the default NaN and raises Invalid Operation.
template <Format T>
T invalid(FpEnv& env) {
  env.raise(kFpsrIoc);
  return Traits<T>::kDefaultNan;
}

/// Shifts right and keeps "something was lost" in bit 0, so that later rounding sees the same side of every boundary.
constexpr u128 shift_right_jam(u128 value, int count) {
  if (count <= 0) return value;
  if (count > 127) return value != 0 ? 1 : 0;
  const u128 lost = value & ((u128{1} << count) - 1);
  return (value >> count) | (lost != 0 ? 1 : 0);
}

constexpr int width_of(u128 value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  return high != 0 ? 64 + static_cast<int>(std::bit_width(high))
                   : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value)));
}

/// Says whether cutting `shift` low bits off a magnitude rounds it up. @param magnitude before the cut
constexpr bool rounds_up(u128 magnitude, int shift, bool sign, Rounding mode) {
  if (shift <= 0) return false;
  const u128 rest = magnitude & ((u128{1} << shift) - 1);
  const u128 half = u128{1} << (shift - 1);
  switch (mode) {
    case Rounding::kTieEven:
      return rest > half || (rest == half && ((magnitude >> shift) & 1) != 0);
    case Rounding::kTieAway:
      return rest >= half;
    case Rounding::kPlusInfinity:
      return rest != 0 && !sign;
    case Rounding::kMinusInfinity:
      return rest != 0 && sign;
    default:
      return false;
  }
}

/// Says what an overflow becomes: infinity, or else the largest normal number.
constexpr bool overflows_to_infinity(bool sign, Rounding mode) {
  switch (mode) {
    case Rounding::kTieEven:
    case Rounding::kTieAway:
      return true;
    case Rounding::kPlusInfinity:
      return !sign;
    case Rounding::kMinusInfinity:
      return sign;
    default:
      return false;
  }
}

/// Rounds mantissa * 2^exponent (mantissa nonzero, bit 0 may be a sticky bit far below the result's precision) to the
/// format. Tininess is detected before rounding; a result that is tiny under flush-to-zero raises Underflow alone.
/// @spec J1.3 FPRoundBase, FPRound, FPRoundCV
template <Format T>
T round_pack(bool sign, int exponent, u128 mantissa, FpEnv& env, Rounding mode,
             Purpose purpose = Purpose::kArithmetic) {
  using F = Traits<T>;
  const int top = exponent + width_of(mantissa) - 1;
  const bool flush =
      F::kBits == 16 ? (purpose == Purpose::kArithmetic && (env.fpcr & kFpcrFz16)) : (env.fpcr & kFpcrFz) != 0;
  if (flush && top < F::kMinExponent) {
    env.raise(kFpsrUfc);
    return with_sign<T>(sign, 0);
  }
  int biased = std::max(top - F::kMinExponent + 1, 0);
  int shift = std::max(top, F::kMinExponent) - F::kFractionBits - exponent;
  if (shift > 120) {
    mantissa = shift_right_jam(mantissa, shift - 120);
    shift = 120;
  }
  auto kept = static_cast<std::uint64_t>(shift <= 0 ? mantissa << -shift : mantissa >> shift);
  bool inexact = shift > 0 && (mantissa & ((u128{1} << shift) - 1)) != 0;
  if (biased == 0 && inexact) env.raise(kFpsrUfc);
  if (rounds_up(mantissa, shift, sign, mode)) {
    ++kept;
    if (kept == std::uint64_t{1} << F::kFractionBits) biased = 1;
    if (kept == std::uint64_t{1} << (F::kFractionBits + 1)) {
      ++biased;
      kept >>= 1;
    }
  }
  if (inexact && mode == Rounding::kOdd) kept |= 1;

  T result = 0;
  const bool alternative = F::kBits == 16 && purpose == Purpose::kConversion && (env.fpcr & kFpcrAhp);
  if (alternative && biased > F::kMaxBiased) {
    env.raise(kFpsrIoc);
    return with_sign<T>(sign, static_cast<T>(F::kSign - 1));
  }
  if (!alternative && biased >= F::kMaxBiased) {
    env.raise(kFpsrOfc);
    inexact = true;
    result = overflows_to_infinity(sign, mode) ? F::kInfinity : F::kMaxNormal;
  } else {
    result = static_cast<T>((static_cast<std::uint64_t>(biased) << F::kFractionBits) | (kept & F::kFractionMask));
  }
  if (inexact) env.raise(kFpsrIxc);
  return with_sign<T>(sign, result);
}

}  // namespace dpusim::cpu::fp
