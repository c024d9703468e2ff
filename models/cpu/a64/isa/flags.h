// NZCV, kept as the values that decide each flag: producers store, consumers test, nobody packs on the way.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cpu/a64/isa/wide.h"

namespace dpusim::cpu {

/// The condition flags. N is the sign of `n`, Z is `z` == 0, so a result is stored twice and nothing is computed.
struct Flags {
  std::int64_t n = 0;
  std::uint64_t z = 1;
  std::uint8_t c = 0, v = 0;

  /// Sets all from bits N, Z, C, V = 3..0.
  void set_nzcv(unsigned bits) {
    n = (bits & 8) != 0 ? -1 : 0;
    z = (bits & 4) == 0;
    c = (bits >> 1) & 1;
    v = bits & 1;
  }
  /// Returns N, Z, C, V as bits 3..0.
  [[nodiscard]] unsigned nzcv() const {
    return (n < 0 ? 8u : 0u) | (z == 0 ? 4u : 0u) | (static_cast<unsigned>(c) << 1) | v;
  }
  /// Sets N and Z from a result of 32 or 64 bits.
  template <class T>
  void set_nz(T result) {
    n = static_cast<std::make_signed_t<T>>(result);
    z = result;
  }
  /// Tells whether condition `cond` (0..15, as encoded) holds. @spec Arm ARM C1.2.4
  [[nodiscard, gnu::always_inline]] inline bool holds(unsigned cond) const {
    bool result = true;
    switch (cond >> 1) {
      case 0:
        result = z == 0;
        break;
      case 1:
        result = c != 0;
        break;
      case 2:
        result = n < 0;
        break;
      case 3:
        result = v != 0;
        break;
      case 4:
        result = c != 0 && z != 0;
        break;
      case 5:
        result = (n < 0) == (v != 0);
        break;
      case 6:
        result = (n < 0) == (v != 0) && z != 0;
        break;
      default:
        return true;  // AL and NV
    }
    return (cond & 1) != 0 ? !result : result;
  }
};

/// Adds and sets the flags. @spec AddWithCarry, Arm ARM J1
template <class T>
inline T add_with_flags(Flags& f, T a, T b) {
  const T result = static_cast<T>(a + b);
  f.set_nz(result);
  f.c = result < a;
  f.v = static_cast<std::uint8_t>(((a ^ result) & (b ^ result)) >> (8 * sizeof(T) - 1));
  return result;
}
template <class T>
inline T subtract_with_flags(Flags& f, T a, T b) {
  const T result = static_cast<T>(a - b);
  f.set_nz(result);
  f.c = a >= b;
  f.v = static_cast<std::uint8_t>(((a ^ b) & (a ^ result)) >> (8 * sizeof(T) - 1));
  return result;
}
template <class T>
inline T add_carry_with_flags(Flags& f, T a, T b) {
  const UInt128 wide = static_cast<UInt128>(a) + b + f.c;
  const T result = static_cast<T>(wide);
  f.set_nz(result);
  f.c = static_cast<std::uint8_t>(wide >> (8 * sizeof(T))) & 1;
  f.v = static_cast<std::uint8_t>(((a ^ result) & (b ^ result)) >> (8 * sizeof(T) - 1));
  return result;
}
template <class T>
inline void logical_flags(Flags& f, T result) {
  f.set_nz(result);
  f.c = 0;
  f.v = 0;
}

}  // namespace dpusim::cpu
