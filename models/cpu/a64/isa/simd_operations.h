// The integer SIMD operations as function objects over one element: what vector, scalar and by-element forms have in
// common.
//
// Elements are unsigned; forms: apply(a, b), apply(d, a, b) for those that accumulate, and a last Saturation& for those
// that can saturate.
#pragma once

#include <algorithm>
#include <bit>

#include "cpu/a64/isa/simd_lanes.h"

namespace dpusim::cpu::simd {

struct AluOperation {
  static constexpr Cost cost = Cost::kVectorAlu;
};
struct MultiplyOperation {
  static constexpr Cost cost = Cost::kVectorMultiply;
};
struct ShiftOperation {
  static constexpr Cost cost = Cost::kVectorShift;
};

template <class T>
constexpr T all_ones_if(bool on) {
  return on ? static_cast<T>(~T{0}) : T{0};
}
/// Orders two elements as signed or unsigned numbers.
template <bool kUnsigned, class T>
constexpr bool less(T a, T b) {
  if constexpr (kUnsigned)
    return a < b;
  else
    return as_signed(a) < as_signed(b);
}

struct Add : AluOperation {
  static constexpr const char* text = "add (vector)";
  template <class T>
  static constexpr T apply(T a, T b) {
    return static_cast<T>(a + b);
  }
};
struct Sub : AluOperation {
  static constexpr const char* text = "sub (vector)";
  template <class T>
  static constexpr T apply(T a, T b) {
    return static_cast<T>(a - b);
  }
};
struct Mul : MultiplyOperation {
  static constexpr const char* text = "mul (vector)";
  template <class T>
  static constexpr T apply(T a, T b) {
    return static_cast<T>(std::uint64_t{a} * b);
  }
};
struct Mla : MultiplyOperation {
  static constexpr const char* text = "mla";
  template <class T>
  static constexpr T apply(T d, T a, T b) {
    return static_cast<T>(d + std::uint64_t{a} * b);
  }
};
struct Mls : MultiplyOperation {
  static constexpr const char* text = "mls";
  template <class T>
  static constexpr T apply(T d, T a, T b) {
    return static_cast<T>(d - std::uint64_t{a} * b);
  }
};
/// Multiplication of polynomials over {0, 1}, low half. @spec J1.3 PolynomialMult
struct Pmul : MultiplyOperation {
  static constexpr const char* text = "pmul";
  template <class T>
  static constexpr T apply(T a, T b) {
    T result = 0;
    for (unsigned i = 0; i < 8 * sizeof(T); ++i)
      if ((b >> i & 1) != 0) result = static_cast<T>(result ^ static_cast<T>(a << i));
    return result;
  }
};
struct Cmeq : AluOperation {
  static constexpr const char* text = "cmeq";
  template <class T>
  static constexpr T apply(T a, T b) {
    return all_ones_if<T>(a == b);
  }
};
struct Cmtst : AluOperation {
  static constexpr const char* text = "cmtst";
  template <class T>
  static constexpr T apply(T a, T b) {
    return all_ones_if<T>((a & b) != 0);
  }
};
/// CMGT, CMHI.
template <bool kUnsigned>
struct Cmgt : AluOperation {
  static constexpr const char* text = kUnsigned ? "cmhi" : "cmgt";
  template <class T>
  static constexpr T apply(T a, T b) {
    return all_ones_if<T>(less<kUnsigned>(b, a));
  }
};
/// CMGE, CMHS.
template <bool kUnsigned>
struct Cmge : AluOperation {
  static constexpr const char* text = kUnsigned ? "cmhs" : "cmge";
  template <class T>
  static constexpr T apply(T a, T b) {
    return all_ones_if<T>(!less<kUnsigned>(a, b));
  }
};
template <bool kUnsigned>
struct Max : AluOperation {
  static constexpr const char* text = kUnsigned ? "umax" : "smax";
  template <class T>
  static constexpr T apply(T a, T b) {
    return less<kUnsigned>(a, b) ? b : a;
  }
};
template <bool kUnsigned>
struct Min : AluOperation {
  static constexpr const char* text = kUnsigned ? "umin" : "smin";
  template <class T>
  static constexpr T apply(T a, T b) {
    return less<kUnsigned>(a, b) ? a : b;
  }
};
/// SABD, UABD.
template <bool kUnsigned>
struct AbsDiff : AluOperation {
  static constexpr const char* text = kUnsigned ? "uabd" : "sabd";
  template <class T>
  static constexpr T apply(T a, T b) {
    return static_cast<T>(less<kUnsigned>(a, b) ? b - a : a - b);
  }
};
/// SABA, UABA.
template <bool kUnsigned>
struct AbsDiffAccumulate : AluOperation {
  static constexpr const char* text = kUnsigned ? "uaba" : "saba";
  template <class T>
  static constexpr T apply(T d, T a, T b) {
    return static_cast<T>(d + AbsDiff<kUnsigned>::apply(a, b));
  }
};
/// SHADD, UHADD, SRHADD, URHADD, SHSUB, UHSUB: the sum or difference at full width, halved.
template <bool kUnsigned, bool kSubtract, bool kRound>
struct Halve : AluOperation {
  static constexpr const char* text = kSubtract ? "hsub" : "hadd";
  template <class T>
  static constexpr T apply(T a, T b) {
    if constexpr (sizeof(T) < 8) {
      using Sum = std::int64_t;  // holds any sum or difference of two 32-bit elements
      const Sum x = kUnsigned ? Sum{a} : Sum{as_signed(a)}, y = kUnsigned ? Sum{b} : Sum{as_signed(b)};
      return static_cast<T>((kSubtract ? x - y : x + y + kRound) >> 1);
    } else {
      return 0;  // there is no 64-bit form
    }
  }
};
/// SQADD, UQADD, SQSUB, UQSUB.
template <bool kUnsigned, bool kSubtract>
struct SaturatingAdd : AluOperation {
  static constexpr const char* text = kSubtract ? "qsub" : "qadd";
  template <class T>
  static constexpr T apply(T a, T b, Saturation& q) {
    const Int128 x = number<kUnsigned>(a), y = number<kUnsigned>(b);
    return saturate<T, kUnsigned>(kSubtract ? x - y : x + y, q);
  }
};
/// SQDMULH, SQRDMULH: the high half of the doubled product.
template <bool kRound>
struct DoublingHigh : MultiplyOperation {
  static constexpr const char* text = kRound ? "sqrdmulh" : "sqdmulh";
  template <class T>
  static constexpr T apply(T a, T b, Saturation& q) {
    constexpr int kBits = static_cast<int>(sizeof(T)) * 8;
    const Int128 product = 2 * number<false>(a) * number<false>(b) + (kRound ? Int128{1} << (kBits - 1) : 0);
    return saturate<T, false>(product >> kBits, q);
  }
};
/// SQRDMLAH, SQRDMLSH: accumulate before the high half is taken.
template <bool kSubtract>
struct DoublingHighAccumulate : MultiplyOperation {
  static constexpr const char* text = kSubtract ? "sqrdmlsh" : "sqrdmlah";
  template <class T>
  static constexpr T apply(T d, T a, T b, Saturation& q) {
    constexpr int kBits = static_cast<int>(sizeof(T)) * 8;
    const Int128 product = 2 * number<false>(a) * number<false>(b);
    const Int128 sum =
        (number<false>(d) * (Int128{1} << kBits)) + (kSubtract ? -product : product) + (Int128{1} << (kBits - 1));
    return saturate<T, false>(sum >> kBits, q);
  }
};

/// Shifts left by `shift`, or right if it is negative, at unlimited precision. @spec C7.2 SSHL, SRSHL, SQSHL, SQRSHL
template <bool kRound>
constexpr Int128 shift_exactly(Int128 value, int shift) {
  // A 64-bit element leaves 128 bits only for shifts that no element size keeps anything of; where they stop does not
  // matter.
  if (shift >= 0)
    return shift >= 64 ? (value == 0  ? 0
                          : value > 0 ? Int128{1} << 126
                                      : -(Int128{1} << 126))
                       : value * (Int128{1} << shift);
  const int right = -shift;
  if (right > 65) return kRound ? 0 : value < 0 ? -1 : 0;
  return (value + (kRound ? Int128{1} << (right - 1) : 0)) >> right;
}
/// SSHL, USHL, SRSHL, URSHL: by the signed lowest octet of each element.
template <bool kUnsigned, bool kRound>
struct ShiftByRegister : ShiftOperation {
  static constexpr const char* text = kUnsigned ? "ushl" : "sshl";
  template <class T>
  static constexpr T apply(T a, T b) {
    return static_cast<T>(shift_exactly<kRound>(number<kUnsigned>(a), static_cast<std::int8_t>(b)));
  }
};
/// SQSHL, UQSHL, SQRSHL, UQRSHL.
template <bool kUnsigned, bool kRound>
struct SaturatingShiftByRegister : ShiftOperation {
  static constexpr const char* text = kUnsigned ? "uqshl" : "sqshl";
  template <class T>
  static constexpr T apply(T a, T b, Saturation& q) {
    return saturate<T, kUnsigned>(shift_exactly<kRound>(number<kUnsigned>(a), static_cast<std::int8_t>(b)), q);
  }
};

// --- One operand ---

struct Neg : AluOperation {
  static constexpr const char* text = "neg (vector)";
  template <class T>
  static constexpr T apply(T a) {
    return static_cast<T>(T{0} - a);
  }
};
struct Abs : AluOperation {
  static constexpr const char* text = "abs";
  template <class T>
  static constexpr T apply(T a) {
    return as_signed(a) < 0 ? static_cast<T>(T{0} - a) : a;
  }
};
struct SaturatingNeg : AluOperation {
  static constexpr const char* text = "sqneg";
  template <class T>
  static constexpr T apply(T a, Saturation& q) {
    return saturate<T, false>(-number<false>(a), q);
  }
};
struct SaturatingAbs : AluOperation {
  static constexpr const char* text = "sqabs";
  template <class T>
  static constexpr T apply(T a, Saturation& q) {
    return saturate<T, false>(as_signed(a) < 0 ? -number<false>(a) : number<false>(a), q);
  }
};
/// SUQADD (signed result of an unsigned addend), USQADD (the reverse): d plus a.
template <bool kUnsigned>
struct MixedSaturatingAdd : AluOperation {
  static constexpr const char* text = kUnsigned ? "usqadd" : "suqadd";
  template <class T>
  static constexpr T apply(T d, T a, Saturation& q) {
    return saturate<T, kUnsigned>(number<kUnsigned>(d) + number<!kUnsigned>(a), q);
  }
};
struct Clz : AluOperation {
  static constexpr const char* text = "clz (vector)";
  template <class T>
  static constexpr T apply(T a) {
    return static_cast<T>(std::countl_zero(a));
  }
};
struct Cls : AluOperation {
  static constexpr const char* text = "cls (vector)";
  template <class T>
  static constexpr T apply(T a) {
    return static_cast<T>(std::countl_zero(static_cast<T>((a ^ (a << 1)) | 1)));
  }
};
struct Cnt : AluOperation {
  static constexpr const char* text = "cnt";
  template <class T>
  static constexpr T apply(T a) {
    return static_cast<T>(std::popcount(a));
  }
};
struct Not : AluOperation {
  static constexpr const char* text = "not";
  template <class T>
  static constexpr T apply(T a) {
    return static_cast<T>(~a);
  }
};
struct Rbit : AluOperation {
  static constexpr const char* text = "rbit (vector)";
  template <class T>
  static constexpr T apply(T a) {
    T result = 0;
    for (unsigned i = 0; i < 8 * sizeof(T); ++i) result = static_cast<T>(result << 1 | (a >> i & 1));
    return result;
  }
};
/// CMxx (zero).
template <class Comparison, bool kSwap = false>
struct CompareZero : AluOperation {
  static constexpr const char* text = Comparison::text;
  template <class T>
  static constexpr T apply(T a) {
    return kSwap ? Comparison::apply(T{0}, a) : Comparison::apply(a, T{0});
  }
};

}  // namespace dpusim::cpu::simd
