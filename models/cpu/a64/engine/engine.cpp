// The outer loop: interrupts, exceptions, stop reasons, and the way into blocks.
#include "cpu/a64/engine/engine.h"

#include <algorithm>

#include "cpu/a64/engine/handlers.h"
#include "cpu/a64/isa/decoder.h"
#include "sim/error.h"

namespace dpusim::cpu {

Engine::Engine(std::size_t code_bytes)
    : machine_(std::make_unique<Machine>()),
      tlbs_(kContexts),
      pages_(kContexts),
      jumps_(kModes),
      arena_(code_bytes),
      buckets_(std::size_t{1} << 14) {
  machine_->engine = this;
  DPUSIM_CHECK(code_bytes >= std::size_t{1} << 16, "code buffer of {} octets", code_bytes);
}

Engine::~Engine() = default;

void Engine::connect(System& system, MemoryPort& memory, TimingModel& timing, FeatureSet features) {
  system_ = machine_->system = &system;
  memory_ = &memory;
  timing_ = &timing;
  features_ = features | feature_bit(Feature::kBase);
  timed_ = timing.dynamic();
  shift_ = timed_ ? 6 : 12;
  machine_->predictor.penalty = timing.mispredict_penalty();
  context_dirty_ = true;
  flush_code();
  forget_memory();
}

void Engine::refresh_context() {
  context_dirty_ = false;
  context_ = system_->translation_context();
  mode_ = 2 * context_ + (system_->fp_enabled() ? 1 : 0);
  context_used_[context_] = jumps_used_[mode_] = true;
  machine_->tlb = tlbs_[context_].data();
  machine_->jumps = jumps_[mode_].data();
}

void Engine::take(const Exception& exception) {
  bus_instruction_ = kNoBus;  // the handler's first instruction has the same number
  machine_->state.nzcv = machine_->flags.nzcv() << 28;
  machine_->flow = system_->take(exception, machine_->state.pc);
  machine_->flags.set_nzcv(machine_->state.nzcv >> 28);
  machine_->budget -= 1;  // time goes on even when a vector faults on itself
}

void Engine::execute(Block* block) {
  Machine* machine = machine_.get();
  machine->leave = Leave::kNone;
#if DPUSIM_TAIL_CALLS
  if (timed_)
    enter_block<true>(machine, block->ops(), machine->budget);
  else
    enter_block<false>(machine, block->ops(), machine->budget);
#else
  const Op* op = timed_ ? enter_block<true>(machine, block->ops(), machine->budget)
                        : enter_block<false>(machine, block->ops(), machine->budget);
  while (op != nullptr) op = op->handler(machine, op, machine->budget);
#endif
}

RunResult Engine::run(std::int64_t budget) { return run_loop(budget, false); }
RunResult Engine::step() { return run_loop(1, true); }

RunResult Engine::run_loop(std::int64_t budget, bool single) {
  Machine& m = *machine_;
  m.budget = budget_at_start_ = budget;
  retired_at_start_ = m.retired;
  m.flags.set_nzcv(m.state.nzcv >> 28);
  m.flow = Flow::kContinue;
  skip_breakpoint_ = m.state.pc;
  RunResult result;
  const auto finish = [&](StopReason reason) {
    m.state.nzcv = m.flags.nzcv() << 28;
    m.block = nullptr;
    result.reason = reason;
    result.retired = m.retired - retired_at_start_;
    result.cycles = static_cast<std::uint64_t>(budget_at_start_ - m.budget);
    cycles_before_ += result.cycles;
    budget_at_start_ = m.budget = 0;
    return result;
  };
  for (bool first = true;; first = false) {
    switch (m.flow) {
      case Flow::kContinue:
        break;
      case Flow::kWaitInterrupt:
        return finish(StopReason::kWaitInterrupt);
      case Flow::kWaitEvent:
        return finish(StopReason::kWaitEvent);
      case Flow::kOff:
        return finish(StopReason::kOff);
      case Flow::kStop:
        return finish(StopReason::kStop);
    }
    if (exit_requested_ && !single) {
      exit_requested_ = false;
      return finish(StopReason::kRequested);
    }
    if (single && !first) return finish(StopReason::kBudget);
    m.revisit = false;
    if (flush_pending_) flush_code();
    m.block = nullptr;
    m.state.nzcv = m.flags.nzcv() << 28;
    const bool interrupted = system_->take_interrupt();
    m.flags.set_nzcv(m.state.nzcv >> 28);
    if (context_dirty_) refresh_context();
    if (interrupted && single) return finish(StopReason::kBudget);
    if (m.budget <= 0) return finish(StopReason::kBudget);
    if (system_->illegal_state()) {
      take({.ec = ExceptionClass::kIllegalState});
      continue;
    }
    m.leave = Leave::kNone;
    Block* block = find_block(single);
    if (m.leave == Leave::kSync) return finish(StopReason::kDeviceSync);  // code in a device
    if (block == nullptr) continue;
    if (single) budget_at_start_ = m.budget = block->cost = std::max(block->cost, 1u);
    execute(block);
    switch (m.leave) {
      case Leave::kFault:
        take(m.fault);
        break;
      case Leave::kSync:
        return finish(StopReason::kDeviceSync);
      case Leave::kBreakpoint:
        return finish(StopReason::kBreakpoint);
      default:
        break;
    }
    skip_breakpoint_ = 1;
  }
}

std::uint64_t Engine::cycles() const {
  const Machine& m = *machine_;
  std::uint64_t charged = static_cast<std::uint64_t>(budget_at_start_ - m.budget);
  if (m.block != nullptr && m.op != nullptr) charged -= m.block->cost - m.block->prefix_cost[m.block->index_of(m.op)];
  return cycles_before_ + charged;
}

std::uint64_t Engine::instructions() const {
  const Machine& m = *machine_;
  if (m.block == nullptr || m.op == nullptr) return m.retired;
  return m.retired - (m.block->count - m.block->index_of(m.op));
}

void Engine::add_breakpoint(std::uint64_t va) {
  breakpoints_.insert(va);
  invalidate_physical(0, 0);
}
void Engine::remove_breakpoint(std::uint64_t va) {
  breakpoints_.erase(va);
  invalidate_physical(0, 0);
}

}  // namespace dpusim::cpu
