#include "cpu/a64/fp/fp_arith.h"

#include <utility>

#include "cpu/a64/fp/fp_unpack.h"

namespace dpusim::cpu::fp {
namespace {

// A magnitude aligned so that its leading one is bit 126: room for one carry above, and for the sticky bit below.
struct Wide {
  bool sign;
  int exponent;
  u128 mantissa;
};

Wide widen(bool sign, int exponent, u128 mantissa) {
  const int up = 127 - width_of(mantissa);
  return {sign, exponent - up, mantissa << up};
}

// Adds two nonzero numbers exactly but for a sticky bit. Bits are lost only where exponents differ by more than 21 (a
// 106-bit product is the longest operand), and then the sum keeps at least 125 bits, so bit 0 is far below any format's
// precision.
template <Format T>
T add_wide(Wide a, Wide b, FpEnv& env, int scale = 0) {
  if (a.exponent < b.exponent) std::swap(a, b);
  b.mantissa = shift_right_jam(b.mantissa, a.exponent - b.exponent);
  const int exponent = a.exponent + scale;
  if (a.sign == b.sign) return round_pack<T>(a.sign, exponent, a.mantissa + b.mantissa, env, env.rounding());
  if (a.mantissa == b.mantissa) return with_sign<T>(env.rounding() == Rounding::kMinusInfinity, 0);
  if (a.mantissa > b.mantissa) return round_pack<T>(a.sign, exponent, a.mantissa - b.mantissa, env, env.rounding());
  return round_pack<T>(b.sign, exponent, b.mantissa - a.mantissa, env, env.rounding());
}

Wide widen(const Unpacked& u) { return widen(u.sign, u.exponent, u.mantissa); }
Wide product(const Unpacked& a, const Unpacked& b) {
  return widen(a.sign != b.sign, a.exponent + b.exponent, u128{a.mantissa} * b.mantissa);
}

template <Format T>
T zero_sum(bool sign_a, bool sign_b, FpEnv& env) {
  return with_sign<T>(sign_a == sign_b ? sign_a : env.rounding() == Rounding::kMinusInfinity, 0);
}

// Rounds a number that came out of the format itself: exact, but a flushed input has become zero.
template <Format T>
T repack(const Unpacked& u, FpEnv& env) {
  if (u.infinity()) return with_sign<T>(u.sign, Traits<T>::kInfinity);
  if (u.zero()) return with_sign<T>(u.sign, 0);
  return round_pack<T>(u.sign, u.exponent, u.mantissa, env, env.rounding());
}

// Orders two numbers that are no NaN; -0 equals +0.
bool greater(const Unpacked& a, const Unpacked& b) {
  if (a.zero() && b.zero()) return false;
  if (a.zero()) return b.sign;
  if (b.zero()) return !a.sign;
  if (a.sign != b.sign) return b.sign;
  const int top_a = a.infinity() ? 1 << 20 : a.exponent + static_cast<int>(std::bit_width(a.mantissa));
  const int top_b = b.infinity() ? 1 << 20 : b.exponent + static_cast<int>(std::bit_width(b.mantissa));
  if (top_a != top_b) return (top_a > top_b) != a.sign;
  if (a.infinity()) return false;
  const Wide wa = widen(a), wb = widen(b);
  return wa.mantissa != wb.mantissa && (wa.mantissa > wb.mantissa) != a.sign;
}

template <Format T>
T select(T a, T b, FpEnv& env, bool largest) {
  const Unpacked ua = unpack(a, env), ub = unpack(b, env);
  if (ua.nan() || ub.nan()) return process_nans(ua, ub, a, b, env);
  const bool first = largest ? greater(ua, ub) : greater(ub, ua);
  Unpacked chosen = first ? ua : ub;
  if (chosen.zero()) chosen.sign = largest ? ua.sign && ub.sign : ua.sign || ub.sign;
  return repack<T>(chosen, env);
}

template <Format T>
T select_number(T a, T b, FpEnv& env, bool largest) {
  const Unpacked ua = unpack(a, env), ub = unpack(b, env);
  const T neutral = with_sign<T>(largest, Traits<T>::kInfinity);
  if (ua.kind == Kind::kQuietNan && ub.kind != Kind::kQuietNan) a = neutral;
  if (ub.kind == Kind::kQuietNan && ua.kind != Kind::kQuietNan) b = neutral;
  return select(a, b, env, largest);
}

// a * b with infinity times zero as the caller wants it.
template <Format T, class OnInvalid>
T multiply(T a, T b, FpEnv& env, OnInvalid on_invalid) {
  const Unpacked ua = unpack(a, env), ub = unpack(b, env);
  if (ua.nan() || ub.nan()) return process_nans(ua, ub, a, b, env);
  const bool sign = ua.sign != ub.sign;
  if ((ua.infinity() && ub.zero()) || (ua.zero() && ub.infinity())) return on_invalid(sign);
  if (ua.infinity() || ub.infinity()) return with_sign<T>(sign, Traits<T>::kInfinity);
  if (ua.zero() || ub.zero()) return with_sign<T>(sign, 0);
  return round_pack<T>(sign, ua.exponent + ub.exponent, u128{ua.mantissa} * ub.mantissa, env, env.rounding());
}

// (constant - a * b) * 2^scale, the common part of the two Newton steps.
template <Format T>
T newton_step(T a, T b, FpEnv& env, unsigned constant, int scale, T on_infinity_times_zero) {
  a = negate(a);
  const Unpacked ua = unpack(a, env), ub = unpack(b, env);
  if (ua.nan() || ub.nan()) return process_nans(ua, ub, a, b, env);
  if ((ua.infinity() && ub.zero()) || (ua.zero() && ub.infinity())) return on_infinity_times_zero;
  if (ua.infinity() || ub.infinity()) return with_sign<T>(ua.sign != ub.sign, Traits<T>::kInfinity);
  const Wide c = widen(false, 0, constant);
  if (ua.zero() || ub.zero()) return round_pack<T>(false, c.exponent + scale, c.mantissa, env, env.rounding());
  return add_wide<T>(c, product(ua, ub), env, scale);
}

// Integer square root by digits; the caller's radicand has at most 128 bits.
std::uint64_t integer_sqrt(u128 radicand, bool& exact) {
  std::uint64_t root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const std::uint64_t trial = root | (std::uint64_t{1} << bit);
    if (u128{trial} * trial <= radicand) root = trial;
  }
  exact = u128{root} * root == radicand;
  return root;
}

}  // namespace

