// The decode table's rows of floating-point, SIMD and cryptographic instructions.
#include "cpu/a64/engine/table_lists.h"
#include "cpu/a64/isa/decoder.h"

namespace dpusim::cpu {

std::span<const Entry> fp_entries() { return {}; }
std::span<const Entry> simd_entries() { return {}; }
std::span<const Entry> simd_memory_entries() { return {}; }
std::span<const Entry> crypto_entries() { return {}; }

}  // namespace dpusim::cpu
