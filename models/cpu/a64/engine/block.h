// A run of decoded instructions that is entered at its top and lies within one page.
#pragma once

#include <cstdint>

#include "cpu/a64/isa/op.h"

namespace dpusim::cpu {

struct Block;

/// Where a block goes on; stands right behind its last op. [0] is fall-through or not taken, [1] taken.
struct Exit {
  Block* link[2] = {nullptr, nullptr};  ///< set within a page only, so that remapping a page cannot leave a stale link
  std::uint64_t target[2] = {0, 0};
  std::uint64_t pc = 0;  ///< of the last instruction
};

/// Block header; ops, exit record, constants and prefix costs follow in one allocation.
struct alignas(16) Block {
  std::uint64_t pc = 0;           ///< virtual address of the first instruction
  std::uint64_t physical = 0;     ///< of the first instruction
  std::uint32_t mode = 0;         ///< translation context and FP enable it was decoded for
  std::uint32_t count = 0;        ///< instructions
  std::uint32_t cost = 0;         ///< static cycles
  std::uint64_t fetch_epoch = 0;  ///< Machine::fetch_epoch at which its lines were present
  Block* next_in_bucket = nullptr;
  Block* next_in_page = nullptr;
  const std::uint16_t* prefix_cost = nullptr;  ///< [i]: static cycles of the first i instructions

  [[nodiscard]] Op* ops() { return reinterpret_cast<Op*>(this + 1); }
  [[nodiscard]] const Op* ops() const { return reinterpret_cast<const Op*>(this + 1); }
  [[nodiscard]] std::uint32_t index_of(const Op* op) const { return static_cast<std::uint32_t>(op - ops()); }
};
static_assert(sizeof(Block) % alignof(Op) == 0);

/// A line of a mode's direct-mapped table from pc to block.
struct JumpEntry {
  std::uint64_t pc = 1;  // no block has an odd pc
  Block* block = nullptr;
};
inline constexpr unsigned kJumpEntries = 1024;

/// Returns the table index of a pc.
constexpr std::uint64_t jump_index(std::uint64_t pc) { return (pc >> 2) & (kJumpEntries - 1); }

inline constexpr unsigned kMaxBlockInstructions = 64;

}  // namespace dpusim::cpu
