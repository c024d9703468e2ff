// Floating-point comparison, for T = uint16_t, uint32_t, uint64_t.
#pragma once

#include <cstdint>

#include "cpu/a64/fp/fp_env.h"
#include "cpu/a64/fp/fp_format.h"

namespace dpusim::cpu::fp {

enum class Ordering : std::uint8_t { kLess, kEqual, kGreater, kUnordered };

/// Orders two numbers. @param signal_quiet raise Invalid Operation for quiet NaNs too (FCMPE, FCMGE, FCMGT, FACGE,
/// FACGT); signalling NaNs always do. @spec J1.3 FPCompare, FPCompareEQ, FPCompareGE, FPCompareGT
template <Format T>
Ordering compare(T a, T b, bool signal_quiet, FpEnv& env);

/// Gives the NZCV of a comparison in bits 31..28.
constexpr std::uint32_t nzcv_of(Ordering ordering) {
  switch (ordering) {
    case Ordering::kLess:
      return 0x80000000u;
    case Ordering::kEqual:
      return 0x60000000u;
    case Ordering::kGreater:
      return 0x20000000u;
    default:
      return 0x30000000u;
  }
}

}  // namespace dpusim::cpu::fp
