// Generic Timer registers (Arm ARM D17.11).
#include "cpu/a64/arch/registers.h"

namespace dpusim::cpu {

namespace {

// CNTKCTL_EL1 and CNTHCTL_EL2 (E2H = 0).
constexpr std::uint64_t kEl0Pcten = 1u << 0, kEl0Vcten = 1u << 1, kEl0Vten = 1u << 8, kEl0Pten = 1u << 9;
constexpr std::uint64_t kEl1Pcten = 1u << 0, kEl1Pcen = 1u << 1;

unsigned check(const System& s, std::uint64_t el0_enable, std::uint64_t el1_enable) {
  const unsigned el = s.state().pstate.el;
  if (el == 0 && (s.timers().cntkctl & el0_enable) == 0) return el1_or_tge(s);
  if (el < 2 && el2_enabled(s) && el1_enable != 0 && (s.timers().cnthctl & el1_enable) == 0) return 2;
  return kAllowed;
}
unsigned check_physical_count(const System& s, bool) { return check(s, kEl0Pcten, kEl1Pcten); }
unsigned check_virtual_count(const System& s, bool) { return check(s, kEl0Vcten, 0); }
unsigned check_frequency(const System& s, bool) { return check(s, kEl0Pcten | kEl0Vcten, 0); }
unsigned check_physical_timer(const System& s, bool) { return check(s, kEl0Pten, kEl1Pcen); }
unsigned check_virtual_timer(const System& s, bool) { return check(s, kEl0Vten, 0); }
// The secure timer belongs to EL3, and to Secure EL1 when SCR_EL3.ST says so.
unsigned check_secure_timer(const System& s, bool) {
  const unsigned el = s.state().pstate.el;
  if (el == 3) return kAllowed;
  if (el != 1 || s.non_secure() || s.config().start_el != 3) return kUndefinedAccess;
  return (s.control().scr_el3 & scr_bit::kSt) != 0 ? kAllowed : 3;
}
// CNTFRQ_EL0 belongs to the highest level that the guest has.
unsigned check_frequency_write(const System& s, bool is_read) {
  if (is_read) return check_frequency(s, true);
  return s.state().pstate.el >= s.config().start_el ? kAllowed : kUndefinedAccess;
}

Time time_of(const System& s) { return s.host().local_time(); }

std::uint64_t read_physical_count(const System& s) { return s.timers().count(time_of(s)); }
std::uint64_t read_virtual_count(const System& s) { return s.timers().virtual_count(time_of(s)); }
std::uint64_t read_frequency(const System& s) { return s.timers().cntfrq; }
void write_frequency(System& s, std::uint64_t value) { s.timers().cntfrq = value & 0xffff'ffff; }

template <Timer T>
std::uint64_t read_tval(const System& s) {
  return s.timers().timer_value(T, time_of(s));
}
template <Timer T>
std::uint64_t read_ctl(const System& s) {
  return s.timers().control(T, time_of(s));
}
template <Timer T>
std::uint64_t read_cval(const System& s) {
  return s.timers().compare_value(T);
}
// A write may move the line, which others sense: kernel time first, and the deadline the core waits for may be another
// one.
template <Timer T>
void write_tval(System& s, std::uint64_t value) {
  s.host().synchronise();
  s.timers().set_timer_value(T, value, time_of(s));
  s.host().deadline_changed();
}
template <Timer T>
void write_ctl(System& s, std::uint64_t value) {
  s.host().synchronise();
  s.timers().set_control(T, value, time_of(s));
  s.host().deadline_changed();
}
template <Timer T>
void write_cval(System& s, std::uint64_t value) {
  s.host().synchronise();
  s.timers().set_compare_value(T, value, time_of(s));
  s.host().deadline_changed();
}
std::uint64_t read_cntvoff(const System& s) { return s.timers().cntvoff; }
void write_cntvoff(System& s, std::uint64_t value) {
  s.host().synchronise();
  s.timers().set_virtual_offset(value, time_of(s));
  s.host().deadline_changed();
}
std::uint64_t read_cntkctl(const System& s) { return s.timers().cntkctl; }
void write_cntkctl(System& s, std::uint64_t value) { s.timers().cntkctl = value & 0x3ff; }
std::uint64_t read_cnthctl(const System& s) { return s.timers().cnthctl; }
void write_cnthctl(System& s, std::uint64_t value) { s.timers().cnthctl = value & 0xff; }

constexpr SystemRegister kRows[] = {
    {"CNTKCTL_EL1", {3, 0, 14, 1, 0}, 1, 1, read_cntkctl, write_cntkctl},
    {"CNTFRQ_EL0", {3, 3, 14, 0, 0}, 0, 1, read_frequency, write_frequency, check_frequency_write},
    {"CNTPCT_EL0", {3, 3, 14, 0, 1}, 0, kNever, read_physical_count, nullptr, check_physical_count},
    {"CNTVCT_EL0", {3, 3, 14, 0, 2}, 0, kNever, read_virtual_count, nullptr, check_virtual_count},
    {"CNTP_TVAL_EL0",
     {3, 3, 14, 2, 0},
     0,
     0,
     read_tval<Timer::kPhysical>,
     write_tval<Timer::kPhysical>,
     check_physical_timer},
    {"CNTP_CTL_EL0",
     {3, 3, 14, 2, 1},
     0,
     0,
     read_ctl<Timer::kPhysical>,
     write_ctl<Timer::kPhysical>,
     check_physical_timer},
    {"CNTP_CVAL_EL0",
     {3, 3, 14, 2, 2},
     0,
     0,
     read_cval<Timer::kPhysical>,
     write_cval<Timer::kPhysical>,
     check_physical_timer},
    {"CNTV_TVAL_EL0",
     {3, 3, 14, 3, 0},
     0,
     0,
     read_tval<Timer::kVirtual>,
     write_tval<Timer::kVirtual>,
     check_virtual_timer},
    {"CNTV_CTL_EL0",
     {3, 3, 14, 3, 1},
     0,
     0,
     read_ctl<Timer::kVirtual>,
     write_ctl<Timer::kVirtual>,
     check_virtual_timer},
    {"CNTV_CVAL_EL0",
     {3, 3, 14, 3, 2},
     0,
     0,
     read_cval<Timer::kVirtual>,
     write_cval<Timer::kVirtual>,
     check_virtual_timer},
    {"CNTVOFF_EL2", {3, 4, 14, 0, 3}, 2, 2, read_cntvoff, write_cntvoff},
    {"CNTHCTL_EL2", {3, 4, 14, 1, 0}, 2, 2, read_cnthctl, write_cnthctl},
    {"CNTHP_TVAL_EL2", {3, 4, 14, 2, 0}, 2, 2, read_tval<Timer::kHypervisor>, write_tval<Timer::kHypervisor>},
    {"CNTHP_CTL_EL2", {3, 4, 14, 2, 1}, 2, 2, read_ctl<Timer::kHypervisor>, write_ctl<Timer::kHypervisor>},
    {"CNTHP_CVAL_EL2", {3, 4, 14, 2, 2}, 2, 2, read_cval<Timer::kHypervisor>, write_cval<Timer::kHypervisor>},
    {"CNTPS_TVAL_EL1",
     {3, 7, 14, 2, 0},
     1,
     1,
     read_tval<Timer::kSecure>,
     write_tval<Timer::kSecure>,
     check_secure_timer},
    {"CNTPS_CTL_EL1", {3, 7, 14, 2, 1}, 1, 1, read_ctl<Timer::kSecure>, write_ctl<Timer::kSecure>, check_secure_timer},
    {"CNTPS_CVAL_EL1",
     {3, 7, 14, 2, 2},
     1,
     1,
     read_cval<Timer::kSecure>,
     write_cval<Timer::kSecure>,
     check_secure_timer},
};

}  // namespace

std::span<const SystemRegister> timer_registers() { return kRows; }

}  // namespace dpusim::cpu
