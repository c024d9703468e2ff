#include "cpu/a64/arch/system.h"

#include <fmt/format.h>

#include "cpu/a64/arch/mmu.h"
#include "cpu/a64/arch/registers.h"

namespace dpusim::cpu {

FeatureSet core_features(CoreModel core) {
  FeatureSet features = 0;
  for (const Feature f :
       {Feature::kFp, Feature::kCrc32, Feature::kAes, Feature::kPmull, Feature::kSha1, Feature::kSha2}) {
    features |= feature_bit(f);
  }
  if (core == CoreModel::kCortexA78) {
    for (const Feature f : {Feature::kLse, Feature::kRdm, Feature::kDotProd, Feature::kRcpc})
      features |= feature_bit(f);
  }
  return features;
}

System::System(CpuState& state, SystemHost& host, const SystemConfig& config)
    : state_(state), host_(host), config_(config), timers_(config.timer_frequency) {
  reset(0, 0);
}

std::uint64_t System::mpidr() const {
  return (1ull << 31) | (static_cast<std::uint64_t>(config_.number / 16) << 8) | (config_.number % 16);
}

void System::reset(std::uint64_t pc, std::uint64_t x0) {
  state_ = CpuState{};
  state_.pc = pc;
  state_.x[0] = x0;
  state_.pstate.el = static_cast<std::uint8_t>(config_.start_el);
  control_ = Control{};
  control_.rvbar_el3 = pc;
  control_.sctlr[1] = sctlr_bit::kRes1El1 | sctlr_bit::kSa | sctlr_bit::kSa0 | sctlr_bit::kNTwi | sctlr_bit::kNTwe;
  control_.sctlr[2] = control_.sctlr[3] = sctlr_bit::kRes1El23 | sctlr_bit::kSa;
  control_.hcr_el2 = hcr_bit::kRw;
  control_.cptr_el2 = 0x33ff;
  control_.vpidr_el2 = main_id(*this);
  control_.vmpidr_el2 = mpidr();
  control_.scr_el3 = scr_bit::kRes1 | scr_bit::kRw;
  // A guest that starts below EL3 finds what firmware leaves: Non-secure state, HVC enabled.
  if (config_.start_el < 3) control_.scr_el3 |= scr_bit::kNs | scr_bit::kHce;
  pmu_ = Pmu{};
  largest_leaf_ = 4096;
  timers_.reset();
  interrupt_ = {};
  told_gic_ = gic_context();
  if (gic_ != nullptr) {
    gic_->reset();
    gic_->state_changed(told_gic_);
  }
  host_.flush_translations({});
  host_.context_changed();
}

std::uint64_t System::pending_interrupts() const {
  // At Non-secure EL1 the virtual interrupts show where the physical ones are routed to EL2. @spec Arm ARM D17.2.68
  const bool guest = state_.pstate.el == 1 && el2_enabled(*this);
  const bool virtual_irq = guest && (control_.hcr_el2 & hcr_bit::kImo) != 0,
             virtual_fiq = guest && (control_.hcr_el2 & hcr_bit::kFmo) != 0;
  const bool irq = virtual_irq ? interrupt_[2] || (control_.hcr_el2 & hcr_bit::kVi) != 0 : interrupt_[0];
  const bool fiq = virtual_fiq ? interrupt_[3] || (control_.hcr_el2 & hcr_bit::kVf) != 0 : interrupt_[1];
  return (irq ? 0x80u : 0u) | (fiq ? 0x40u : 0u);
}

namespace {

// ISS of a trapped MSR, MRS or system instruction. @spec Arm ARM D17.2.37, EC 0x18
std::uint32_t access_iss(SysRegKey key, unsigned rt, bool is_read) {
  return (std::uint32_t{key.op0} << 20) | (std::uint32_t{key.op2} << 17) | (std::uint32_t{key.op1} << 14) |
         (std::uint32_t{key.crn} << 10) | (rt << 5) | (std::uint32_t{key.crm} << 1) | (is_read ? 1u : 0u);
}

bool is_gic_register(SysRegKey key) {
  if (key.op0 != 3 || (key.op1 != 0 && key.op1 != 4 && key.op1 != 6)) return false;
  return (key.crn == 12 && key.crm >= 8) || key == SysRegKey{3, 0, 4, 6, 0};
}

// Which of SCR_EL3.{FIQ, IRQ} trap a register of the CPU interface: its interrupt group's, or both together for common
// ones.
enum class GicGroup { kNone, kZero, kOne, kCommon, kSgi };
GicGroup gic_group(SysRegKey key) {
  if (key.crn == 4) return GicGroup::kCommon;
  switch (key.crm) {
    case 8:
      return GicGroup::kZero;
    case 9:
      return GicGroup::kOne;
    case 11:
      return key.op2 >= 5 ? GicGroup::kSgi : GicGroup::kCommon;
    case 12: {
      if (key.op2 <= 3 || key.op2 == 7) return GicGroup::kOne;
      if (key.op2 == 6) return GicGroup::kZero;
      return key.op2 == 4 ? GicGroup::kCommon : GicGroup::kNone;
    }
    default:
      return GicGroup::kNone;
  }
}

}  // namespace

SysRegResult System::refuse(unsigned level, SysRegKey key, unsigned rt, bool is_read, Exception& fault) const {
  if (level == kUndefinedAccess) return SysRegResult::kUndefined;
  if (level == kFpTrapAccess) {
    fault = fp_exception();
  } else {
    fault = {.ec = ExceptionClass::kSysReg,
             .iss = access_iss(key, rt, is_read),
             .target_el = static_cast<std::uint8_t>(level)};
  }
  return SysRegResult::kTrapped;
}

SysRegResult System::gic_access(SysRegKey key, unsigned rt, bool is_read, std::uint64_t& value, Exception& fault) {
  const unsigned el = state_.pstate.el;
  const unsigned least = key.op1 == 0 ? 1 : (key.op1 == 4 ? 2 : 3);
  if (gic_ == nullptr || el < least) return SysRegResult::kUndefined;
  if (key.op1 == 0 && el < 3) {
    const GicGroup group = gic_group(key);
    const std::uint64_t both = hcr_bit::kImo | hcr_bit::kFmo;
    if (group == GicGroup::kSgi && el == 1 && el2_enabled(*this) && (control_.hcr_el2 & both) != 0)
      return refuse(2, key, rt, is_read, fault);
    const bool fiq = (control_.scr_el3 & scr_bit::kFiq) != 0, irq = (control_.scr_el3 & scr_bit::kIrq) != 0;
    const bool trapped = (group == GicGroup::kZero && fiq) || (group == GicGroup::kOne && irq) ||
                         ((group == GicGroup::kCommon || group == GicGroup::kSgi) && fiq && irq);
    if (trapped && !gic_context().virtualised) return refuse(3, key, rt, is_read, fault);
  }
  host_.synchronise();
  const std::uint16_t encoding = key.packed();
  const bool known = is_read ? gic_->read(encoding, gic_context(), value) : gic_->write(encoding, gic_context(), value);
  if (!known) return SysRegResult::kUndefined;
  if (interrupt_takeable()) host_.attention();
  return SysRegResult::kOkEndBlock;
}

SysRegResult System::read(SysRegKey key, unsigned rt, std::uint64_t& value, Exception& fault) {
  if (is_gic_register(key)) return gic_access(key, rt, true, value, fault);
  const SystemRegister* row = find_register(key);
  if (row == nullptr) {
    host_.report(fmt::format("mrs {:04x}", key.packed()),
                 fmt::format("MRS of S{}_{}_C{}_C{}_{}: no such register here, UNDEFINED to the guest", key.op0,
                             key.op1, key.crn, key.crm, key.op2));
    return SysRegResult::kUndefined;
  }
  if (row->read == nullptr || state_.pstate.el < row->read_el) return SysRegResult::kUndefined;
  const unsigned level = row->check != nullptr ? row->check(*this, true) : kAllowed;
  if (level != kAllowed) return refuse(level, key, rt, true, fault);
  value = row->read(*this);
  return SysRegResult::kOk;
}

bool System::peek(SysRegKey key, std::uint64_t& value) const {
  if (is_gic_register(key)) return gic_ != nullptr && gic_->peek(key.packed(), gic_context(), value);
  const SystemRegister* row = find_register(key);
  if (row == nullptr || row->read == nullptr) return false;
  value = row->read(*this);
  return true;
}

SysRegResult System::write(SysRegKey key, unsigned rt, std::uint64_t value, Exception& fault) {
  if (is_gic_register(key)) return gic_access(key, rt, false, value, fault);
  const SystemRegister* row = find_register(key);
  if (row == nullptr) {
    host_.report(fmt::format("msr {:04x}", key.packed()),
                 fmt::format("MSR to S{}_{}_C{}_C{}_{}: no such register here, UNDEFINED to the guest", key.op0,
                             key.op1, key.crn, key.crm, key.op2));
    return SysRegResult::kUndefined;
  }
  if (row->write == nullptr || state_.pstate.el < row->write_el) return SysRegResult::kUndefined;
  const unsigned level = row->check != nullptr ? row->check(*this, false) : kAllowed;
  if (level != kAllowed) return refuse(level, key, rt, false, fault);
  row->write(*this, value);
  return SysRegResult::kOkEndBlock;
}

SysRegResult System::write_pstate(unsigned op1, unsigned op2, unsigned crm, Exception& fault) {
  const unsigned el = state_.pstate.el;
  const SysRegKey key{0, static_cast<std::uint8_t>(op1), 4, static_cast<std::uint8_t>(crm),
                      static_cast<std::uint8_t>(op2)};
  if (op1 == 3 && (op2 == 6 || op2 == 7)) {  // DAIFSet, DAIFClr
    if (el == 0 && (control_.sctlr[1] & sctlr_bit::kUma) == 0) return refuse(el1_or_tge(*this), key, 31, false, fault);
    const auto mask = static_cast<std::uint8_t>(crm & 0xf);
    Pstate& p = state_.pstate;
    p.daif = static_cast<std::uint8_t>(op2 == 6 ? p.daif | mask : p.daif & ~mask);
    if (op2 == 7 && interrupt_takeable()) host_.attention();
    return SysRegResult::kOkEndBlock;
  }
  if (el == 0) return SysRegResult::kUndefined;
  if (op1 == 0 && op2 == 5) {  // SPSel
    save_sp();
    state_.pstate.sp_sel = (crm & 1) != 0;
    load_sp();
    return SysRegResult::kOkEndBlock;
  }
  if (op1 == 0 && op2 == 4 && has_pan()) {
    state_.pstate.pan = (crm & 1) != 0;
    context_changed();
    return SysRegResult::kOkEndBlock;
  }
  return SysRegResult::kUndefined;
}

SysRegResult System::system_instruction(SysRegKey key, unsigned rt, std::uint64_t value, Exception& fault) {
  if (key.op0 == 1 && key.crn == 8) return tlb_instruction(key, rt, value, fault);
  if (key.op0 == 1 && key.crn == 7 && key.crm == 8) {
    const unsigned least = key.op1 == 0 ? 1 : (key.op1 == 4 ? 2 : 3);
    if (state_.pstate.el < least) return SysRegResult::kUndefined;
    return address_translation(key, value);
  }
  if (key.op0 == 1 && key.crn == 7) return cache_instruction(key, rt, value, fault);
  host_.report(fmt::format("sys {:04x}", key.packed()),
               fmt::format("SYS #{}, C{}, C{}, #{}: no such instruction here, UNDEFINED to the guest", key.op1, key.crn,
                           key.crm, key.op2));
  return SysRegResult::kUndefined;
}

SysRegResult System::dc_zva_trap(unsigned rt, Exception& fault) {
  constexpr SysRegKey kKey{1, 3, 7, 4, 1};
  const unsigned el = state_.pstate.el;
  if (el == 0 && (control_.sctlr[1] & sctlr_bit::kDze) == 0) return refuse(el1_or_tge(*this), kKey, rt, false, fault);
  if (el < 2 && hcr(*this, hcr_bit::kTdz)) return refuse(2, kKey, rt, false, fault);
  return SysRegResult::kOk;
}

SysRegResult System::cache_instruction(SysRegKey key, unsigned rt, std::uint64_t va, Exception& fault) {
  const unsigned el = state_.pstate.el;
  const unsigned operation = (key.op1 << 8) | (key.crm << 4) | key.op2;
  enum : unsigned {
    kIallUis = 0x010,
    kIallU = 0x050,
    kIvac = 0x061,
    kIsw = 0x062,
    kCsw = 0x0a2,
    kCisw = 0x0e2,
    kIvau = 0x351,
    kCvac = 0x3a1,
    kCvau = 0x3b1,
    kCvap = 0x3c1,
    kCivac = 0x3e1
  };
  std::uint64_t trap = 0;
  bool by_address = true;
  switch (operation) {
    case kIallUis:
    case kIallU:
      trap = hcr_bit::kTpu;
      by_address = false;
      break;
    case kIsw:
    case kCsw:
    case kCisw:
      trap = hcr_bit::kTsw;
      by_address = false;
      break;
    case kIvau:
    case kCvau:
      trap = hcr_bit::kTpu;
      break;
    case kIvac:
    case kCvac:
    case kCivac:
      trap = hcr_bit::kTpc;
      break;
    case kCvap:
      if (config_.core != CoreModel::kCortexA78) return SysRegResult::kUndefined;
      trap = hcr_bit::kTpc;
      break;
    default:
      return SysRegResult::kUndefined;
  }
  if (el == 0 && key.op1 != 3) return SysRegResult::kUndefined;
  if (el == 0 && (control_.sctlr[1] & sctlr_bit::kUci) == 0) return refuse(el1_or_tge(*this), key, rt, false, fault);
  if (el < 2 && hcr(*this, trap)) return refuse(2, key, rt, false, fault);
  if (operation == kIallUis || operation == kIallU) {
    host_.invalidate_code(0, 0, operation == kIallUis);
    return SysRegResult::kOkEndBlock;
  }
  // Caches keep tags only, so data operations move nothing; they do fault like the accesses they stand for. A fault
  // says CM and WnR.
  if (!by_address) return SysRegResult::kOk;
  Translation out;
  if (!translate(va, operation == kIvac ? Access::kWrite : Access::kRead, false, out, fault)) {
    constexpr std::uint32_t kCm = 1u << 8, kWnr = 1u << 6;
    const bool permission = (fault.iss & 0x3c) == 0x0c;
    // Above EL0 only IVAC asks for permission. @spec Arm ARM D7.5.8
    if (!permission || el == 0 || operation == kIvac) {
      fault.iss |= kCm | kWnr;
      return SysRegResult::kTrapped;
    }
  }
  if (operation == kIvau) {
    host_.invalidate_code(out.physical & ~63ull, 64, true);
    return SysRegResult::kOkEndBlock;
  }
  return SysRegResult::kOk;
}

TlbScope System::page_scope(std::uint64_t operand) const {
  // Rt[43:0] is VA[55:12]. A page that was mapped by a block goes with the whole block, whose size is not in the
  // operand.
  const std::uint64_t page = operand << 12;
  const std::uint64_t va = static_cast<std::uint64_t>(static_cast<std::int64_t>(page << 8) >> 8);
  return widened({.all = false, .va = va, .size = 4096});
}

TlbScope System::widened(const TlbScope& scope) const {
  if (scope.all || scope.size >= largest_leaf_) return scope;
  return {.all = false, .va = scope.va & ~(largest_leaf_ - 1), .size = largest_leaf_};
}

SysRegResult System::tlb_instruction(SysRegKey key, unsigned rt, std::uint64_t value, Exception& fault) {
  const unsigned el = state_.pstate.el;
  const unsigned least = key.op1 == 0 ? 1 : (key.op1 == 4 ? 2 : (key.op1 == 6 ? 3 : 4));
  if (el < least) return SysRegResult::kUndefined;
  const bool stage2 = key.op1 == 4 && (key.crm == 0 || key.crm == 4) && (key.op2 == 1 || key.op2 == 5);
  if (!stage2 && key.crm != 3 && key.crm != 7) return SysRegResult::kUndefined;
  // op2 of the forms that exist, as a mask: EL1: 0-3, 5, 7; EL2: 0, 1, 4-6; EL3: 0, 1, 5.
  const unsigned forms = key.op1 == 0 ? 0xaf : (key.op1 == 4 ? 0x73 : 0x23);
  if (!stage2 && ((forms >> key.op2) & 1) == 0) return SysRegResult::kUndefined;
  if (el == 1 && hcr(*this, hcr_bit::kTtlb)) return refuse(2, key, rt, false, fault);
  const bool by_va =
      !stage2 && (key.op1 == 0 ? (key.op2 == 1 || key.op2 == 3 || key.op2 >= 5) : (key.op2 == 1 || key.op2 == 5));
  const TlbScope scope = by_va ? page_scope(value) : TlbScope{};
  if (key.crm == 3 || key.crm == 0) {
    host_.flush_translations_inner_shareable(scope);
  } else {
    host_.flush_translations(scope);
  }
  return SysRegResult::kOkEndBlock;
}

SysRegResult System::address_translation(SysRegKey key, std::uint64_t va) {
  // op2: S1ExR, S1ExW, S1E0R, S1E0W, and the same for stages 1 and 2, which end at stage 1 here.
  const unsigned op2 = key.op2;
  const bool combined = key.op1 == 4 && op2 >= 4;
  if ((key.op1 == 0 && op2 > 3) || (key.op1 == 4 && (op2 == 2 || op2 == 3)) || (key.op1 == 6 && op2 > 1))
    return SysRegResult::kUndefined;
  if (key.op1 != 0 && key.op1 != 4 && key.op1 != 6) return SysRegResult::kUndefined;
  const unsigned regime = key.op1 == 0 || combined ? 1 : (key.op1 == 4 ? 2 : 3);
  const bool write = (op2 & 1) != 0, user = (key.op1 == 0 || combined) && (op2 & 2) != 0;
  const WalkResult result = walk(*this, regime, va, false);
  bool refused = false;
  if (!result.fault) {
    const Permissions p = permissions(*this, result, user ? 0 : regime, false);
    refused = write ? !p.writable : !p.readable;
  }
  control_.par_el1 = par_of(result, refused);
  return SysRegResult::kOk;
}

}  // namespace dpusim::cpu
