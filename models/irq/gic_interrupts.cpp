#include "irq/gic_interrupts.h"

namespace dpusim::irq {

GicInterrupts::GicInterrupts(unsigned cores, unsigned spis, unsigned priority_bits)
    : cores_(cores),
      spis_(spis),
      priority_bits_(priority_bits),
      private_(std::size_t{cores} * kFirstSpi),
      shared_(spis),
      waiting_(std::size_t{cores} * 2, PendingSet(1U << priority_bits)),
      asleep_(cores, true),
      touched_flag_(cores, false) {
  for (unsigned core = 0; core < cores; ++core) {
    for (unsigned intid = 0; intid < kFirstSpi; ++intid) {
      Interrupt& interrupt = mutable_at(core, intid);
      interrupt.target = core;
      interrupt.edge = intid < 16;
    }
  }
}

void GicInterrupts::set_line(unsigned core, unsigned intid, bool level) {
  Interrupt& interrupt = mutable_at(core, intid);
  if (interrupt.line == level) return;
  interrupt.line = level;
  if (interrupt.edge && level) interrupt.latch = true;
  refresh(core, intid, interrupt);
}

void GicInterrupts::acknowledge(unsigned core, unsigned intid) {
  modify(core, intid, [](Interrupt& interrupt) {
    interrupt.active = true;
    interrupt.latch = false;
  });
}

void GicInterrupts::deactivate(unsigned core, unsigned intid) {
  modify(core, intid, [](Interrupt& interrupt) { interrupt.active = false; });
}

void GicInterrupts::refresh(unsigned core, unsigned intid, Interrupt& interrupt) {
  const unsigned target = intid < kFirstSpi ? core : interrupt.target;
  const bool wanted = interrupt.enabled && !interrupt.active && interrupt.pending() && target != kNoTarget;
  const std::uint8_t level = level_of(interrupt.priority);
  if (wanted == interrupt.queued && (!wanted || (level == interrupt.queued_level && target == interrupt.queued_target &&
                                                 interrupt.group == interrupt.queued_group))) {
    return;
  }
  const auto number = static_cast<std::uint16_t>(intid);
  if (interrupt.queued) {
    set_of(interrupt.queued_target, interrupt.queued_group).remove({interrupt.queued_level, number});
    touch(interrupt.queued_target);
  }
  interrupt.queued = wanted;
  if (!wanted) return;
  interrupt.queued_group = interrupt.group;
  interrupt.queued_level = level;
  interrupt.queued_target = target;
  set_of(target, interrupt.group).insert({level, number});
  touch(target);
}

std::optional<GicInterrupts::Candidate> GicInterrupts::best(unsigned core, Group group) const {
  if (!group_enabled_[group] || asleep_[core]) return {};
  const std::optional<PendingSet::Entry> entry = waiting_[core * 2 + group].best();
  if (!entry) return {};
  return Candidate{entry->intid, static_cast<std::uint8_t>(entry->level << (8 - priority_bits_))};
}

void GicInterrupts::enable_group(Group group, bool enabled) {
  if (group_enabled_[group] == enabled) return;
  group_enabled_[group] = enabled;
  for (unsigned core = 0; core < cores_; ++core) touch(core);
}

void GicInterrupts::set_asleep(unsigned core, bool asleep) {
  asleep_[core] = asleep;
  touch(core);
}

void GicInterrupts::touch(unsigned core) {
  if (touched_flag_[core]) return;
  touched_flag_[core] = true;
  touched_.push_back(core);
}

}  // namespace dpusim::irq
