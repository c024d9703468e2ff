// Turns instruction structs into handlers. One body serves two dispatch forms: tail calls (handlers call one another
// and never return to a loop) and, where the compiler does not make sibling calls (debug, sanitizers), a loop to which
// each handler returns the next op.
#pragma once

#include "cpu/a64/engine/access.h"
#include "cpu/a64/isa/instruction.h"

#ifndef DPUSIM_TAIL_CALLS
#error "DPUSIM_TAIL_CALLS must come from the build"
#endif

#if defined(__clang__) && DPUSIM_TAIL_CALLS
#define DPUSIM_TAIL [[clang::musttail]] return
#else
#define DPUSIM_TAIL return
#endif

#if DPUSIM_TAIL_CALLS
#define DPUSIM_DISPATCH(op_, budget_) DPUSIM_TAIL(op_)->handler(machine, (op_), (budget_))
#else
#define DPUSIM_DISPATCH(op_, budget_) return (machine->budget = (budget_), (op_))
#endif

namespace dpusim::cpu {

/// Compile-time choices of a handler: functional or timed.
template <bool kTimed>
struct Policy {
  static constexpr bool timed = kTimed;
  using FastMachine = Fast<kTimed ? 6 : 12>;
};

inline const Exit* exit_of(const Op* last) { return reinterpret_cast<const Exit*>(last + 1); }

// Out-of-line ends of blocks (handlers.cpp). `op` is the block's last.
template <bool kTimed, unsigned kWay>
const Op* follow_unlinked(Machine* machine, const Op* op, std::int64_t budget);
const Op* leave_for_budget(Machine* machine, const Op* op, std::int64_t budget);
/// Looks a target up that the jump table does not have; machine->state.pc is the target.
const Op* follow_unknown(Machine* machine, const Op* op, std::int64_t budget);
const Op* fetch_block(Machine* machine, const Op* op, std::int64_t budget);
/// Ends the inner loop before (kFault, kSync) or after the op.
const Op* leave_before(Machine* machine, const Op* op, std::int64_t budget);
const Op* leave_after(Machine* machine, const Op* op, std::int64_t budget);

/// Enters the block whose first op is `op`: budget, counts, dispatch. Has a handler's signature, as musttail demands.
template <bool kTimed>
[[gnu::always_inline]] inline const Op* enter_block(Machine* machine, const Op* op, std::int64_t budget) {
  Block* next = reinterpret_cast<Block*>(const_cast<Op*>(op)) - 1;
  machine->block = next;
  if (budget <= 0) [[unlikely]]
    DPUSIM_TAIL leave_for_budget(machine, op, budget);
  if constexpr (kTimed)
    if (next->fetch_epoch != machine->fetch_epoch) [[unlikely]]
      DPUSIM_TAIL fetch_block(machine, op, budget);
  budget -= next->cost;
  machine->retired += next->count;
  DPUSIM_DISPATCH(op, budget);
}

/// Runs a memory instruction over the slow machine.
template <class I>
[[gnu::noinline]] bool run_slow(Machine* machine, const Op* op) {
  machine->op = op;
  Slow slow(*machine);
  return I::exec(slow, *op);
}
// Out of line, or its calls would give the hot handler a frame.
template <class I>
[[gnu::noinline]] const Op* slow_handler(Machine* machine, const Op* op, std::int64_t budget) {
  machine->budget = budget;
  if (!run_slow<I>(machine, op)) DPUSIM_TAIL leave_before(machine, op, machine->budget);
  if (machine->revisit) DPUSIM_TAIL leave_after(machine, op, machine->budget);
  DPUSIM_DISPATCH(op + 1, machine->budget);
}

template <class I>
[[gnu::noinline]] Outcome run_system(Machine* machine, const Op* op) {
  machine->op = op;
  Slow slow(*machine);
  machine->state.pc = slow.pc();
  machine->state.nzcv = machine->flags.nzcv() << 28;
  const Outcome outcome = I::exec(slow, *op);
  machine->flags.set_nzcv(machine->state.nzcv >> 28);
  return outcome;
}
/// Ends the inner loop after a system instruction; state.pc is set.
const Op* leave_system(Machine* machine, const Op* op, Outcome outcome);

/// The handler of instruction I under policy P.
template <class I, class P>
const Op* handle(Machine* machine, const Op* op, std::int64_t budget) {
  if constexpr (I::kind == Kind::kPlain) {
    typename P::FastMachine m(*machine);
    I::exec(m, *op);
    DPUSIM_DISPATCH(op + 1, budget);
  } else if constexpr (I::kind == Kind::kAccess) {
    if constexpr (requires { I::always_slow; }) {
      DPUSIM_TAIL slow_handler<I>(machine, op, budget);
    } else {
      typename P::FastMachine m(*machine);
      if (!I::exec(m, *op)) [[unlikely]]
        DPUSIM_TAIL slow_handler<I>(machine, op, budget);
      DPUSIM_DISPATCH(op + 1, budget);
    }
  } else if constexpr (I::kind == Kind::kBranch) {
    typename P::FastMachine m(*machine);
    const Exit* exit = exit_of(op);
    const bool taken = I::exec(m, *op);
    if constexpr (P::timed && I::cost == Cost::kBranchConditional)
      if (machine->predictor.conditional(exit->pc, taken)) budget -= machine->predictor.penalty;
    if constexpr (P::timed && I::cost == Cost::kCall) machine->predictor.call(exit->pc + 4);
    if (taken) {
      if (exit->link[1] == nullptr) [[unlikely]]
        DPUSIM_TAIL follow_unlinked<P::timed, 1>(machine, op, budget);
      DPUSIM_TAIL enter_block<P::timed>(machine, exit->link[1]->ops(), budget);
    }
    if (exit->link[0] == nullptr) [[unlikely]]
      DPUSIM_TAIL follow_unlinked<P::timed, 0>(machine, op, budget);
    DPUSIM_TAIL enter_block<P::timed>(machine, exit->link[0]->ops(), budget);
  } else if constexpr (I::kind == Kind::kJump) {
    typename P::FastMachine m(*machine);
    const std::uint64_t target = I::exec(m, *op);
    if constexpr (P::timed) {
      const std::uint64_t pc = exit_of(op)->pc;
      bool wrong = false;
      if constexpr (I::cost == Cost::kReturn)
        wrong = machine->predictor.ret(target);
      else
        wrong = machine->predictor.indirect(pc, target);
      if constexpr (I::cost == Cost::kCall) machine->predictor.call(pc + 4);
      if (wrong) budget -= machine->predictor.penalty;
    }
    const JumpEntry& jump = machine->jumps[jump_index(target)];
    if (jump.pc != target) [[unlikely]] {
      machine->state.pc = target;
      DPUSIM_TAIL follow_unknown(machine, op, budget);
    }
    DPUSIM_TAIL enter_block<P::timed>(machine, jump.block->ops(), budget);
  } else {
    machine->budget = budget;
    const Outcome outcome = run_system<I>(machine, op);
    if (outcome != Outcome::kNext || machine->revisit) return leave_system(machine, op, outcome);
    DPUSIM_DISPATCH(op + 1, machine->budget);
  }
}

/// Tells whether time shows in the handler: the granule of accesses, prediction of branches.
template <class I>
constexpr bool is_timed() {
  if constexpr (requires { I::always_slow; }) return false;
  return I::kind == Kind::kAccess || I::kind == Kind::kBranch || I::kind == Kind::kJump;
}

template <class I>
constexpr Entry entry_of() {
  return {I::pattern,      I::text,
          I::kind,         I::cost,
          feature_of<I>(), ends_block<I>(),
          is_fp<I>(),      &I::decode,
          offset_of<I>(),  {&handle<I, Policy<false>>, &handle<I, Policy<is_timed<I>()>>}};
}
/// Makes the table rows of a list of instructions.
template <class... I>
constexpr auto entries_of(InstructionList<I...>) {
  return std::array<Entry, sizeof...(I)>{entry_of<I>()...};
}

}  // namespace dpusim::cpu
