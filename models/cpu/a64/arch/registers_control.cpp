// Registers that control translation, exceptions and routing, and the special-purpose registers of PSTATE.
#include "cpu/a64/arch/registers.h"

namespace dpusim::cpu {

namespace {

// --- SCTLR, TCR, TTBR, MAIR: a change drops translations
// -----------------------------------------------------------------------
template <auto Member, unsigned I, std::uint64_t Mask = ~0ull, std::uint64_t Ones = 0>
void store_translation(System& s, std::uint64_t value) {
  std::uint64_t& stored_value = member_of(s, Member)[I];
  const std::uint64_t next = (value & Mask) | Ones;
  if (next == stored_value) return;
  stored_value = next;
  s.host().flush_translations({});
  s.context_changed();
}
void write_ttbr1(System& s, std::uint64_t value) {
  if (value == s.control().ttbr1_el1) return;
  s.control().ttbr1_el1 = value;
  s.host().flush_translations({});
}

// Big-endian data is not implemented: EE and E0E are RAZ/WI, as ID_AA64MMFR0_EL1.BigEnd = 0 says.
constexpr std::uint64_t kSctlrEl1Bits =
    sctlr_bit::kM | sctlr_bit::kA | sctlr_bit::kC | sctlr_bit::kSa | sctlr_bit::kSa0 | sctlr_bit::kUma | sctlr_bit::kI |
    sctlr_bit::kDze | sctlr_bit::kUct | sctlr_bit::kNTwi | sctlr_bit::kNTwe | sctlr_bit::kWxn | sctlr_bit::kUci;
constexpr std::uint64_t kSctlrEl23Bits =
    sctlr_bit::kM | sctlr_bit::kA | sctlr_bit::kC | sctlr_bit::kSa | sctlr_bit::kI | sctlr_bit::kWxn;
void write_sctlr_el1(System& s, std::uint64_t value) {
  // SPAN exists with FEAT_PAN and is RES1 without.
  const std::uint64_t span = s.has_pan() ? value & sctlr_bit::kSpan : sctlr_bit::kSpan;
  const std::uint64_t ones = sctlr_bit::kRes1El1 & ~sctlr_bit::kSpan;
  store_translation<&Control::sctlr, 1>(s, (value & kSctlrEl1Bits) | ones | span);
}

unsigned check_vm(const System& s, bool is_read) {
  return s.state().pstate.el == 1 && hcr(s, is_read ? hcr_bit::kTrvm : hcr_bit::kTvm) ? 2 : kAllowed;
}
constexpr auto kTacr = &trap_hcr<hcr_bit::kTacr>;

// --- Access control
// ------------------------------------------------------------------------------------------------------------
constexpr std::uint64_t kTcpac = 1u << 31;
unsigned check_cpacr(const System& s, bool) {
  if (s.state().pstate.el == 1 && el2_enabled(s) && (s.control().cptr_el2 & kTcpac) != 0) return 2;
  return s.state().pstate.el < 3 && (s.control().cptr_el3 & kTcpac) != 0 ? 3 : kAllowed;
}
unsigned check_cptr_el2(const System& s, bool) {
  return s.state().pstate.el == 2 && (s.control().cptr_el3 & kTcpac) != 0 ? 3 : kAllowed;
}
void write_cpacr(System& s, std::uint64_t value) {
  s.control().cpacr_el1 = value & 0x1030'0000;  // FPEN, TTA
  s.context_changed();
}
void write_cptr_el2(System& s, std::uint64_t value) {
  s.control().cptr_el2 = (value & 0x8010'0400) | 0x33ff;  // TCPAC, TTA, TFP; RES1
  s.context_changed();
}
void write_cptr_el3(System& s, std::uint64_t value) {
  s.control().cptr_el3 = value & 0x8010'0400;
  s.context_changed();
}
void write_hcr(System& s, std::uint64_t value) {
  constexpr std::uint64_t kBits = 0x1'ffff'ffff | (1ull << 32) | (1ull << 33);
  if ((value & hcr_bit::kVm) != 0) {
    s.host().report("stage2", "the guest set HCR_EL2.VM: stage 2 translation is not modelled and stays off");
  }
  if ((value & hcr_bit::kDc) != 0) {
    s.host().report("hcr.dc", "the guest set HCR_EL2.DC: default cacheability is not modelled and stays off");
  }
  s.control().hcr_el2 = (value & kBits) | hcr_bit::kRw;  // no AArch32 below: RW is RAO/WI
  s.host().flush_translations({});
  s.context_changed();
}
void write_scr(System& s, std::uint64_t value) {
  constexpr std::uint64_t kBits = scr_bit::kNs | scr_bit::kIrq | scr_bit::kFiq | scr_bit::kEa | scr_bit::kSmd |
                                  scr_bit::kHce | scr_bit::kSif | scr_bit::kSt | scr_bit::kTwi | scr_bit::kTwe;
  s.control().scr_el3 = (value & kBits) | scr_bit::kRes1 | scr_bit::kRw;
  s.host().flush_translations({});
  s.context_changed();
}
void write_vbar_el3(System& s, std::uint64_t value) {
  s.state().vbar[3] = value & ~0x7ffull;
  s.control().vbar_el3_written = true;
}
void write_rmr(System& s, std::uint64_t value) {
  if ((value & 2) != 0) s.host().report("rmr", "the guest asked for a warm reset by RMR_EL3, which is not modelled");
}

// --- PSTATE
// --------------------------------------------------------------------------------------------------------------------
std::uint64_t read_daif(const System& s) { return std::uint64_t{s.state().pstate.daif} << 6; }
void write_daif(System& s, std::uint64_t value) {
  s.state().pstate.daif = static_cast<std::uint8_t>((value >> 6) & 0xf);
  s.context_changed();
}
unsigned check_daif(const System& s, bool) {
  return s.state().pstate.el == 0 && (s.control().sctlr[1] & sctlr_bit::kUma) == 0 ? el1_or_tge(s) : kAllowed;
}
std::uint64_t read_nzcv(const System& s) { return s.state().nzcv; }
void write_nzcv(System& s, std::uint64_t value) { s.state().nzcv = static_cast<std::uint32_t>(value & 0xf000'0000u); }
unsigned check_fp(const System& s, bool) { return s.fp_enabled() ? kAllowed : kFpTrapAccess; }
std::uint64_t read_fpcr(const System& s) { return s.state().fpcr; }
// AHP, DN, FZ, RMode; trap enables are RAZ/WI (no trapping), Stride and Len are AArch32's.
void write_fpcr(System& s, std::uint64_t value) { s.state().fpcr = static_cast<std::uint32_t>(value & 0x07c0'0000u); }
std::uint64_t read_fpsr(const System& s) { return s.state().fpsr; }
void write_fpsr(System& s, std::uint64_t value) { s.state().fpsr = static_cast<std::uint32_t>(value & 0xf800'009fu); }
std::uint64_t read_currentel(const System& s) { return std::uint64_t{s.state().pstate.el} << 2; }
std::uint64_t read_spsel(const System& s) { return s.state().pstate.sp_sel ? 1 : 0; }
void write_spsel(System& s, std::uint64_t value) {
  s.save_sp();
  s.state().pstate.sp_sel = (value & 1) != 0;
  s.load_sp();
}
unsigned check_pan(const System& s, bool) { return s.has_pan() ? kAllowed : kUndefinedAccess; }
std::uint64_t read_pan(const System& s) { return s.state().pstate.pan ? 1u << 22 : 0; }
void write_pan(System& s, std::uint64_t value) {
  s.state().pstate.pan = (value & (1u << 22)) != 0;
  s.context_changed();
}
// With PSTATE.SP = 0 the register is the stack pointer itself, and its name is UNDEFINED. @spec Arm ARM C5.2.19
unsigned check_sp_el0(const System& s, bool) { return s.state().pstate.sp_sel ? kAllowed : kUndefinedAccess; }

std::uint64_t read_isr(const System& s) { return s.pending_interrupts(); }

constexpr std::uint64_t kSpsrMask = 0xffff'ffff, kEsrMask = 0xffff'ffff, kVbarMask = ~0x7ffull;
constexpr auto kStateEsr = &CpuState::esr;
constexpr auto kStateFar = &CpuState::far;
constexpr auto kStateElr = &CpuState::elr;
constexpr auto kStateSpsr = &CpuState::spsr;
constexpr auto kStateSp = &CpuState::sp_el;
constexpr auto kStateVbar = &CpuState::vbar;

constexpr SystemRegister kRows[] = {
    // EL1
    {"SCTLR_EL1", {3, 0, 1, 0, 0}, 1, 1, stored_at<&Control::sctlr, 1>, write_sctlr_el1, check_vm},
    {"ACTLR_EL1", {3, 0, 1, 0, 1}, 1, 1, read_zero, write_ignored, kTacr},
    {"CPACR_EL1", {3, 0, 1, 0, 2}, 1, 1, stored<&Control::cpacr_el1>, write_cpacr, check_cpacr},
    {"TTBR0_EL1",
     {3, 0, 2, 0, 0},
     1,
     1,
     stored_at<&Control::ttbr0, 1>,
     store_translation<&Control::ttbr0, 1>,
     check_vm},
    {"TTBR1_EL1", {3, 0, 2, 0, 1}, 1, 1, stored<&Control::ttbr1_el1>, write_ttbr1, check_vm},
    {"TCR_EL1", {3, 0, 2, 0, 2}, 1, 1, stored_at<&Control::tcr, 1>, store_translation<&Control::tcr, 1>, check_vm},
    {"SPSR_EL1", {3, 0, 4, 0, 0}, 1, 1, stored_at<kStateSpsr, 1>, store_at<kStateSpsr, 1, kSpsrMask>},
    {"ELR_EL1", {3, 0, 4, 0, 1}, 1, 1, stored_at<kStateElr, 1>, store_at<kStateElr, 1>},
    {"SP_EL0", {3, 0, 4, 1, 0}, 1, 1, stored_at<kStateSp, 0>, store_at<kStateSp, 0>, check_sp_el0},
    {"SPSel", {3, 0, 4, 2, 0}, 1, 1, read_spsel, write_spsel},
    {"CurrentEL", {3, 0, 4, 2, 2}, 1, kNever, read_currentel},
    {"PAN", {3, 0, 4, 2, 3}, 1, 1, read_pan, write_pan, check_pan},
    {"AFSR0_EL1", {3, 0, 5, 1, 0}, 1, 1, read_zero, write_ignored, check_vm},
    {"AFSR1_EL1", {3, 0, 5, 1, 1}, 1, 1, read_zero, write_ignored, check_vm},
    {"ESR_EL1", {3, 0, 5, 2, 0}, 1, 1, stored_at<kStateEsr, 1>, store_at<kStateEsr, 1, kEsrMask>, check_vm},
    {"FAR_EL1", {3, 0, 6, 0, 0}, 1, 1, stored_at<kStateFar, 1>, store_at<kStateFar, 1>, check_vm},
    {"PAR_EL1", {3, 0, 7, 4, 0}, 1, 1, stored<&Control::par_el1>, store<&Control::par_el1>},
    {"MAIR_EL1", {3, 0, 10, 2, 0}, 1, 1, stored_at<&Control::mair, 1>, store_translation<&Control::mair, 1>, check_vm},
    {"AMAIR_EL1", {3, 0, 10, 3, 0}, 1, 1, read_zero, write_ignored, check_vm},
    {"VBAR_EL1", {3, 0, 12, 0, 0}, 1, 1, stored_at<kStateVbar, 1>, store_at<kStateVbar, 1, kVbarMask>},
    {"ISR_EL1", {3, 0, 12, 1, 0}, 1, kNever, read_isr},
    {"CONTEXTIDR_EL1",
     {3, 0, 13, 0, 1},
     1,
     1,
     stored<&Control::contextidr_el1>,
     store<&Control::contextidr_el1, 0xffff'ffff>,
     check_vm},
    {"TPIDR_EL1", {3, 0, 13, 0, 4}, 1, 1, stored_at<&Control::tpidr, 1>, store_at<&Control::tpidr, 1>},
    // EL0
    {"NZCV", {3, 3, 4, 2, 0}, 0, 0, read_nzcv, write_nzcv},
    {"DAIF", {3, 3, 4, 2, 1}, 0, 0, read_daif, write_daif, check_daif},
    {"FPCR", {3, 3, 4, 4, 0}, 0, 0, read_fpcr, write_fpcr, check_fp},
    {"FPSR", {3, 3, 4, 4, 1}, 0, 0, read_fpsr, write_fpsr, check_fp},
    {"TPIDR_EL0", {3, 3, 13, 0, 2}, 0, 0, stored_at<&Control::tpidr, 0>, store_at<&Control::tpidr, 0>},
    {"TPIDRRO_EL0", {3, 3, 13, 0, 3}, 0, 1, stored<&Control::tpidrro_el0>, store<&Control::tpidrro_el0>},
    // EL2
    {"SCTLR_EL2",
     {3, 4, 1, 0, 0},
     2,
     2,
     stored_at<&Control::sctlr, 2>,
     store_translation<&Control::sctlr, 2, kSctlrEl23Bits, sctlr_bit::kRes1El23>},
    {"ACTLR_EL2", {3, 4, 1, 0, 1}, 2, 2, read_zero, write_ignored},
    {"HCR_EL2", {3, 4, 1, 1, 0}, 2, 2, stored<&Control::hcr_el2>, write_hcr},
    {"MDCR_EL2", {3, 4, 1, 1, 1}, 2, 2, stored<&Control::mdcr_el2>, store<&Control::mdcr_el2, 0xfff>},
    {"CPTR_EL2", {3, 4, 1, 1, 2}, 2, 2, stored<&Control::cptr_el2>, write_cptr_el2, check_cptr_el2},
    {"HSTR_EL2", {3, 4, 1, 1, 3}, 2, 2, stored<&Control::hstr_el2>, store<&Control::hstr_el2, 0xffff>},
    {"HACR_EL2", {3, 4, 1, 1, 7}, 2, 2, read_zero, write_ignored},
    {"TTBR0_EL2", {3, 4, 2, 0, 0}, 2, 2, stored_at<&Control::ttbr0, 2>, store_translation<&Control::ttbr0, 2>},
    {"TCR_EL2", {3, 4, 2, 0, 2}, 2, 2, stored_at<&Control::tcr, 2>, store_translation<&Control::tcr, 2>},
    {"VTTBR_EL2", {3, 4, 2, 1, 0}, 2, 2, stored<&Control::vttbr_el2>, store<&Control::vttbr_el2>},
    {"VTCR_EL2", {3, 4, 2, 1, 2}, 2, 2, stored<&Control::vtcr_el2>, store<&Control::vtcr_el2, 0xffff'ffff>},
    {"DACR32_EL2", {3, 4, 3, 0, 0}, 2, 2, read_zero, write_ignored},
    {"SPSR_EL2", {3, 4, 4, 0, 0}, 2, 2, stored_at<kStateSpsr, 2>, store_at<kStateSpsr, 2, kSpsrMask>},
    {"ELR_EL2", {3, 4, 4, 0, 1}, 2, 2, stored_at<kStateElr, 2>, store_at<kStateElr, 2>},
    {"SP_EL1", {3, 4, 4, 1, 0}, 2, 2, stored_at<kStateSp, 1>, store_at<kStateSp, 1>},
    {"SPSR_irq", {3, 4, 4, 3, 0}, 2, 2, read_zero, write_ignored},
    {"SPSR_abt", {3, 4, 4, 3, 1}, 2, 2, read_zero, write_ignored},
    {"SPSR_und", {3, 4, 4, 3, 2}, 2, 2, read_zero, write_ignored},
    {"SPSR_fiq", {3, 4, 4, 3, 3}, 2, 2, read_zero, write_ignored},
    {"IFSR32_EL2", {3, 4, 5, 0, 1}, 2, 2, read_zero, write_ignored},
    {"AFSR0_EL2", {3, 4, 5, 1, 0}, 2, 2, read_zero, write_ignored},
    {"AFSR1_EL2", {3, 4, 5, 1, 1}, 2, 2, read_zero, write_ignored},
    {"ESR_EL2", {3, 4, 5, 2, 0}, 2, 2, stored_at<kStateEsr, 2>, store_at<kStateEsr, 2, kEsrMask>},
    {"FPEXC32_EL2", {3, 4, 5, 3, 0}, 2, 2, read_zero, write_ignored},
    {"FAR_EL2", {3, 4, 6, 0, 0}, 2, 2, stored_at<kStateFar, 2>, store_at<kStateFar, 2>},
    {"HPFAR_EL2", {3, 4, 6, 0, 4}, 2, 2, stored<&Control::hpfar_el2>, store<&Control::hpfar_el2>},
    {"MAIR_EL2", {3, 4, 10, 2, 0}, 2, 2, stored_at<&Control::mair, 2>, store_translation<&Control::mair, 2>},
    {"AMAIR_EL2", {3, 4, 10, 3, 0}, 2, 2, read_zero, write_ignored},
    {"VBAR_EL2", {3, 4, 12, 0, 0}, 2, 2, stored_at<kStateVbar, 2>, store_at<kStateVbar, 2, kVbarMask>},
    {"TPIDR_EL2", {3, 4, 13, 0, 2}, 2, 2, stored_at<&Control::tpidr, 2>, store_at<&Control::tpidr, 2>},
    // EL3
    {"SCTLR_EL3",
     {3, 6, 1, 0, 0},
     3,
     3,
     stored_at<&Control::sctlr, 3>,
     store_translation<&Control::sctlr, 3, kSctlrEl23Bits, sctlr_bit::kRes1El23>},
    {"ACTLR_EL3", {3, 6, 1, 0, 1}, 3, 3, read_zero, write_ignored},
    {"SCR_EL3", {3, 6, 1, 1, 0}, 3, 3, stored<&Control::scr_el3>, write_scr},
    {"SDER32_EL3", {3, 6, 1, 1, 1}, 3, 3, stored<&Control::sder32_el3>, store<&Control::sder32_el3, 3>},
    {"CPTR_EL3", {3, 6, 1, 1, 2}, 3, 3, stored<&Control::cptr_el3>, write_cptr_el3},
    {"MDCR_EL3", {3, 6, 1, 3, 1}, 3, 3, stored<&Control::mdcr_el3>, store<&Control::mdcr_el3, 0xffff'ffff>},
    {"TTBR0_EL3", {3, 6, 2, 0, 0}, 3, 3, stored_at<&Control::ttbr0, 3>, store_translation<&Control::ttbr0, 3>},
    {"TCR_EL3", {3, 6, 2, 0, 2}, 3, 3, stored_at<&Control::tcr, 3>, store_translation<&Control::tcr, 3>},
    {"SPSR_EL3", {3, 6, 4, 0, 0}, 3, 3, stored_at<kStateSpsr, 3>, store_at<kStateSpsr, 3, kSpsrMask>},
    {"ELR_EL3", {3, 6, 4, 0, 1}, 3, 3, stored_at<kStateElr, 3>, store_at<kStateElr, 3>},
    {"SP_EL2", {3, 6, 4, 1, 0}, 3, 3, stored_at<kStateSp, 2>, store_at<kStateSp, 2>},
    {"AFSR0_EL3", {3, 6, 5, 1, 0}, 3, 3, read_zero, write_ignored},
    {"AFSR1_EL3", {3, 6, 5, 1, 1}, 3, 3, read_zero, write_ignored},
    {"ESR_EL3", {3, 6, 5, 2, 0}, 3, 3, stored_at<kStateEsr, 3>, store_at<kStateEsr, 3, kEsrMask>},
    {"FAR_EL3", {3, 6, 6, 0, 0}, 3, 3, stored_at<kStateFar, 3>, store_at<kStateFar, 3>},
    {"MAIR_EL3", {3, 6, 10, 2, 0}, 3, 3, stored_at<&Control::mair, 3>, store_translation<&Control::mair, 3>},
    {"AMAIR_EL3", {3, 6, 10, 3, 0}, 3, 3, read_zero, write_ignored},
    {"VBAR_EL3", {3, 6, 12, 0, 0}, 3, 3, stored_at<kStateVbar, 3>, write_vbar_el3},
    {"RVBAR_EL3", {3, 6, 12, 0, 1}, 3, kNever, stored<&Control::rvbar_el3>},
    {"RMR_EL3", {3, 6, 12, 0, 2}, 3, 3, read_zero, write_rmr},
    {"TPIDR_EL3", {3, 6, 13, 0, 2}, 3, 3, stored_at<&Control::tpidr, 3>, store_at<&Control::tpidr, 3>},
    // IMPLEMENTATION DEFINED: kept and without effect (Cortex-A72 TRM, 4.3)
    {"L2CTLR_EL1", {3, 1, 11, 0, 2}, 1, 1, stored<&Control::l2ctlr>, store<&Control::l2ctlr, 0xffff'ffff>, kTacr},
    {"L2ECTLR_EL1", {3, 1, 11, 0, 3}, 1, 1, stored<&Control::l2ectlr>, store<&Control::l2ectlr, 0xffff'ffff>, kTacr},
    {"CPUACTLR_EL1", {3, 1, 15, 2, 0}, 1, 1, stored<&Control::cpuactlr>, store<&Control::cpuactlr>, kTacr},
    {"CPUECTLR_EL1", {3, 1, 15, 2, 1}, 1, 1, stored<&Control::cpuectlr>, store<&Control::cpuectlr>, kTacr},
    {"CPUMERRSR_EL1", {3, 1, 15, 2, 2}, 1, 1, read_zero, write_ignored, kTacr},
    {"L2MERRSR_EL1", {3, 1, 15, 2, 3}, 1, 1, read_zero, write_ignored, kTacr},
};

}  // namespace

std::span<const SystemRegister> control_registers() { return kRows; }

}  // namespace dpusim::cpu
