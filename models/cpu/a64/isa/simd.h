// All FP and SIMD instructions, as the lists that the decode table is made of.
#pragma once

#include "cpu/a64/isa/fp_integer.h"
#include "cpu/a64/isa/fp_scalar.h"
#include "cpu/a64/isa/simd_fp.h"
#include "cpu/a64/isa/simd_permute.h"
#include "cpu/a64/isa/simd_structures.h"

namespace dpusim::cpu::simd {

/// Scalar floating point.
using FpInstructions =
    Join<FpScalarOf<std::uint16_t>, FpScalarOf<std::uint32_t>, FpScalarOf<std::uint64_t>, FpFormatConversions,
         FpIntegerOf<std::uint32_t, std::uint16_t>, FpIntegerOf<std::uint64_t, std::uint16_t>,
         FpIntegerOf<std::uint32_t, std::uint32_t>, FpIntegerOf<std::uint64_t, std::uint32_t>,
         FpIntegerOf<std::uint32_t, std::uint64_t>, FpIntegerOf<std::uint64_t, std::uint64_t>, FpMoves>;
/// Advanced SIMD data processing.
using SimdInstructions = Join<SimdThreeSame, SimdMisc, SimdWidening, SimdShifts, SimdPermutes, SimdFpSingleDouble,
                              SimdFpHalf, SimdFpConversions>;
/// Loads and stores of SIMD&FP registers.
using SimdMemoryInstructions = Join<SimdLoadsStores, SimdStructures>;

}  // namespace dpusim::cpu::simd
