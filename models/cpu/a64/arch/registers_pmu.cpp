// Performance Monitors registers (Arm ARM D17.5).
#include "cpu/a64/arch/registers.h"

namespace dpusim::cpu {

namespace {

constexpr std::uint64_t kEn = 1, kSw = 2, kCr = 4, kEr = 8;  // PMUSERENR_EL0
constexpr std::uint64_t kTpmcr = 1u << 5, kTpm = 1u << 6;    // MDCR_EL2, MDCR_EL3

Pmu::Totals totals(const System& s) { return {s.host().cycles(), s.host().instructions()}; }

unsigned check_enabled_by(const System& s, std::uint64_t el0_enable) {
  const unsigned el = s.state().pstate.el;
  if (el == 0 && (s.pmu().user_enable & el0_enable) == 0) return el1_or_tge(s);
  if (el < 2 && el2_enabled(s) && (s.control().mdcr_el2 & kTpm) != 0) return 2;
  return el < 3 && s.config().start_el == 3 && (s.control().mdcr_el3 & kTpm) != 0 ? 3 : kAllowed;
}
unsigned check_en(const System& s, bool) { return check_enabled_by(s, kEn); }
unsigned check_pmcr(const System& s, bool) {
  if (s.state().pstate.el < 2 && el2_enabled(s) && (s.control().mdcr_el2 & kTpmcr) != 0) return 2;
  return check_enabled_by(s, kEn);
}
unsigned check_cycle(const System& s, bool is_read) { return check_enabled_by(s, is_read ? kEn | kCr : kEn); }
unsigned check_event(const System& s, bool is_read) { return check_enabled_by(s, is_read ? kEn | kEr : kEn); }
unsigned check_select(const System& s, bool) { return check_enabled_by(s, kEn | kEr); }
unsigned check_swinc(const System& s, bool) { return check_enabled_by(s, kEn | kSw); }

std::uint64_t read_pmcr(const System& s) { return s.pmu().pmcr(); }
void write_pmcr(System& s, std::uint64_t v) { s.pmu().write_pmcr(v, totals(s)); }
std::uint64_t read_enable(const System& s) { return s.pmu().enable; }
void set_enable(System& s, std::uint64_t v) { s.pmu().write_enable(s.pmu().enable | v, totals(s)); }
void clear_enable(System& s, std::uint64_t v) { s.pmu().write_enable(s.pmu().enable & ~v, totals(s)); }
constexpr std::uint64_t kCounterMask = (1ull << 31) | ((1ull << Pmu::kCounters) - 1);
std::uint64_t read_overflow(const System& s) { return s.pmu().overflow; }
void set_overflow(System& s, std::uint64_t v) { s.pmu().overflow |= v & kCounterMask; }
void clear_overflow(System& s, std::uint64_t v) { s.pmu().overflow &= ~v; }
std::uint64_t read_interrupt(const System& s) { return s.pmu().interrupt; }
void set_interrupt(System& s, std::uint64_t v) { s.pmu().interrupt |= v & kCounterMask; }
void clear_interrupt(System& s, std::uint64_t v) { s.pmu().interrupt &= ~v; }
void write_swinc(System& s, std::uint64_t v) { s.pmu().increment(v, totals(s)); }
std::uint64_t read_select(const System& s) { return s.pmu().select; }
void write_select(System& s, std::uint64_t v) { s.pmu().select = v & 0x1f; }
// SW_INCR (0), INST_RETIRED (8), CPU_CYCLES (0x11).
std::uint64_t read_ceid0(const System&) { return (1u << 0x00) | (1u << 0x08) | (1u << 0x11); }
std::uint64_t read_cycle(const System& s) { return s.pmu().cycle_count(totals(s)); }
void write_cycle(System& s, std::uint64_t v) { s.pmu().write_cycle_count(v, totals(s)); }
std::uint64_t read_filter(const System& s) { return s.pmu().cycle_filter; }
void write_filter(System& s, std::uint64_t v) { s.pmu().cycle_filter = v & 0xfe00'0000; }
std::uint64_t read_user(const System& s) { return s.pmu().user_enable; }
void write_user(System& s, std::uint64_t v) { s.pmu().user_enable = v & 0xf; }

template <unsigned N>
std::uint64_t read_counter(const System& s) {
  return s.pmu().event_count(N, totals(s));
}
template <unsigned N>
void write_counter(System& s, std::uint64_t v) {
  s.pmu().write_event_count(N, v, totals(s));
}
template <unsigned N>
std::uint64_t read_type(const System& s) {
  return s.pmu().event_type[N];
}
template <unsigned N>
void write_type(System& s, std::uint64_t v) {
  s.pmu().write_event_type(N, v, totals(s));
}

// PMXEVCNTR and PMXEVTYPER name the counter that PMSELR selects; a number without a counter is RAZ/WI.
std::uint64_t read_selected_counter(const System& s) {
  return s.pmu().select < Pmu::kCounters ? s.pmu().event_count(static_cast<unsigned>(s.pmu().select), totals(s)) : 0;
}
void write_selected_counter(System& s, std::uint64_t v) {
  if (s.pmu().select < Pmu::kCounters) s.pmu().write_event_count(static_cast<unsigned>(s.pmu().select), v, totals(s));
}
std::uint64_t read_selected_type(const System& s) {
  if (s.pmu().select == 31) return s.pmu().cycle_filter;
  return s.pmu().select < Pmu::kCounters ? s.pmu().event_type[s.pmu().select] : 0;
}
void write_selected_type(System& s, std::uint64_t v) {
  if (s.pmu().select == 31) return write_filter(s, v);
  if (s.pmu().select < Pmu::kCounters) s.pmu().write_event_type(static_cast<unsigned>(s.pmu().select), v, totals(s));
}

constexpr SystemRegister kRows[] = {
    {"PMCR_EL0", {3, 3, 9, 12, 0}, 0, 0, read_pmcr, write_pmcr, check_pmcr},
    {"PMCNTENSET_EL0", {3, 3, 9, 12, 1}, 0, 0, read_enable, set_enable, check_en},
    {"PMCNTENCLR_EL0", {3, 3, 9, 12, 2}, 0, 0, read_enable, clear_enable, check_en},
    {"PMOVSCLR_EL0", {3, 3, 9, 12, 3}, 0, 0, read_overflow, clear_overflow, check_en},
    {"PMSWINC_EL0", {3, 3, 9, 12, 4}, kNever, 0, nullptr, write_swinc, check_swinc},
    {"PMSELR_EL0", {3, 3, 9, 12, 5}, 0, 0, read_select, write_select, check_select},
    {"PMCEID0_EL0", {3, 3, 9, 12, 6}, 0, kNever, read_ceid0, nullptr, check_en},
    {"PMCEID1_EL0", {3, 3, 9, 12, 7}, 0, kNever, read_zero, nullptr, check_en},
    {"PMCCNTR_EL0", {3, 3, 9, 13, 0}, 0, 0, read_cycle, write_cycle, check_cycle},
    {"PMXEVTYPER_EL0", {3, 3, 9, 13, 1}, 0, 0, read_selected_type, write_selected_type, check_en},
    {"PMXEVCNTR_EL0", {3, 3, 9, 13, 2}, 0, 0, read_selected_counter, write_selected_counter, check_event},
    {"PMUSERENR_EL0", {3, 3, 9, 14, 0}, 0, 1, read_user, write_user},
    {"PMOVSSET_EL0", {3, 3, 9, 14, 3}, 0, 0, read_overflow, set_overflow, check_en},
    {"PMINTENSET_EL1", {3, 0, 9, 14, 1}, 1, 1, read_interrupt, set_interrupt, check_en},
    {"PMINTENCLR_EL1", {3, 0, 9, 14, 2}, 1, 1, read_interrupt, clear_interrupt, check_en},
    {"PMEVCNTR0_EL0", {3, 3, 14, 8, 0}, 0, 0, read_counter<0>, write_counter<0>, check_event},
    {"PMEVCNTR1_EL0", {3, 3, 14, 8, 1}, 0, 0, read_counter<1>, write_counter<1>, check_event},
    {"PMEVCNTR2_EL0", {3, 3, 14, 8, 2}, 0, 0, read_counter<2>, write_counter<2>, check_event},
    {"PMEVCNTR3_EL0", {3, 3, 14, 8, 3}, 0, 0, read_counter<3>, write_counter<3>, check_event},
    {"PMEVCNTR4_EL0", {3, 3, 14, 8, 4}, 0, 0, read_counter<4>, write_counter<4>, check_event},
    {"PMEVCNTR5_EL0", {3, 3, 14, 8, 5}, 0, 0, read_counter<5>, write_counter<5>, check_event},
    {"PMEVTYPER0_EL0", {3, 3, 14, 12, 0}, 0, 0, read_type<0>, write_type<0>, check_en},
    {"PMEVTYPER1_EL0", {3, 3, 14, 12, 1}, 0, 0, read_type<1>, write_type<1>, check_en},
    {"PMEVTYPER2_EL0", {3, 3, 14, 12, 2}, 0, 0, read_type<2>, write_type<2>, check_en},
    {"PMEVTYPER3_EL0", {3, 3, 14, 12, 3}, 0, 0, read_type<3>, write_type<3>, check_en},
    {"PMEVTYPER4_EL0", {3, 3, 14, 12, 4}, 0, 0, read_type<4>, write_type<4>, check_en},
    {"PMEVTYPER5_EL0", {3, 3, 14, 12, 5}, 0, 0, read_type<5>, write_type<5>, check_en},
    {"PMCCFILTR_EL0", {3, 3, 14, 15, 7}, 0, 0, read_filter, write_filter, check_en},
};

}  // namespace

std::span<const SystemRegister> pmu_registers() { return kRows; }

}  // namespace dpusim::cpu
