// Conversions between floating-point formats, integers and fixed point, and rounding to an integral value.
#pragma once

#include <cstdint>

#include "cpu/a64/fp/fp_env.h"
#include "cpu/a64/fp/fp_format.h"

namespace dpusim::cpu::fp {

/// FCVT, FCVTN, FCVTL, FCVTXN (rounding kOdd): converts between formats; honours FPCR.AHP and ignores FPCR.FZ16.
/// @spec J1.3 FPConvert
template <Format To, Format From>
To convert(From bits, FpEnv& env, Rounding rounding);

/// FRINT*: rounds to an integral value in the same format. @param exact raise Inexact if the value changed (FRINTX)
/// @spec J1.3 FPRoundInt
template <Format T>
T round_integral(T bits, FpEnv& env, Rounding rounding, bool exact);

/// FCVT[NPMZA][SU]: converts to an integer with `fraction_bits` fraction bits, saturating at `width` bits (16, 32 or
/// 64).
/// @return the integer in the low `width` bits, zeros above. @spec J1.3 FPToFixed
template <Format T>
std::uint64_t to_fixed(T bits, FpEnv& env, Rounding rounding, int fraction_bits, bool is_unsigned, int width);

/// SCVTF, UCVTF: converts an integer or fixed-point number. @param value sign- or zero-extended to 64 bits by the
/// caller
/// @spec J1.3 FixedToFP
template <Format T>
T from_fixed(std::uint64_t value, FpEnv& env, Rounding rounding, int fraction_bits, bool is_unsigned);

}  // namespace dpusim::cpu::fp
