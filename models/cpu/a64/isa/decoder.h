// Finds the instruction of a word: a table built from the patterns of all families.
#pragma once

#include <span>
#include <vector>

#include "cpu/a64/isa/instruction.h"

namespace dpusim::cpu {

/// The rows of each family, one translation unit each (engine/table_*.cpp).
std::span<const Entry> integer_entries();
std::span<const Entry> load_store_entries();
std::span<const Entry> atomic_entries();
std::span<const Entry> branch_entries();
std::span<const Entry> system_entries();
std::span<const Entry> fp_entries();
std::span<const Entry> simd_entries();
std::span<const Entry> simd_memory_entries();
std::span<const Entry> crypto_entries();
/// What stands in for a word that no row matches, for FP/SIMD while disabled, for a block's end and for a breakpoint.
/// In this order.
std::span<const Entry> special_entries();
enum class Special : std::uint8_t { kUndefined, kFpDisabled, kFallThrough, kBreakpoint };

/// The decode table. One for all cores.
class Decoder {
 public:
  static const Decoder& instance();
  /// Returns the row whose pattern matches, or nullptr.
  [[nodiscard]] const Entry* find(std::uint32_t word) const;
  /// Returns all rows, for tests and listings.
  [[nodiscard]] const std::vector<const Entry*>& entries() const { return entries_; }

 private:
  Decoder();
  static constexpr unsigned kIndexLow = 21;  // bits 31..21 tell most families apart
  std::vector<const Entry*> entries_;
  std::vector<std::vector<const Entry*>> buckets_;
};

}  // namespace dpusim::cpu
