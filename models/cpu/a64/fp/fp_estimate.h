// Reciprocal and reciprocal square root estimates.
#pragma once

#include <cstdint>

#include "cpu/a64/fp/fp_env.h"
#include "cpu/a64/fp/fp_format.h"

namespace dpusim::cpu::fp {

/// FRECPE: 8-bit estimate of 1/x. @spec J1.3 FPRecipEstimate, RecipEstimate
template <Format T>
T recip_estimate(T bits, FpEnv& env);
/// FRSQRTE: 8-bit estimate of 1/sqrt(x). @spec J1.3 FPRSqrtEstimate, RecipSqrtEstimate
template <Format T>
T rsqrt_estimate(T bits, FpEnv& env);
/// FRECPX: power of two near 1/x, exponent complemented. @spec J1.3 FPRecpX
template <Format T>
T recip_exponent(T bits, FpEnv& env);
/// URECPE, URSQRTE: the same estimates on 0.32 fixed point. @spec J1.3 UnsignedRecipEstimate, UnsignedRSqrtEstimate
std::uint32_t unsigned_recip_estimate(std::uint32_t bits);
std::uint32_t unsigned_rsqrt_estimate(std::uint32_t bits);

}  // namespace dpusim::cpu::fp
