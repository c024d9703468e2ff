// Vector registers as arrays of elements, and the ways in which SIMD encodings say which elements.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "cpu/a64/isa/fp_support.h"

namespace dpusim::cpu::simd {

/// A register as elements of unsigned type T, lowest first.
template <class T>
using Lanes = std::array<T, 16 / sizeof(T)>;
template <class T>
inline Lanes<T> lanes(const Vector& v) {
  return std::bit_cast<Lanes<T>>(v.d);
}
template <class T>
inline Vector vector_of(const Lanes<T>& l) {
  return Vector{std::bit_cast<std::array<std::uint64_t, 2>>(l)};
}

template <class T>
using Signed = std::make_signed_t<T>;
template <class T>
constexpr Signed<T> as_signed(T value) {
  return static_cast<Signed<T>>(value);
}
/// The element type of twice the size.
template <class T>
using Wide =
    std::conditional_t<sizeof(T) == 1, std::uint16_t, std::conditional_t<sizeof(T) == 2, std::uint32_t, std::uint64_t>>;
template <class T>
using Narrow =
    std::conditional_t<sizeof(T) == 8, std::uint32_t, std::conditional_t<sizeof(T) == 4, std::uint16_t, std::uint8_t>>;
/// Widens an element by its sign or by zeros.
template <bool kUnsigned, class T>
constexpr Wide<T> extend(T value) {
  if constexpr (kUnsigned)
    return value;
  else
    return static_cast<Wide<T>>(as_signed(value));
}

/// Clears what lies above the lowest `bytes` (16, 8, or a scalar's size) of a result.
inline Vector keep_low(Vector v, int bytes) {
  if (bytes < 16) v.d[1] = 0;
  if (bytes < 8) v.d[0] &= (std::uint64_t{1} << (8 * bytes)) - 1;
  return v;
}

/// Calls f.operator()<T>() with the element type of size code 0..3.
template <class F>
inline void by_size(unsigned size, F&& f) {
  switch (size) {
    case 0:
      f.template operator()<std::uint8_t>();
      break;
    case 1:
      f.template operator()<std::uint16_t>();
      break;
    case 2:
      f.template operator()<std::uint32_t>();
      break;
    default:
      f.template operator()<std::uint64_t>();
      break;
  }
}
/// The same over the size codes in the bit set kSizes; code for other sizes is not even compiled.
template <unsigned kSizes, class F>
inline void by_sizes(unsigned size, F&& f) {
  if constexpr ((kSizes & 1) != 0)
    if (size == 0) return f.template operator()<std::uint8_t>();
  if constexpr ((kSizes & 2) != 0)
    if (size == 1) return f.template operator()<std::uint16_t>();
  if constexpr ((kSizes & 4) != 0)
    if (size == 2) return f.template operator()<std::uint32_t>();
  if constexpr ((kSizes & 8) != 0)
    if (size == 3) return f.template operator()<std::uint64_t>();
}

/// Removes the encodings whose `size` is not in the bit set.
constexpr Pattern allow_sizes(Pattern pattern, unsigned sizes) {
  if (std::has_single_bit(sizes)) return pattern.fix("size", static_cast<unsigned>(std::countr_zero(sizes)));
  for (unsigned s = 0; s < 4; ++s)
    if ((sizes >> s & 1) == 0) pattern = pattern.except("size", s);
  return pattern;
}

/// Remembers whether a saturating operation saturated (FPSR.QC).
struct Saturation {
  bool happened = false;
  template <class M>
  void record(M& m) const {
    if (happened) m.fpsr() |= fp::kFpsrQc;
  }
};

__extension__ typedef __int128 Int128;

/// Saturates to T's range, signed or unsigned. @spec J1.3 SatQ
template <class T, bool kUnsigned>
constexpr T saturate(Int128 value, Saturation& q) {
  constexpr Int128 kOne = 1;
  constexpr int kBits = static_cast<int>(sizeof(T)) * 8;
  constexpr Int128 kHigh = kUnsigned ? (kOne << kBits) - 1 : (kOne << (kBits - 1)) - 1;
  constexpr Int128 kLow = kUnsigned ? 0 : -(kOne << (kBits - 1));
  if (value > kHigh || value < kLow) q.happened = true;
  return static_cast<T>(value > kHigh ? kHigh : value < kLow ? kLow : value);
}
/// An element as a number.
template <bool kUnsigned, class T>
constexpr Int128 number(T value) {
  if constexpr (kUnsigned)
    return Int128{value};
  else
    return Int128{as_signed(value)};
}

/// Common decode of "two registers, size, Q": a = size code, imm = active octets.
struct SimdInstruction : FpInstruction {
  static void take_arrangement(const Fields& f, Op& op) {
    op.a = static_cast<std::uint8_t>(f("size"));
    op.imm = f("Q") != 0 ? 16 : 8;
  }
};

/// Vector or scalar form of an encoding class.
enum class Shape : std::uint8_t { kVector, kScalar };

}  // namespace dpusim::cpu::simd
