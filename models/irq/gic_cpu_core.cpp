#include "irq/gic_cpu_core.h"

#include <algorithm>
#include <bit>

#include "irq/gic_registers.h"
#include "irq/icc_registers.h"

namespace dpusim::irq {

namespace {

constexpr unsigned kNoneActive = 128;
// SRE, DFB, DIB: the memory-mapped CPU interface does not exist. Enable (bit 3) does not trap lower levels.
constexpr std::uint64_t kSreEl1 = 0x7, kSreHigher = 0xf;

}  // namespace

GicCpuCore::GicCpuCore(GicInterrupts& interrupts, unsigned number) : interrupts_(interrupts), number_(number) {
  reset();
}

void GicCpuCore::reset() {
  mask_ = 0;
  // IHI 0069H 12.2.5: the least binary point leaves all preemption bits; Group 1's counts one more.
  binary_point_[kGroup0] = static_cast<std::uint8_t>(7 - preemption_bits());
  binary_point_[kGroup1] = static_cast<std::uint8_t>(8 - preemption_bits());
  group_enabled_ = {};
  active_ = {};
  common_binary_point_ = eoi_mode_ = eoi_mode_el3_ = false;
  interrupts_.touch(number_);
}

unsigned GicCpuCore::preemption_bits() const { return std::min(7U, interrupts_.priority_bits()); }

unsigned GicCpuCore::lowest_active(const Active& active) const {
  for (unsigned i = 0; i < active.size(); ++i) {
    if (active[i] != 0) return i * 32 + static_cast<unsigned>(std::countr_zero(active[i]));
  }
  return kNoneActive;
}

std::uint8_t GicCpuCore::running_priority() const {
  const unsigned level = std::min(lowest_active(active_[kGroup0]), lowest_active(active_[kGroup1]));
  return level == kNoneActive ? kIdlePriority : static_cast<std::uint8_t>(level << (8 - preemption_bits()));
}

// The bits of a priority that decide preemption (IHI 0069H table 4-7): Group 1's binary point is off by one.
std::uint8_t GicCpuCore::group_mask(Group group) const {
  const bool own = group == kGroup1 && !common_binary_point_;
  const unsigned point = own ? binary_point_[kGroup1] - 1U : binary_point_[kGroup0];
  return static_cast<std::uint8_t>(0xff << (point + 1));
}

std::optional<GicCpuCore::Pending> GicCpuCore::highest_pending() const {
  std::optional<Pending> best;
  for (const Group group : {kGroup0, kGroup1}) {
    if (!group_enabled_[group]) continue;
    const std::optional<GicInterrupts::Candidate> candidate = interrupts_.best(number_, group);
    if (!candidate) continue;
    if (!best || candidate->priority < best->priority ||
        (candidate->priority == best->priority && candidate->intid < best->intid)) {
      best = Pending{candidate->intid, candidate->priority, group};
    }
  }
  return best;
}

std::optional<GicCpuCore::Pending> GicCpuCore::to_signal() const {
  const std::optional<Pending> pending = highest_pending();
  if (!pending || pending->priority >= mask_) return {};
  const std::uint8_t running = running_priority();
  if (running == kIdlePriority) return pending;
  const std::uint8_t mask = group_mask(pending->group);
  if ((pending->priority & mask) >= (running & mask)) return {};
  return pending;
}

bool GicCpuCore::signalled(Group group) const {
  const std::optional<Pending> pending = to_signal();
  return pending && pending->group == group;
}

std::uint64_t GicCpuCore::acknowledge(Group group) {
  const std::optional<Pending> pending = to_signal();
  if (!pending || pending->group != group) return kSpurious;
  const unsigned level = (pending->priority & group_mask(group)) >> (8 - preemption_bits());
  active_[group][level / 32] |= 1U << level % 32;
  interrupts_.acknowledge(number_, pending->intid);
  interrupts_.touch(number_);
  return pending->intid;
}

void GicCpuCore::end_of_interrupt(Group group, const GicContext& context, std::uint64_t value) {
  const auto intid = static_cast<unsigned>(value & 0xffffff);
  if (!interrupts_.exists(intid)) return;
  const unsigned own = lowest_active(active_[group]);
  const unsigned other = lowest_active(active_[group == kGroup0 ? kGroup1 : kGroup0]);
  if (own == kNoneActive || other < own)
    return;  // the running interrupt is of the other group: no drop (IHI 0069H 4.8.5)
  active_[group][own / 32] &= ~(1U << own % 32);
  interrupts_.touch(number_);
  if (!split(context)) interrupts_.deactivate(number_, intid);
}

void GicCpuCore::deactivate(const GicContext& context, std::uint64_t value) {
  const auto intid = static_cast<unsigned>(value & 0xffffff);
  if (split(context) && interrupts_.exists(intid)) interrupts_.deactivate(number_, intid);
}

// IHI 0069H 12.2.20. An SGI of the other group than the target has configured is not forwarded (table 4-6).
void GicCpuCore::send_sgi(Group group, std::uint64_t value) {
  const auto intid = static_cast<unsigned>(value >> 24 & 0xf);
  const auto send = [&](unsigned core) {
    if (interrupts_.at(core, intid).group != group) return;
    interrupts_.modify(core, intid, [](Interrupt& interrupt) { interrupt.latch = true; });
  };
  if ((value >> 40 & 1) != 0) {
    for (unsigned core = 0; core < interrupts_.cores(); ++core) {
      if (core != number_) send(core);
    }
    return;
  }
  const auto upper =
      static_cast<std::uint32_t>((value >> 16 & 0xff) << 8 | (value >> 32 & 0xff) << 16 | (value >> 48 & 0xff) << 24);
  const auto range = static_cast<std::uint32_t>(value >> 44 & 0xf);
  for (std::uint32_t i = 0; i < 16; ++i) {
    if ((value >> i & 1) == 0) continue;
    const unsigned core = core_of(upper | (range * 16 + i), interrupts_.cores());
    if (core != kNoTarget) send(core);
  }
}

std::uint64_t GicCpuCore::control(const GicContext& /*context*/, bool el3) const {
  const std::uint64_t common =
      std::uint64_t{interrupts_.priority_bits() - 1} << 8 | 1ULL << 15;  // PRIbits, IDbits 16, A3V
  if (!el3) return common | (common_binary_point_ ? 1U : 0U) | (eoi_mode_ ? 2U : 0U);
  return common | (common_binary_point_ ? 3U : 0U) | (eoi_mode_el3_ ? 4U : 0U) | (eoi_mode_ ? 0x18U : 0U);
}

void GicCpuCore::write_control(std::uint64_t value, bool el3) {
  common_binary_point_ = (value & (el3 ? 2 : 1)) != 0;
  eoi_mode_ = (value & (el3 ? 0x10 : 2)) != 0;
  if (el3) eoi_mode_el3_ = (value & 4) != 0;
}

bool GicCpuCore::accessible(std::uint16_t encoding, const GicContext& context) {
  const unsigned op1 = op1_of(encoding);
  const unsigned least = op1 == 0 ? 1 : op1 == 4 ? 2 : 3;
  // No virtual CPU interface exists: where an encoding names an ICV_ register there is none.
  return context.el >= least && !(context.virtualised && encoding != kIccSreEl1);
}

bool GicCpuCore::read(std::uint16_t encoding, const GicContext& context, std::uint64_t& value) {
  if (accessible(encoding, context) && (encoding == kIccIar0El1 || encoding == kIccIar1El1)) {
    value = acknowledge(encoding == kIccIar0El1 ? kGroup0 : kGroup1);
    return true;
  }
  return peek(encoding, context, value);
}

bool GicCpuCore::peek(std::uint16_t encoding, const GicContext& context, std::uint64_t& value) const {
  if (!accessible(encoding, context)) return false;
  const auto id_of = [](const std::optional<Pending>& pending, Group group) -> std::uint64_t {
    return pending && pending->group == group ? pending->intid : kSpurious;
  };
  const auto active_register = [&](Group group, unsigned index) {
    value = active_[group][index];
    return index < (1U << preemption_bits()) / 32 || index == 0;
  };
  if (encoding >= kIccAp0r0El1 && encoding <= kIccAp0r3El1) return active_register(kGroup0, encoding - kIccAp0r0El1);
  if (encoding >= kIccAp1r0El1 && encoding <= kIccAp1r3El1) return active_register(kGroup1, encoding - kIccAp1r0El1);
  switch (encoding) {
    case kIccPmrEl1:
      value = mask_;
      return true;
    case kIccIar0El1:
      value = id_of(to_signal(), kGroup0);
      return true;
    case kIccIar1El1:
      value = id_of(to_signal(), kGroup1);
      return true;
    case kIccHppir0El1:
      value = id_of(highest_pending(), kGroup0);
      return true;
    case kIccHppir1El1:
      value = id_of(highest_pending(), kGroup1);
      return true;
    case kIccBpr0El1:
      value = binary_point_[kGroup0];
      return true;
    case kIccBpr1El1:
      value = common_binary_point_ ? std::min(7U, binary_point_[kGroup0] + 1U) : binary_point_[kGroup1];
      return true;
    case kIccRprEl1:
      value = running_priority();
      return true;
    case kIccCtlrEl1:
      value = control(context, false);
      return true;
    case kIccCtlrEl3:
      value = control(context, true);
      return true;
    case kIccSreEl1:
      value = kSreEl1;
      return true;
    case kIccSreEl2:
    case kIccSreEl3:
      value = kSreHigher;
      return true;
    case kIchHcrEl2:
      value = 0;
      return true;
    case kIccIgrpen0El1:
      value = group_enabled_[kGroup0] ? 1 : 0;
      return true;
    case kIccIgrpen1El1:
    case kIccIgrpen1El3:
      value = group_enabled_[kGroup1] ? 1 : 0;
      return true;
    default:
      return false;
  }
}

bool GicCpuCore::write(std::uint16_t encoding, const GicContext& context, std::uint64_t value) {
  if (!accessible(encoding, context)) return false;
  interrupts_.touch(number_);
  const auto active_register = [&](Group group, unsigned index) {
    if (index != 0 && index >= (1U << preemption_bits()) / 32) return false;
    active_[group][index] = static_cast<std::uint32_t>(value);
    return true;
  };
  if (encoding >= kIccAp0r0El1 && encoding <= kIccAp0r3El1) return active_register(kGroup0, encoding - kIccAp0r0El1);
  if (encoding >= kIccAp1r0El1 && encoding <= kIccAp1r3El1) return active_register(kGroup1, encoding - kIccAp1r0El1);
  const auto point = static_cast<std::uint8_t>(value & 7);
  switch (encoding) {
    case kIccPmrEl1:
      mask_ = static_cast<std::uint8_t>(value & (0xff << (8 - interrupts_.priority_bits())));
      return true;
    case kIccEoir0El1:
      end_of_interrupt(kGroup0, context, value);
      return true;
    case kIccEoir1El1:
      end_of_interrupt(kGroup1, context, value);
      return true;
    case kIccDirEl1:
      deactivate(context, value);
      return true;
    case kIccBpr0El1:
      binary_point_[kGroup0] = std::max(point, static_cast<std::uint8_t>(7 - preemption_bits()));
      return true;
    case kIccBpr1El1:
      if (!common_binary_point_)
        binary_point_[kGroup1] = std::max(point, static_cast<std::uint8_t>(8 - preemption_bits()));
      return true;
    case kIccCtlrEl1:
      write_control(value, false);
      return true;
    case kIccCtlrEl3:
      write_control(value, true);
      return true;
    case kIccIgrpen0El1:
      group_enabled_[kGroup0] = (value & 1) != 0;
      return true;
    case kIccIgrpen1El1:
    case kIccIgrpen1El3:
      group_enabled_[kGroup1] = (value & 1) != 0;
      return true;
    case kIccSgi0rEl1:
      send_sgi(kGroup0, value);
      return true;
    case kIccSgi1rEl1:
      send_sgi(kGroup1, value);
      return true;
    case kIchHcrEl2:
      // Deviates: there is no virtual CPU interface to enable. Operating systems that start at EL2 clear this register
      // first of all, so it is RAZ/WI and not UNDEFINED as the other ICH_ registers.
      return true;
    case kIccAsgi1rEl1:
      return true;  // names the other security state, of which there is none
    case kIccSreEl1:
    case kIccSreEl2:
    case kIccSreEl3:
      return true;  // all bits are RAO/WI
    default:
      return false;
  }
}

}  // namespace dpusim::irq
