// Floating-point arithmetic of A64, bit-exact, for T = uint16_t (half), uint32_t (single), uint64_t (double).
#pragma once

#include "cpu/a64/fp/fp_env.h"
#include "cpu/a64/fp/fp_fast.h"
#include "cpu/a64/fp/fp_format.h"

namespace dpusim::cpu::fp {

/// Exact integer implementations: every rounding mode, flush-to-zero, NaN rule and cumulative flag.
/// @spec DDI 0487 J1.3 FPAdd, FPSub, FPMul, FPMulX, FPDiv, FPSqrt, FPMulAdd
namespace exact {
template <Format T>
T add(T a, T b, FpEnv& env);
template <Format T>
T sub(T a, T b, FpEnv& env);
template <Format T>
T mul(T a, T b, FpEnv& env);
template <Format T>
T div(T a, T b, FpEnv& env);
template <Format T>
T sqrt(T a, FpEnv& env);
/// Returns addend + a * b with one rounding.
template <Format T>
T mul_add(T addend, T a, T b, FpEnv& env);
}  // namespace exact

/// The same operations, taking the host's arithmetic where it provably gives the same result and flags.
template <Format T>
T add(T a, T b, FpEnv& env) {
  T result;
  return fast::add(a, b, env, result) ? result : exact::add(a, b, env);
}
template <Format T>
T sub(T a, T b, FpEnv& env) {
  T result;
  return fast::sub(a, b, env, result) ? result : exact::sub(a, b, env);
}
template <Format T>
T mul(T a, T b, FpEnv& env) {
  T result;
  return fast::mul(a, b, env, result) ? result : exact::mul(a, b, env);
}
template <Format T>
T div(T a, T b, FpEnv& env) {
  T result;
  return fast::div(a, b, env, result) ? result : exact::div(a, b, env);
}
template <Format T>
T sqrt(T a, FpEnv& env) {
  T result;
  return fast::sqrt(a, env, result) ? result : exact::sqrt(a, env);
}
template <Format T>
T mul_add(T addend, T a, T b, FpEnv& env) {
  T result;
  return fast::mul_add(addend, a, b, env, result) ? result : exact::mul_add(addend, a, b, env);
}

/// FMULX: infinity times zero is 2.0 with the product's sign. @spec J1.3 FPMulX
template <Format T>
T mulx(T a, T b, FpEnv& env);
/// FABD: |a - b|; the sign of a NaN result is cleared too.
template <Format T>
T abs_diff(T a, T b, FpEnv& env) {
  return absolute(sub(a, b, env));
}

/// FMAX, FMIN: a NaN operand gives a NaN. @spec J1.3 FPMax, FPMin
template <Format T>
T max(T a, T b, FpEnv& env);
template <Format T>
T min(T a, T b, FpEnv& env);
/// FMAXNM, FMINNM: a number wins against a quiet NaN. @spec J1.3 FPMaxNum, FPMinNum
template <Format T>
T max_number(T a, T b, FpEnv& env);
template <Format T>
T min_number(T a, T b, FpEnv& env);

/// FRECPS: 2 - a * b, fused. @spec J1.3 FPRecipStepFused
template <Format T>
T recip_step(T a, T b, FpEnv& env);
/// FRSQRTS: (3 - a * b) / 2, fused. @spec J1.3 FPRSqrtStepFused
template <Format T>
T rsqrt_step(T a, T b, FpEnv& env);

}  // namespace dpusim::cpu::fp
