// The system register table: one row a register, with its contract - who may access it, what is read, what a write
// does.
#pragma once

#include <cstdint>
#include <span>

#include "cpu/a64/arch/system.h"

namespace dpusim::cpu {

/// The answer of a check: 0 allows, 1..3 is the level that a trap control asks for.
inline constexpr unsigned kAllowed = 0, kUndefinedAccess = 0xff, kFpTrapAccess = 0xfe;
/// A minimal level that no PE reaches: the register is read-only or write-only.
inline constexpr std::uint8_t kNever = 4;

/// The contract of a system register.
struct SystemRegister {
  const char* name;  ///< the Arm ARM's name
  SysRegKey key;
  std::uint8_t read_el;  ///< least Exception level that may read; below it MRS is UNDEFINED
  std::uint8_t write_el;
  std::uint64_t (*read)(const System&);                      ///< the value; changes nothing
  void (*write)(System&, std::uint64_t) = nullptr;           ///< with all effects of the write
  unsigned (*check)(const System&, bool is_read) = nullptr;  ///< trap controls beyond the least level
};

/// Finds the row of an encoding; nullptr when there is none (MRS and MSR are UNDEFINED).
const SystemRegister* find_register(SysRegKey key);
/// The row of the ID space's reserved encodings, which read as zero; nullptr for any other encoding.
const SystemRegister* reserved_id_register(SysRegKey key);
/// MIDR_EL1 of the core itself.
std::uint64_t main_id(const System& system);
/// All rows, for documentation and tests of the table.
std::span<const SystemRegister* const> all_registers();

/// The parts of the table, by topic (registers_*.cpp).
std::span<const SystemRegister> id_registers();
std::span<const SystemRegister> control_registers();
std::span<const SystemRegister> timer_registers();
std::span<const SystemRegister> pmu_registers();
std::span<const SystemRegister> debug_registers();

// Helpers of the rows.

/// Reads zero; ignores writes.
inline std::uint64_t read_zero(const System&) { return 0; }
inline void write_ignored(System&, std::uint64_t) {}

template <class T>
T& member_of(System& system, T Control::*member) {
  return system.control().*member;
}
template <class T>
const T& member_of(const System& system, T Control::*member) {
  return system.control().*member;
}
template <class T>
T& member_of(System& system, T CpuState::*member) {
  return system.state().*member;
}
template <class T>
const T& member_of(const System& system, T CpuState::*member) {
  return system.state().*member;
}

/// Reads a stored scalar, or element `I` of a stored array.
template <auto Member>
std::uint64_t stored(const System& system) {
  return member_of(system, Member);
}
template <auto Member, unsigned I>
std::uint64_t stored_at(const System& system) {
  return member_of(system, Member)[I];
}
/// Stores the bits in Mask, and Ones.
template <auto Member, std::uint64_t Mask = ~0ull, std::uint64_t Ones = 0>
void store(System& system, std::uint64_t value) {
  member_of(system, Member) = (value & Mask) | Ones;
}
template <auto Member, unsigned I, std::uint64_t Mask = ~0ull, std::uint64_t Ones = 0>
void store_at(System& system, std::uint64_t value) {
  member_of(system, Member)[I] = (value & Mask) | Ones;
}

/// Tells whether EL2 is there for the present Security state.
inline bool el2_enabled(const System& s) { return s.config().start_el >= 2 && s.non_secure(); }
inline bool hcr(const System& s, std::uint64_t bit) { return el2_enabled(s) && (s.control().hcr_el2 & bit) != 0; }
/// Where a trap of EL0 by an EL1 control goes.
inline unsigned el1_or_tge(const System& s) { return hcr(s, hcr_bit::kTge) ? 2 : 1; }
/// Traps accesses from EL1 to EL2 by one bit of HCR_EL2.
template <std::uint64_t Bit>
unsigned trap_hcr(const System& s, bool) {
  return s.state().pstate.el == 1 && hcr(s, Bit) ? 2 : kAllowed;
}

}  // namespace dpusim::cpu
