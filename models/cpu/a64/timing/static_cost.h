// Cycles of a straight run of instructions on a three-wide out-of-order core, when all accesses hit and all branches
// are predicted.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "cpu/a64/timing/timing_model.h"

namespace dpusim::cpu {

/// What one class of instruction occupies.
struct ClassTiming {
  std::uint8_t latency;    ///< cycles from issue to the first dependent's issue
  std::uint8_t occupancy;  ///< cycles that its unit takes no other of the kind (1: pipelined)
  enum Unit : std::uint8_t { kInteger, kMultiCycle, kLoad, kStore, kBranch, kVector, kNone } unit;
};

/// The numbers of a core.
struct CoreTiming {
  unsigned dispatch_width = 3;
  std::array<ClassTiming, kCosts> classes;
  std::array<std::uint8_t, 7> units;  ///< pipelines by ClassTiming::Unit
  std::uint32_t mispredict = 14;      ///< cycles
};

/// Cortex-A72. @spec LLVM AArch64SchedA57.td, which LLVM also uses for Cortex-A72 (reference rows B008-B026), and
/// lmbench on J721E.
const CoreTiming& cortex_a72_timing();
/// Cortex-A78: as Cortex-A72 with dispatch of 4 and the second load pipe; not calibrated.
const CoreTiming& cortex_a78_timing();

/// Returns the largest of three bounds: dispatch width, the busiest unit, and the longest recurrence - the path from a
/// register's value on entry to its value at the end, which is what a loop or a chain of blocks cannot overlap. Never
/// decreases when ops are appended.
std::uint32_t static_cost(const CoreTiming& core, std::span<const CostedOp> ops);

}  // namespace dpusim::cpu
