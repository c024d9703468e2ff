// The seam between the engine and whatever gives instructions their time. No SystemC; all values are cycles of the
// core's clock.
#pragma once

#include <cstdint>
#include <span>

#include "cpu/a64/isa/op.h"

namespace dpusim::cpu {

/// One instruction of a block, as a cost model sees it.
struct CostedOp {
  Cost cost;
  std::uint32_t word;  ///< the encoding, for registers and anything else that matters
};

/// What a data access costs, and whether the engine may repeat it without asking again.
struct AccessTiming {
  std::uint32_t cycles = 0;  ///< beyond what the static cost of the instruction contains
  bool keep_read = false;    ///< until evict_line: further reads of the line cost nothing more
  bool keep_write = false;   ///< the same for writes (the line is already dirty)
};

enum class BranchKind : std::uint8_t { kConditional, kIndirect, kReturn };

/// Gives cycles to blocks at translation and to events while they run. Instances belong to one core.
class TimingModel {
 public:
  virtual ~TimingModel() = default;
  /// Returns the cycles of a straight run of instructions when every access hits and every branch is predicted. Called
  /// at translation; must depend on nothing but `ops`. The engine calls it for each prefix too, so that a fault in
  /// mid-block costs what was executed.
  virtual std::uint32_t block_cost(std::span<const CostedOp> ops) = 0;

  /// Tells whether the events below are wanted. When false only block_cost is called (functional engine).
  [[nodiscard]] virtual bool dynamic() const = 0;
  /// A data access within one 64-octet line, that the engine could not answer from lines kept. @param cacheable Normal
  /// cacheable.
  virtual AccessTiming data_access(std::uint64_t physical, unsigned size, bool write, bool cacheable) = 0;
  /// Instruction lines [physical, physical + size) are about to be executed and not known to be present.
  /// @return cycles; from then on the lines count as present until the model calls Lines::fetch_evicted().
  virtual std::uint32_t fetch(std::uint64_t physical, std::uint32_t size) = 0;
  /// Returns the penalty of one mispredicted branch; prediction itself is the engine's (gshare, return stack, target
  /// buffer).
  [[nodiscard]] virtual std::uint32_t mispredict_penalty() const = 0;
  /// A barrier or other serialising instruction. @return cycles beyond its static cost.
  virtual std::uint32_t barrier(Cost cost) = 0;
};

/// What a timing model tells the engine: implemented by Engine.
class Lines {
 public:
  virtual ~Lines() = default;
  /// Forgets a kept data line, so that the next access to it asks again (evicted, snooped, or no longer most recent in
  /// its set).
  virtual void evict_line(std::uint64_t physical_line) = 0;
  /// As evict_line for writes only (the line was cleaned or is shared now).
  virtual void clean_line(std::uint64_t physical_line) = 0;
  /// Forgets that instruction lines are present.
  virtual void fetch_evicted() = 0;
};

/// Every instruction one cycle; no events.
class UnitTiming final : public TimingModel {
 public:
  std::uint32_t block_cost(std::span<const CostedOp> ops) override { return static_cast<std::uint32_t>(ops.size()); }
  [[nodiscard]] bool dynamic() const override { return false; }
  AccessTiming data_access(std::uint64_t, unsigned, bool, bool) override { return {0, true, true}; }
  std::uint32_t fetch(std::uint64_t, std::uint32_t) override { return 0; }
  [[nodiscard]] std::uint32_t mispredict_penalty() const override { return 0; }
  std::uint32_t barrier(Cost) override { return 0; }
};

}  // namespace dpusim::cpu
