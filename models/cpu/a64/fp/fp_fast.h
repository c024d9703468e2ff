// Host arithmetic for the common case. Each function either gives exactly what the integer implementation gives, or
// declines.
//
// The argument: rounding is to nearest, flush-to-zero is off, Inexact is set already, and the result is a normal number
// above the smallest one. Then no flag can change (a tiny result cannot round up to more than the smallest normal), no
// NaN or infinity was involved, and IEEE 754 defines the value. Denormal operands are harmless without flush-to-zero.
// The host runs in its default environment (round to nearest, no DAZ/FTZ), which nothing in the simulator changes.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "cpu/a64/fp/fp_env.h"
#include "cpu/a64/fp/fp_format.h"

namespace dpusim::cpu::fp::fast {

template <Format T>
using Host = std::conditional_t<sizeof(T) == 8, double, float>;

/// Says whether the host may be tried at all.
template <Format T>
bool eligible(const FpEnv& env) {
  return sizeof(T) != 2 && (env.fpcr & (kFpcrRModeMask | kFpcrFz)) == 0 && (env.fpsr & kFpsrIxc) != 0;
}

/// Says whether a result proves that nothing special happened: normal, and above the smallest normal number.
template <Format T>
constexpr bool ordinary(T bits) {
  constexpr T kLowest = static_cast<T>(Traits<T>::kMinNormal + 1);
  return static_cast<T>(absolute(bits) - kLowest) < static_cast<T>(Traits<T>::kInfinity - kLowest);
}

template <Format T, class Operation>
bool attempt(const FpEnv& env, T& result, Operation operation) {
  if constexpr (sizeof(T) == 2) {
    return false;
  } else {
    if (!eligible<T>(env)) return false;
    result = std::bit_cast<T>(operation());
    return ordinary(result);
  }
}

template <Format T>
Host<T> host(T bits) {
  if constexpr (sizeof(T) == 2)
    return 0.0f;
  else
    return std::bit_cast<Host<T>>(bits);
}

template <Format T>
bool add(T a, T b, const FpEnv& env, T& result) {
  return attempt(env, result, [=] { return host(a) + host(b); });
}
template <Format T>
bool sub(T a, T b, const FpEnv& env, T& result) {
  return attempt(env, result, [=] { return host(a) - host(b); });
}
template <Format T>
bool mul(T a, T b, const FpEnv& env, T& result) {
  return attempt(env, result, [=] { return host(a) * host(b); });
}
template <Format T>
bool div(T a, T b, const FpEnv& env, T& result) {
  return attempt(env, result, [=] { return host(a) / host(b); });
}
template <Format T>
bool sqrt(T a, const FpEnv& env, T& result) {
  return attempt(env, result, [=] { return std::sqrt(host(a)); });
}
template <Format T>
bool mul_add(T addend, T a, T b, const FpEnv& env, T& result) {
  return attempt(env, result, [=] { return std::fma(host(a), host(b), host(addend)); });
}

}  // namespace dpusim::cpu::fp::fast
