// What handlers work on: the PE's state, the software TLB, and the link to the block in execution.
#pragma once

#include <array>
#include <cstdint>

#include "cpu/a64/arch/arch.h"
#include "cpu/a64/arch/system.h"
#include "cpu/a64/engine/block.h"
#include "cpu/a64/engine/predictor.h"
#include "cpu/a64/isa/flags.h"

namespace dpusim::cpu {

class Engine;

/// An entry of the software TLB: host memory for a naturally aligned granule (a page, or a cache line when time is
/// modelled). A tag is the granule's virtual address, or kNoTag, which no masked address equals.
struct TlbEntry {
  static constexpr std::uint64_t kNoTag = 1;
  std::uint64_t read_tag = kNoTag, write_tag = kNoTag;
  std::uint64_t addend = 0;    ///< host address = virtual address + addend
  std::uint64_t physical = 0;  ///< of the granule; bit 0: unaligned accesses are not allowed
};
static_assert(sizeof(TlbEntry) == 32);

inline constexpr unsigned kTlbEntries = 256;
using Tlb = std::array<TlbEntry, kTlbEntries>;

/// Why the engine's inner loop was left.
enum class Leave : std::uint8_t { kNone, kBudget, kFault, kSync, kMove, kBreakpoint };

struct Machine {
  CpuState state;
  Flags flags;
  TlbEntry* tlb = nullptr;        ///< of the translation context in force
  Block* block = nullptr;         ///< in execution
  const Op* op = nullptr;         ///< in execution, when a slow path or system instruction runs
  std::int64_t budget = 0;        ///< cycles left; in a register while handlers run
  std::uint64_t retired = 0;      ///< instructions, the whole of `block` included
  JumpEntry* jumps = nullptr;     ///< table of the mode in force
  std::uint64_t fetch_epoch = 1;  ///< changes when instruction lines may have been evicted
  bool revisit = false;           ///< leave the inner loop after the instruction in execution
  Leave leave = Leave::kNone;
  Flow flow = Flow::kContinue;
  Exception fault{};  ///< to be taken, when leave is kFault
  Engine* engine = nullptr;
  System* system = nullptr;
  Predictor predictor;
};

}  // namespace dpusim::cpu
