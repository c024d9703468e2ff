// Identification registers of Cortex-A72 r0p3 (Arm 100095) and Cortex-A78 r1p1 (Arm 101430), cut down to what is
// implemented.
#include "cpu/a64/arch/registers.h"

namespace dpusim::cpu {

namespace {

bool a78(const System& s) { return s.config().core == CoreModel::kCortexA78; }

std::uint64_t midr(const System& s) { return a78(s) ? 0x411fd411 : 0x410fd083; }
// At EL1 the hypervisor's values show. @spec Arm ARM D17.2.93, VPIDR_EL2
std::uint64_t read_midr(const System& s) {
  return s.state().pstate.el == 1 && el2_enabled(s) ? s.control().vpidr_el2 : midr(s);
}
std::uint64_t read_mpidr(const System& s) {
  return s.state().pstate.el == 1 && el2_enabled(s) ? s.control().vmpidr_el2 : s.mpidr();
}

std::uint64_t field(const System& s, Feature feature, unsigned low, std::uint64_t value = 1) {
  return s.has(feature) ? value << low : 0;
}

// EL0..EL3 in AArch64 only; a guest started at EL1 sees neither EL2 nor EL3, like one under a hypervisor. FP16 shows in
// FP and AdvSIMD.
std::uint64_t pfr0(const System& s) {
  return (s.config().start_el == 1 ? 0x0011 : 0x1111) | field(s, Feature::kFp16, 16) | field(s, Feature::kFp16, 20) |
         (s.config().gic ? 1u << 24 : 0u);
}
// Debug v8 with two breakpoints and two watchpoints (the least the architecture allows), PMUv3.
std::uint64_t dfr0(const System&) { return 0x6 | (1u << 8) | (1u << 12) | (1u << 20); }
std::uint64_t isar0(const System& s) {
  const std::uint64_t aes = s.has(Feature::kPmull) ? 2 : (s.has(Feature::kAes) ? 1 : 0);
  return (aes << 4) | field(s, Feature::kSha1, 8) | field(s, Feature::kSha2, 12) | field(s, Feature::kCrc32, 16) |
         field(s, Feature::kLse, 20, 2) | field(s, Feature::kRdm, 28) | field(s, Feature::kDotProd, 44);
}
// DC CVAP is accepted by Cortex-A78.
std::uint64_t isar1(const System& s) {
  return (a78(s) ? 1u : 0u) | field(s, Feature::kJscvt, 12) | field(s, Feature::kFcma, 16) |
         field(s, Feature::kRcpc, 20);
}
// PARange, 16-bit ASIDs, Secure memory, 4 KiB and 64 KiB granules; 16 KiB on Cortex-A78. Little-endian only.
std::uint64_t mmfr0(const System& s) { return (a78(s) ? 2u | (1u << 20) : 4u) | (2u << 4) | (1u << 12); }
std::uint64_t mmfr1(const System& s) { return a78(s) ? 1u << 20 : 0; }

std::uint64_t read_ctr(const System& s) { return a78(s) ? 0x9444c004 : 0x8444c004; }
unsigned check_ctr(const System& s, bool) {
  if (s.state().pstate.el == 0 && (s.control().sctlr[1] & sctlr_bit::kUct) == 0) return el1_or_tge(s);
  return s.state().pstate.el < 2 && hcr(s, hcr_bit::kTid2) ? 2 : kAllowed;
}
std::uint64_t read_dczid(const System& s) {
  const unsigned el = s.state().pstate.el;
  const bool prohibited =
      (el == 0 && (s.control().sctlr[1] & sctlr_bit::kDze) == 0) || (el < 2 && hcr(s, hcr_bit::kTdz));
  return (System::kZvaLog2 - 2) | (prohibited ? 1u << 4 : 0u);
}

// Two levels: separate L1, unified L2; LoUIS 1, LoC 2, LoUU 1.
std::uint64_t read_clidr(const System&) { return 0x0a200023; }
std::uint64_t read_ccsidr(const System& s) {
  constexpr std::uint64_t kLine64 = 2;  // log2(words) - 2
  const auto describe = [](std::uint64_t policy, Bytes size, std::uint64_t ways) {
    const std::uint64_t sets = size.count() / (64 * ways);
    return (policy << 28) | ((sets - 1) << 13) | ((ways - 1) << 3) | kLine64;
  };
  const SystemConfig& c = s.config();
  switch (s.control().csselr_el1 & 0xf) {
    case 0:
      return describe(7, c.l1d_size, c.l1d_ways);
    case 1:
      return describe(2, c.l1i_size, c.l1i_ways);
    case 2:
      return describe(7, c.l2_size, c.l2_ways);
    default:
      return 0;
  }
}

constexpr auto kTid1 = &trap_hcr<hcr_bit::kTid1>;
constexpr auto kTid2 = &trap_hcr<hcr_bit::kTid2>;
constexpr auto kTid3 = &trap_hcr<hcr_bit::kTid3>;

constexpr SystemRegister kRows[] = {
    {"MIDR_EL1", {3, 0, 0, 0, 0}, 1, kNever, read_midr},
    {"MPIDR_EL1", {3, 0, 0, 0, 5}, 1, kNever, read_mpidr},
    {"REVIDR_EL1", {3, 0, 0, 0, 6}, 1, kNever, read_zero, nullptr, kTid1},
    {"ID_AA64PFR0_EL1", {3, 0, 0, 4, 0}, 1, kNever, pfr0, nullptr, kTid3},
    {"ID_AA64DFR0_EL1", {3, 0, 0, 5, 0}, 1, kNever, dfr0, nullptr, kTid3},
    {"ID_AA64ISAR0_EL1", {3, 0, 0, 6, 0}, 1, kNever, isar0, nullptr, kTid3},
    {"ID_AA64ISAR1_EL1", {3, 0, 0, 6, 1}, 1, kNever, isar1, nullptr, kTid3},
    {"ID_AA64MMFR0_EL1", {3, 0, 0, 7, 0}, 1, kNever, mmfr0, nullptr, kTid3},
    {"ID_AA64MMFR1_EL1", {3, 0, 0, 7, 1}, 1, kNever, mmfr1, nullptr, kTid3},
    {"CCSIDR_EL1", {3, 1, 0, 0, 0}, 1, kNever, read_ccsidr, nullptr, kTid2},
    {"CLIDR_EL1", {3, 1, 0, 0, 1}, 1, kNever, read_clidr, nullptr, kTid2},
    {"AIDR_EL1", {3, 1, 0, 0, 7}, 1, kNever, read_zero, nullptr, kTid1},
    {"CSSELR_EL1", {3, 2, 0, 0, 0}, 1, 1, stored<&Control::csselr_el1>, store<&Control::csselr_el1, 0xf>, kTid2},
    {"CTR_EL0", {3, 3, 0, 0, 1}, 0, kNever, read_ctr, nullptr, check_ctr},
    {"DCZID_EL0", {3, 3, 0, 0, 7}, 0, kNever, read_dczid},
    {"VPIDR_EL2", {3, 4, 0, 0, 0}, 2, 2, stored<&Control::vpidr_el2>, store<&Control::vpidr_el2, 0xffff'ffff>},
    {"VMPIDR_EL2", {3, 4, 0, 0, 5}, 2, 2, stored<&Control::vmpidr_el2>, store<&Control::vmpidr_el2>},
};

// Reserved encodings of the ID space, and the AArch32 ID registers, which no level here uses. @spec Arm ARM D17.3.1
constexpr SystemRegister kReserved{"ID (reserved)", {3, 0, 0, 1, 0}, 1, kNever, read_zero, nullptr, kTid3};

}  // namespace

std::span<const SystemRegister> id_registers() { return kRows; }

const SystemRegister* reserved_id_register(SysRegKey key) {
  return key.op0 == 3 && key.op1 == 0 && key.crn == 0 && key.crm >= 1 && key.crm <= 7 ? &kReserved : nullptr;
}

std::uint64_t main_id(const System& system) { return midr(system); }

}  // namespace dpusim::cpu
