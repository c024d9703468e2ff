// The decode table's rows of scalar floating point, of SIMD&FP loads and stores, and of cryptographic instructions.
#include "cpu/a64/engine/handlers.h"
#include "cpu/a64/isa/decoder.h"
#include "cpu/a64/isa/simd.h"
#include "cpu/a64/isa/simd_crypto.h"

namespace dpusim::cpu {

std::span<const Entry> fp_entries() {
  static constexpr auto rows = entries_of(simd::FpInstructions{});
  return rows;
}

std::span<const Entry> simd_memory_entries() {
  static constexpr auto rows = entries_of(simd::SimdMemoryInstructions{});
  return rows;
}

std::span<const Entry> crypto_entries() {
  static constexpr auto rows = entries_of(simd::SimdCrypto{});
  return rows;
}

}  // namespace dpusim::cpu
