// Self-hosted debug registers that operating systems touch (Arm ARM D17.3). Breakpoints and watchpoints are kept but
// never match.
#include "cpu/a64/arch/registers.h"

namespace dpusim::cpu {

namespace {

constexpr std::uint64_t kTda = 1u << 9, kTdosa = 1u << 10;  // MDCR_EL2
unsigned check_tda(const System& s, bool) {
  return s.state().pstate.el == 1 && el2_enabled(s) && (s.control().mdcr_el2 & kTda) != 0 ? 2 : kAllowed;
}
unsigned check_tdosa(const System& s, bool) {
  return s.state().pstate.el == 1 && el2_enabled(s) && (s.control().mdcr_el2 & kTdosa) != 0 ? 2 : kAllowed;
}

void write_oslar(System& s, std::uint64_t value) { s.control().os_lock = (value & 1) != 0; }
std::uint64_t read_oslsr(const System& s) { return 0x8u | (s.control().os_lock ? 2u : 0u); }  // OSLM = 0b10
// SS, MDE, KDE, and what the OS lock lets through.
void write_mdscr(System& s, std::uint64_t value) {
  if ((value & 1) != 0)
    s.host().report("step", "the guest enabled software step (MDSCR_EL1.SS), which is not modelled");
  s.control().mdscr_el1 = value & 0xf001'f001u;
}
void report_breakpoint(System& s, std::uint64_t value) {
  if ((value & 1) != 0)
    s.host().report("breakpoint", "the guest enabled a hardware breakpoint or watchpoint, which never matches here");
}
template <unsigned N>
void write_bcr(System& s, std::uint64_t value) {
  report_breakpoint(s, value);
  s.control().dbgbcr[N] = value & 0x00ff'e1e7u;
}
template <unsigned N>
void write_wcr(System& s, std::uint64_t value) {
  report_breakpoint(s, value);
  s.control().dbgwcr[N] = value & 0x1f1f'ffffu;
}
std::uint64_t read_claim(const System& s) { return s.control().dbgclaim; }
std::uint64_t read_claimset(const System&) { return 0xff; }
void set_claim(System& s, std::uint64_t value) { s.control().dbgclaim |= value & 0xff; }
void clear_claim(System& s, std::uint64_t value) { s.control().dbgclaim &= ~value; }

constexpr SystemRegister kRows[] = {
    {"OSDTRRX_EL1", {2, 0, 0, 0, 2}, 1, 1, stored<&Control::osdtrrx>, store<&Control::osdtrrx, 0xffff'ffff>, check_tda},
    {"MDCCINT_EL1", {2, 0, 0, 2, 0}, 1, 1, stored<&Control::mdccint>, store<&Control::mdccint, 0x6000'0000>, check_tda},
    {"MDSCR_EL1", {2, 0, 0, 2, 2}, 1, 1, stored<&Control::mdscr_el1>, write_mdscr, check_tda},
    {"OSDTRTX_EL1", {2, 0, 0, 3, 2}, 1, 1, stored<&Control::osdtrtx>, store<&Control::osdtrtx, 0xffff'ffff>, check_tda},
    {"OSECCR_EL1", {2, 0, 0, 6, 2}, 1, 1, stored<&Control::oseccr>, store<&Control::oseccr, 0xffff'ffff>, check_tda},
    {"DBGBVR0_EL1",
     {2, 0, 0, 0, 4},
     1,
     1,
     stored_at<&Control::dbgbvr, 0>,
     store_at<&Control::dbgbvr, 0, ~3ull>,
     check_tda},
    {"DBGBVR1_EL1",
     {2, 0, 0, 1, 4},
     1,
     1,
     stored_at<&Control::dbgbvr, 1>,
     store_at<&Control::dbgbvr, 1, ~3ull>,
     check_tda},
    {"DBGBCR0_EL1", {2, 0, 0, 0, 5}, 1, 1, stored_at<&Control::dbgbcr, 0>, write_bcr<0>, check_tda},
    {"DBGBCR1_EL1", {2, 0, 0, 1, 5}, 1, 1, stored_at<&Control::dbgbcr, 1>, write_bcr<1>, check_tda},
    {"DBGWVR0_EL1",
     {2, 0, 0, 0, 6},
     1,
     1,
     stored_at<&Control::dbgwvr, 0>,
     store_at<&Control::dbgwvr, 0, ~3ull>,
     check_tda},
    {"DBGWVR1_EL1",
     {2, 0, 0, 1, 6},
     1,
     1,
     stored_at<&Control::dbgwvr, 1>,
     store_at<&Control::dbgwvr, 1, ~3ull>,
     check_tda},
    {"DBGWCR0_EL1", {2, 0, 0, 0, 7}, 1, 1, stored_at<&Control::dbgwcr, 0>, write_wcr<0>, check_tda},
    {"DBGWCR1_EL1", {2, 0, 0, 1, 7}, 1, 1, stored_at<&Control::dbgwcr, 1>, write_wcr<1>, check_tda},
    {"MDRAR_EL1", {2, 0, 1, 0, 0}, 1, kNever, read_zero},
    {"OSLAR_EL1", {2, 0, 1, 0, 4}, kNever, 1, nullptr, write_oslar, check_tdosa},
    {"OSLSR_EL1", {2, 0, 1, 1, 4}, 1, kNever, read_oslsr, nullptr, check_tdosa},
    {"OSDLR_EL1", {2, 0, 1, 3, 4}, 1, 1, stored<&Control::osdlr>, store<&Control::osdlr, 1>, check_tdosa},
    {"DBGPRCR_EL1", {2, 0, 1, 4, 4}, 1, 1, read_zero, write_ignored, check_tdosa},
    {"DBGCLAIMSET_EL1", {2, 0, 7, 8, 6}, 1, 1, read_claimset, set_claim, check_tda},
    {"DBGCLAIMCLR_EL1", {2, 0, 7, 9, 6}, 1, 1, read_claim, clear_claim, check_tda},
    {"DBGAUTHSTATUS_EL1", {2, 0, 7, 14, 6}, 1, kNever, read_zero, nullptr, check_tda},
    {"MDCCSR_EL0", {2, 3, 0, 1, 0}, 0, kNever, read_zero},
};

}  // namespace

std::span<const SystemRegister> debug_registers() { return kRows; }

}  // namespace dpusim::cpu
