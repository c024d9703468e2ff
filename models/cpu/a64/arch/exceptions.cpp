// Exception entry, return and routing (Arm ARM D1.3, D1.4), for lower levels in AArch64 only.
#include "cpu/a64/arch/system.h"

namespace dpusim::cpu {

namespace {

// Vector offsets within a group of four (Arm ARM table D1-7).
constexpr std::uint64_t kSynchronous = 0x000, kIrqVector = 0x080, kFiqVector = 0x100;
// Groups: same level with SP_EL0, same level with SP_ELx, lower level in AArch64.
constexpr std::uint64_t kCurrentSp0 = 0x000, kCurrentSpx = 0x200, kLower64 = 0x400;

constexpr std::uint64_t kEsrIl = 1u << 25;  // every A64 instruction is 32 bits long
constexpr std::uint64_t kSpsrSs = 1u << 21, kSpsrIl = 1u << 20, kSpsrPan = 1u << 22, kSpsrUao = 1u << 23;
constexpr std::uint64_t kMdcrTde = 1u << 8;
constexpr std::uint8_t kMaskI = 2, kMaskF = 1;  // within Pstate::daif

// The class as ESR shows it: some differ by whether the exception comes from a lower level.
std::uint8_t esr_class(ExceptionClass ec, bool from_lower) {
  const auto value = static_cast<std::uint8_t>(ec);
  switch (ec) {
    case ExceptionClass::kInstructionAbort:
    case ExceptionClass::kDataAbort:
    case ExceptionClass::kBreakpoint:
    case ExceptionClass::kStep:
    case ExceptionClass::kWatchpoint:
      return from_lower ? static_cast<std::uint8_t>(value - 1) : value;
    default:
      return value;
  }
}

bool is_external_abort(const Exception& exception) {
  const bool abort = exception.ec == ExceptionClass::kDataAbort || exception.ec == ExceptionClass::kInstructionAbort;
  const std::uint32_t status = exception.iss & 0x3f;
  return abort && (status == 0x10 || (status >= 0x14 && status <= 0x17));
}

bool is_debug(ExceptionClass ec) {
  return ec == ExceptionClass::kBrk || ec == ExceptionClass::kBreakpoint || ec == ExceptionClass::kStep ||
         ec == ExceptionClass::kWatchpoint;
}

}  // namespace

std::uint64_t System::pstate_to_spsr() const {
  const Pstate& p = state_.pstate;
  return (state_.nzcv & 0xf000'0000u) | (p.uao ? kSpsrUao : 0) | (p.pan ? kSpsrPan : 0) | (p.ss ? kSpsrSs : 0) |
         (p.il ? kSpsrIl : 0) | (std::uint64_t{p.daif} << 6) | (std::uint64_t{p.el} << 2) | (p.sp_sel ? 1u : 0u);
}

void System::save_sp() { state_.sp_el[state_.pstate.sp_sel ? state_.pstate.el : 0] = state_.x[kSpSlot]; }
void System::load_sp() { state_.x[kSpSlot] = state_.sp_el[state_.pstate.sp_sel ? state_.pstate.el : 0]; }

GicContext System::gic_context() const {
  const unsigned el = state_.pstate.el;
  const bool virtualised = el < 2 && non_secure() && (control_.hcr_el2 & (hcr_bit::kImo | hcr_bit::kFmo)) != 0;
  return {static_cast<std::uint8_t>(el), secure(), virtualised};
}

void System::context_changed() {
  host_.context_changed();
  if (gic_ != nullptr) {
    const GicContext context = gic_context();
    // Which group shows as IRQ or FIQ depends on Security state and on being at EL3, not on the other levels (IHI 0069H
    // table 4-3); a system call must not cost a synchronisation.
    if (context.secure != told_gic_.secure || (context.el == 3) != (told_gic_.el == 3)) {
      host_.synchronise();
      told_gic_ = context;
      gic_->state_changed(context);
    }
  }
  if (interrupt_takeable()) host_.attention();
}

void System::enter_el(unsigned el) { state_.pstate.el = static_cast<std::uint8_t>(el); }

unsigned System::route_synchronous(const Exception& exception) const {
  const unsigned el = state_.pstate.el;
  if (exception.target_el != 0) return exception.target_el > el ? exception.target_el : (el == 0 ? 1 : el);
  if (el == 3) return 3;
  if (exception.ec == ExceptionClass::kSmc) return 3;
  if (exception.ec == ExceptionClass::kHvc) return 2;
  if (is_external_abort(exception) && (control_.scr_el3 & scr_bit::kEa) != 0) return 3;
  if (el == 2) return 2;
  const bool el2 = non_secure() && config_.start_el >= 2;
  if (el2 && is_debug(exception.ec) && (control_.mdcr_el2 & kMdcrTde) != 0) return 2;
  if (el2 && el == 0 && (control_.hcr_el2 & hcr_bit::kTge) != 0) return 2;
  return 1;
}

void System::enter_exception(unsigned target, std::uint64_t vector_kind, std::uint64_t return_address) {
  Pstate& p = state_.pstate;
  const std::uint64_t group = target > p.el ? kLower64 : (p.sp_sel ? kCurrentSpx : kCurrentSp0);
  save_sp();
  state_.spsr[target] = pstate_to_spsr();
  state_.elr[target] = return_address;
  if (has_pan() && target == 1 && (control_.sctlr[1] & sctlr_bit::kSpan) == 0) p.pan = true;
  p.sp_sel = true;
  p.daif = 0xf;
  p.ss = p.il = p.uao = false;
  enter_el(target);
  load_sp();
  state_.pc = state_.vbar[target] + group + vector_kind;
  context_changed();
}

Flow System::take(const Exception& exception, std::uint64_t pc) {
  const unsigned target = route_synchronous(exception);
  const std::uint8_t ec = esr_class(exception.ec, target > state_.pstate.el);
  const bool is_call = (exception.ec == ExceptionClass::kSvc || exception.ec == ExceptionClass::kHvc ||
                        exception.ec == ExceptionClass::kSmc) &&
                       exception.target_el == 0;
  state_.esr[target] = (std::uint64_t{ec} << 26) | kEsrIl | (exception.iss & 0x01ff'ffffu);
  if (exception.has_far) state_.far[target] = exception.far;
  host_.exception_taken(ec, target);
  enter_exception(target, kSynchronous, is_call ? pc + 4 : pc);
  return Flow::kContinue;
}

bool System::model_answers(ExceptionClass kind) const {
  PsciConduit conduit = config_.psci;
  if (conduit == PsciConduit::kAuto) conduit = config_.start_el == 1 ? PsciConduit::kHvc : PsciConduit::kSmc;
  if (kind == ExceptionClass::kSmc) return conduit == PsciConduit::kSmc && !control_.vbar_el3_written;
  return kind == ExceptionClass::kHvc && conduit == PsciConduit::kHvc;
}

Flow System::call(ExceptionClass kind, std::uint32_t imm16, std::uint64_t pc) {
  const unsigned el = state_.pstate.el;
  if (kind == ExceptionClass::kSvc) return take({.ec = kind, .iss = imm16}, pc);
  if (el == 0) return take({.ec = ExceptionClass::kUnknown}, pc);
  // A trapped SMC returns to itself, unlike one that is taken. @spec Arm ARM D1.3.1, HCR_EL2.TSC
  if (kind == ExceptionClass::kSmc && el == 1 && non_secure() && (control_.hcr_el2 & hcr_bit::kTsc) != 0) {
    return take({.ec = kind, .iss = imm16, .target_el = 2}, pc);
  }
  if (model_answers(kind)) {
    host_.synchronise();
    state_.pc = pc + 4;
    std::uint64_t result = 0;
    const auto function = static_cast<std::uint32_t>(state_.x[0]);
    const Flow flow = host_.psci_call(function, {state_.x[1], state_.x[2], state_.x[3]}, result);
    if (flow != Flow::kOff && flow != Flow::kStop) state_.x[0] = result;
    return flow;
  }
  bool enabled = false;
  if (kind == ExceptionClass::kSmc) {
    enabled = config_.start_el == 3 && (control_.scr_el3 & scr_bit::kSmd) == 0;
  } else {
    enabled = config_.start_el >= 2 && (control_.scr_el3 & scr_bit::kHce) != 0 && !(el == 1 && !non_secure());
  }
  if (!enabled) return take({.ec = ExceptionClass::kUnknown}, pc);
  return take({.ec = kind, .iss = imm16}, pc);
}

Flow System::halt(std::uint32_t imm16, std::uint64_t pc) {
  // Halting debug is never enabled here, so every other HLT is UNDEFINED. @spec Arm ARM C6.2.96; Arm semihosting,
  // section 5.1
  if (imm16 != 0xf000 || !config_.semihosting) return take({.ec = ExceptionClass::kUnknown}, pc);
  host_.synchronise();
  state_.pc = pc + 4;
  return host_.semihosting_call();
}

void System::eret(std::uint64_t pc) {
  Pstate& p = state_.pstate;
  const unsigned from = p.el;
  if (from == 0) return undefined(pc);
  const std::uint64_t spsr = state_.spsr[from];
  const auto to = static_cast<unsigned>((spsr >> 2) & 3);
  const bool el2_there = config_.start_el >= 2 && non_secure();
  const bool tge = el2_there && (control_.hcr_el2 & hcr_bit::kTge) != 0;
  const bool illegal = (spsr & 0x10) != 0 || (spsr & 2) != 0 || to > from || (to == 0 && (spsr & 1) != 0) ||
                       (to == 2 && from != 2 && !el2_there) || (to == 1 && tge);
  state_.pc = state_.elr[from];
  state_.nzcv = static_cast<std::uint32_t>(spsr & 0xf000'0000u);
  save_sp();
  p.daif = static_cast<std::uint8_t>((spsr >> 6) & 0xf);
  p.ss = false;
  p.il = illegal || (spsr & kSpsrIl) != 0;
  if (has_pan()) p.pan = (spsr & kSpsrPan) != 0;
  if (!illegal) {
    p.sp_sel = (spsr & 1) != 0;
    enter_el(to);
    state_.pc = canonical_branch_target(state_.pc);
  }
  load_sp();
  state_.monitor_size = 0;       // @spec Arm ARM B2.9.1: an exception return clears the local monitor
  state_.event_register = true;  // @spec Arm ARM D1.4, SendEventLocal in AArch64.ExceptionReturn
  context_changed();
}

unsigned System::interrupt_target(CoreInterrupt which) const {
  if (!interrupt_[static_cast<unsigned>(which)]) {
    const bool set_by_hcr = (which == CoreInterrupt::kVirtualIrq && (control_.hcr_el2 & hcr_bit::kVi) != 0) ||
                            (which == CoreInterrupt::kVirtualFiq && (control_.hcr_el2 & hcr_bit::kVf) != 0);
    if (!set_by_hcr) return 0;
  }
  const unsigned el = state_.pstate.el;
  const bool is_irq = which == CoreInterrupt::kIrq || which == CoreInterrupt::kVirtualIrq;
  const bool masked = (state_.pstate.daif & (is_irq ? kMaskI : kMaskF)) != 0;
  const bool el2 = config_.start_el >= 2 && non_secure();
  const std::uint64_t route = is_irq ? hcr_bit::kImo : hcr_bit::kFmo;
  const bool tge = el2 && (control_.hcr_el2 & hcr_bit::kTge) != 0;
  if (which == CoreInterrupt::kVirtualIrq || which == CoreInterrupt::kVirtualFiq) {
    const bool enabled = el2 && (control_.hcr_el2 & route) != 0 && !tge && el < 2;
    return enabled && !masked ? 1 : 0;
  }
  // Arm ARM table D1-13: an interrupt for a level below stays pending; for the present level PSTATE masks; for EL2 and
  // EL3 from below nothing masks.
  unsigned target = 1;
  if ((control_.scr_el3 & (is_irq ? scr_bit::kIrq : scr_bit::kFiq)) != 0) {
    target = 3;
  } else if (el2 && (tge || (control_.hcr_el2 & route) != 0)) {
    target = 2;
  }
  if (target < el) return 0;
  if (target > el && target >= 2) return target;
  return masked ? 0 : target;
}

bool System::interrupt_takeable() const {
  for (unsigned which = 0; which < interrupt_.size(); ++which) {
    if (interrupt_target(static_cast<CoreInterrupt>(which)) != 0) return true;
  }
  return false;
}

bool System::take_interrupt() {
  // The order among asynchronous exceptions is IMPLEMENTATION DEFINED (Arm ARM D1.3.6); FIQ goes first here.
  constexpr CoreInterrupt kOrder[] = {CoreInterrupt::kFiq, CoreInterrupt::kIrq, CoreInterrupt::kVirtualFiq,
                                      CoreInterrupt::kVirtualIrq};
  for (const CoreInterrupt which : kOrder) {
    const unsigned target = interrupt_target(which);
    if (target == 0) continue;
    const bool is_irq = which == CoreInterrupt::kIrq || which == CoreInterrupt::kVirtualIrq;
    host_.exception_taken(is_irq ? kIrqStatistic : kFiqStatistic, target);
    enter_exception(target, is_irq ? kIrqVector : kFiqVector, state_.pc);
    return true;
  }
  return false;
}

bool System::wakes_from_wfi() const {
  if (interrupt_[0] || interrupt_[1]) return true;
  const bool virtual_routed = state_.pstate.el < 2 && non_secure();
  return virtual_routed && ((interrupt_[2] && (control_.hcr_el2 & hcr_bit::kImo) != 0) ||
                            (interrupt_[3] && (control_.hcr_el2 & hcr_bit::kFmo) != 0) ||
                            (control_.hcr_el2 & (hcr_bit::kVi | hcr_bit::kVf)) != 0);
}

bool System::wakes_from_wfe() const { return state_.event_register || interrupt_takeable(); }

void System::set_interrupt(CoreInterrupt which, bool level) {
  interrupt_[static_cast<unsigned>(which)] = level;
  if (level) host_.attention();
}

Flow System::wait_for_interrupt(std::uint64_t pc) {
  const unsigned el = state_.pstate.el;
  constexpr std::uint32_t kIss = (1u << 24) | (0xeu << 20);  // CV = 1, COND = always, TI = 0
  if (wakes_from_wfi()) return Flow::kContinue;
  if (const unsigned level = wait_trap(el, sctlr_bit::kNTwi, hcr_bit::kTwi, scr_bit::kTwi); level != 0) {
    return take({.ec = ExceptionClass::kWfx, .iss = kIss, .target_el = static_cast<std::uint8_t>(level)}, pc);
  }
  return Flow::kWaitInterrupt;
}

Flow System::wait_for_event(std::uint64_t pc) {
  const unsigned el = state_.pstate.el;
  constexpr std::uint32_t kIss = (1u << 24) | (0xeu << 20) | 1;  // TI = 1: WFE
  if (state_.event_register) {
    state_.event_register = false;
    return Flow::kContinue;
  }
  if (interrupt_takeable()) return Flow::kContinue;
  if (const unsigned level = wait_trap(el, sctlr_bit::kNTwe, hcr_bit::kTwe, scr_bit::kTwe); level != 0) {
    return take({.ec = ExceptionClass::kWfx, .iss = kIss, .target_el = static_cast<std::uint8_t>(level)}, pc);
  }
  return Flow::kWaitEvent;
}

unsigned System::wait_trap(unsigned el, std::uint64_t sctlr_bit, std::uint64_t hcr_bit, std::uint64_t scr_bit) const {
  const bool el2 = config_.start_el >= 2 && non_secure();
  if (el == 0 && (control_.sctlr[1] & sctlr_bit) == 0) return el2 && (control_.hcr_el2 & hcr_bit::kTge) != 0 ? 2 : 1;
  if (el < 2 && el2 && (control_.hcr_el2 & hcr_bit) != 0) return 2;
  if (el < 3 && config_.start_el == 3 && (control_.scr_el3 & scr_bit) != 0) return 3;
  return 0;
}

bool System::fp_enabled() const { return fp_exception_level() == 0; }

unsigned System::fp_exception_level() const {
  const unsigned el = state_.pstate.el;
  const bool el2 = config_.start_el >= 2 && non_secure();
  const auto fpen = static_cast<unsigned>((control_.cpacr_el1 >> 20) & 3);
  constexpr std::uint64_t kTfp = 1u << 10;
  const bool tge = el2 && (control_.hcr_el2 & hcr_bit::kTge) != 0;
  if (el < 2 && !tge) {
    if (fpen == 0 || fpen == 2) return 1;
    if (fpen == 1 && el == 0) return 1;
  }
  if (el < 3 && el2 && (control_.cptr_el2 & kTfp) != 0) return 2;
  if (config_.start_el == 3 && (control_.cptr_el3 & kTfp) != 0) return 3;
  return 0;
}

Exception System::fp_exception() const {
  return {.ec = ExceptionClass::kFpAccess,
          .iss = (1u << 24) | (0xeu << 20),
          .target_el = static_cast<std::uint8_t>(fp_exception_level())};
}

bool System::sp_alignment_checked() const {
  return (sctlr() & (state_.pstate.el == 0 ? sctlr_bit::kSa0 : sctlr_bit::kSa)) != 0;
}

}  // namespace dpusim::cpu
