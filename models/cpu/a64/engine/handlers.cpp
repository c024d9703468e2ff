// The ends of blocks that are not worth being inline.
#include "cpu/a64/engine/handlers.h"

#include "cpu/a64/engine/engine.h"

namespace dpusim::cpu {

namespace {

/// Gives back what was charged for the block's instructions from `index` on.
void refund(Machine& m, std::uint32_t index) {
  const Block& block = *m.block;
  m.budget += block.cost - block.prefix_cost[index];
  m.retired -= block.count - index;
  m.op = nullptr;
}

}  // namespace

struct EngineAccess {
  static std::uint32_t fetch(Engine& engine, const Block& block) {
    return engine.timing_->fetch(block.physical, 4 * block.count);
  }
};

template <bool kTimed, unsigned kWay>
const Op* follow_unlinked(Machine* machine, const Op* op, std::int64_t budget) {
  auto* exit = const_cast<Exit*>(exit_of(op));
  const std::uint64_t target = exit->target[kWay];
  const JumpEntry& jump = machine->jumps[jump_index(target)];
  if (jump.pc != target) [[unlikely]] {
    machine->state.pc = target;
    DPUSIM_TAIL follow_unknown(machine, op, budget);
  }
  if ((target ^ exit->pc) < 4096) exit->link[kWay] = jump.block;
  DPUSIM_TAIL enter_block<kTimed>(machine, jump.block->ops(), budget);
}
template const Op* follow_unlinked<false, 0>(Machine*, const Op*, std::int64_t);
template const Op* follow_unlinked<false, 1>(Machine*, const Op*, std::int64_t);
template const Op* follow_unlinked<true, 0>(Machine*, const Op*, std::int64_t);
template const Op* follow_unlinked<true, 1>(Machine*, const Op*, std::int64_t);

const Op* follow_unknown(Machine* machine, const Op*, std::int64_t budget) {
  machine->budget = budget;
  machine->leave = Leave::kMove;
  machine->op = nullptr;
  return nullptr;
}

const Op* leave_for_budget(Machine* machine, const Op*, std::int64_t budget) {
  machine->state.pc = machine->block->pc;
  machine->budget = budget;
  machine->leave = Leave::kBudget;
  machine->op = nullptr;
  return nullptr;
}

const Op* fetch_block(Machine* machine, const Op* op, std::int64_t budget) {
  Block* block = machine->block;
  // A miss asks for the core's time: all that ran before the block, nothing of it.
  machine->budget = budget;
  machine->op = nullptr;
  budget -= EngineAccess::fetch(*machine->engine, *block);
  block->fetch_epoch = machine->fetch_epoch;
  budget -= block->cost;
  machine->retired += block->count;
  DPUSIM_DISPATCH(op, budget);
}

const Op* leave_before(Machine* machine, const Op* op, std::int64_t budget) {
  machine->budget = budget;
  const std::uint32_t index = machine->block->index_of(op);
  machine->state.pc = machine->block->pc + 4 * std::uint64_t{index};
  refund(*machine, index);
  return nullptr;
}

const Op* leave_after(Machine* machine, const Op* op, std::int64_t budget) {
  machine->budget = budget;
  const std::uint32_t index = machine->block->index_of(op) + 1;
  machine->state.pc = machine->block->pc + 4 * std::uint64_t{index};
  refund(*machine, index);
  machine->leave = Leave::kMove;
  return nullptr;
}

const Op* leave_system(Machine* machine, const Op* op, Outcome outcome) {
  const std::uint32_t index = machine->block->index_of(op);
  if (outcome == Outcome::kNext || outcome == Outcome::kEndBlock)
    machine->state.pc = machine->block->pc + 4 * std::uint64_t{index + 1};
  refund(*machine, outcome == Outcome::kFault ? index : index + 1);
  if (machine->leave == Leave::kNone) machine->leave = Leave::kMove;
  return nullptr;
}

}  // namespace dpusim::cpu
