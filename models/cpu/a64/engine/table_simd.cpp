// The decode table's rows of Advanced SIMD data processing.
#include "cpu/a64/engine/handlers.h"
#include "cpu/a64/isa/decoder.h"
#include "cpu/a64/isa/simd.h"

namespace dpusim::cpu {

std::span<const Entry> simd_entries() {
  static constexpr auto rows = entries_of(simd::SimdInstructions{});
  return rows;
}

}  // namespace dpusim::cpu