namespace exact {

template <Format T>
T add(T a, T b, FpEnv& env) {
  const Unpacked ua = unpack(a, env), ub = unpack(b, env);
  if (ua.nan() || ub.nan()) return process_nans(ua, ub, a, b, env);
  if (ua.infinity() && ub.infinity() && ua.sign != ub.sign) return invalid<T>(env);
  if (ua.infinity() || ub.infinity()) return with_sign<T>(ua.infinity() ? ua.sign : ub.sign, Traits<T>::kInfinity);
  if (ua.zero() && ub.zero()) return zero_sum<T>(ua.sign, ub.sign, env);
  if (ua.zero()) return repack<T>(ub, env);
  if (ub.zero()) return repack<T>(ua, env);
  return add_wide<T>(widen(ua), widen(ub), env);
}

template <Format T>
T sub(T a, T b, FpEnv& env) {
  // A NaN keeps its sign, so only numbers are negated.
  const bool nan = absolute(b) > Traits<T>::kInfinity;
  return exact::add(a, nan ? b : negate(b), env);
}

template <Format T>
T mul(T a, T b, FpEnv& env) {
  return multiply(a, b, env, [&](bool) { return invalid<T>(env); });
}

template <Format T>
T div(T a, T b, FpEnv& env) {
  const Unpacked ua = unpack(a, env), ub = unpack(b, env);
  if (ua.nan() || ub.nan()) return process_nans(ua, ub, a, b, env);
  const bool sign = ua.sign != ub.sign;
  if ((ua.infinity() && ub.infinity()) || (ua.zero() && ub.zero())) return invalid<T>(env);
  if (ua.infinity() || ub.zero()) {
    if (!ua.infinity()) env.raise(kFpsrDzc);
    return with_sign<T>(sign, Traits<T>::kInfinity);
  }
  if (ua.zero() || ub.infinity()) return with_sign<T>(sign, 0);
  // A 127-bit dividend over at most 53 bits leaves at least 74 quotient bits.
  const Wide dividend = widen(ua);
  const u128 quotient = dividend.mantissa / ub.mantissa;
  const bool rest = dividend.mantissa % ub.mantissa != 0;
  return round_pack<T>(sign, dividend.exponent - ub.exponent, quotient | (rest ? 1 : 0), env, env.rounding());
}

template <Format T>
T sqrt(T a, FpEnv& env) {
  const Unpacked u = unpack(a, env);
  if (u.nan()) return process_nan(u.kind, a, env);
  if (u.zero()) return with_sign<T>(u.sign, 0);
  if (u.sign) return invalid<T>(env);
  if (u.infinity()) return Traits<T>::kInfinity;
  Wide w = widen(u);
  if (w.exponent & 1) {
    w.mantissa >>= 1;  // exact: a mantissa of 53 bits leaves 74 zeros below
    ++w.exponent;
  }
  bool whole = false;
  const std::uint64_t root = integer_sqrt(w.mantissa, whole);
  return round_pack<T>(false, w.exponent / 2, root | (whole ? 0 : 1), env, env.rounding());
}

template <Format T>
T mul_add(T addend, T a, T b, FpEnv& env) {
  const Unpacked uc = unpack(addend, env), ua = unpack(a, env), ub = unpack(b, env);
  const bool bad_product = (ua.infinity() && ub.zero()) || (ua.zero() && ub.infinity());
  if (uc.nan() || ua.nan() || ub.nan()) {
    if (uc.kind == Kind::kQuietNan && bad_product) return invalid<T>(env);
    if (uc.kind == Kind::kSignallingNan) return process_nan(uc.kind, addend, env);
    if (ua.kind == Kind::kSignallingNan) return process_nan(ua.kind, a, env);
    if (ub.kind == Kind::kSignallingNan) return process_nan(ub.kind, b, env);
    return uc.nan() ? process_nan(uc.kind, addend, env) : process_nans(ua, ub, a, b, env);
  }
  const bool sign = ua.sign != ub.sign;
  const bool product_infinite = ua.infinity() || ub.infinity();
  if (bad_product || (uc.infinity() && product_infinite && uc.sign != sign)) return invalid<T>(env);
  if (uc.infinity() || product_infinite) return with_sign<T>(uc.infinity() ? uc.sign : sign, Traits<T>::kInfinity);
  const bool product_zero = ua.zero() || ub.zero();
  if (uc.zero() && product_zero) return zero_sum<T>(uc.sign, sign, env);
  if (product_zero) return repack<T>(uc, env);
  if (uc.zero())
    return round_pack<T>(sign, ua.exponent + ub.exponent, u128{ua.mantissa} * ub.mantissa, env, env.rounding());
  return add_wide<T>(widen(uc), product(ua, ub), env);
}

}  // namespace exact

template <Format T>
T mulx(T a, T b, FpEnv& env) {
  return multiply(a, b, env, [](bool sign) { return with_sign<T>(sign, Traits<T>::kTwo); });
}
template <Format T>
T max(T a, T b, FpEnv& env) {
  return select(a, b, env, true);
}
template <Format T>
T min(T a, T b, FpEnv& env) {
  return select(a, b, env, false);
}
template <Format T>
T max_number(T a, T b, FpEnv& env) {
  return select_number(a, b, env, true);
}
template <Format T>
T min_number(T a, T b, FpEnv& env) {
  return select_number(a, b, env, false);
}
template <Format T>
T recip_step(T a, T b, FpEnv& env) {
  return newton_step<T>(a, b, env, 2, 0, Traits<T>::kTwo);
}
template <Format T>
T rsqrt_step(T a, T b, FpEnv& env) {
  return newton_step<T>(a, b, env, 3, -1, Traits<T>::kOnePointFive);
}

#define DPUSIM_INSTANTIATE(T)                    \
  template T exact::add<T>(T, T, FpEnv&);        \
  template T exact::sub<T>(T, T, FpEnv&);        \
  template T exact::mul<T>(T, T, FpEnv&);        \
  template T exact::div<T>(T, T, FpEnv&);        \
  template T exact::sqrt<T>(T, FpEnv&);          \
  template T exact::mul_add<T>(T, T, T, FpEnv&); \
  template T mulx<T>(T, T, FpEnv&);              \
  template T max<T>(T, T, FpEnv&);               \
  template T min<T>(T, T, FpEnv&);               \
  template T max_number<T>(T, T, FpEnv&);        \
  template T min_number<T>(T, T, FpEnv&);        \
  template T recip_step<T>(T, T, FpEnv&);        \
  template T rsqrt_step<T>(T, T, FpEnv&);
DPUSIM_INSTANTIATE(std::uint16_t)
DPUSIM_INSTANTIATE(std::uint32_t)
DPUSIM_INSTANTIATE(std::uint64_t)
#undef DPUSIM_INSTANTIATE

}  // namespace dpusim::cpu::fp
