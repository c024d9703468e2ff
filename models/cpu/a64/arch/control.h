// Values of the system registers that control a PE, and the names of their bits.
#pragma once

#include <array>
#include <cstdint>

namespace dpusim::cpu {

namespace sctlr_bit {  // Arm ARM D17.2.118 and following
inline constexpr std::uint64_t kM = 1u << 0, kA = 1u << 1, kC = 1u << 2, kSa = 1u << 3, kSa0 = 1u << 4, kUma = 1u << 9,
                               kI = 1u << 12, kDze = 1u << 14, kUct = 1u << 15, kNTwi = 1u << 16, kNTwe = 1u << 18,
                               kWxn = 1u << 19, kSpan = 1u << 23, kE0e = 1u << 24, kEe = 1u << 25, kUci = 1u << 26;
/// RES1 bits of Armv8.0: EL1 (29, 28, 23, 22, 20, 11) and EL2, EL3 (29, 28, 23, 22, 18, 16, 11, 5, 4).
inline constexpr std::uint64_t kRes1El1 = 0x30d00800, kRes1El23 = 0x30c50830;
}  // namespace sctlr_bit

namespace scr_bit {
inline constexpr std::uint64_t kNs = 1u << 0, kIrq = 1u << 1, kFiq = 1u << 2, kEa = 1u << 3, kSmd = 1u << 7,
                               kHce = 1u << 8, kSif = 1u << 9, kRw = 1u << 10, kSt = 1u << 11, kTwi = 1u << 12,
                               kTwe = 1u << 13, kRes1 = 0x30;
}  // namespace scr_bit

namespace hcr_bit {
inline constexpr std::uint64_t kVm = 1u << 0, kFmo = 1u << 3, kImo = 1u << 4, kAmo = 1u << 5, kVf = 1u << 6,
                               kVi = 1u << 7, kDc = 1u << 12, kTwi = 1u << 13, kTwe = 1u << 14, kTid1 = 1u << 16,
                               kTid2 = 1u << 17, kTid3 = 1u << 18, kTsc = 1u << 19, kTacr = 1u << 21, kTsw = 1u << 22,
                               kTpc = 1u << 23, kTpu = 1u << 24, kTtlb = 1u << 25, kTvm = 1u << 26, kTge = 1u << 27,
                               kTdz = 1u << 28, kHcd = 1u << 29, kTrvm = 1u << 30, kRw = 1ull << 31;
}  // namespace hcr_bit

/// Registers without behaviour of their own beyond being read by others. An index is the Exception level.
struct Control {
  std::array<std::uint64_t, 4> sctlr{}, tcr{}, ttbr0{}, mair{}, tpidr{};
  std::uint64_t ttbr1_el1 = 0, contextidr_el1 = 0, tpidrro_el0 = 0, par_el1 = 0, csselr_el1 = 0;
  std::uint64_t cpacr_el1 = 0, cptr_el2 = 0, cptr_el3 = 0;
  std::uint64_t scr_el3 = 0, sder32_el3 = 0, rvbar_el3 = 0;
  std::uint64_t hcr_el2 = 0, hpfar_el2 = 0, hstr_el2 = 0, vttbr_el2 = 0, vtcr_el2 = 0, vpidr_el2 = 0, vmpidr_el2 = 0;
  std::uint64_t mdcr_el2 = 0, mdcr_el3 = 0, mdscr_el1 = 0;
  bool os_lock = true;            ///< OSLSR_EL1.OSLK; set by reset
  bool vbar_el3_written = false;  ///< firmware of the guest's own stands at EL3
  std::array<std::uint64_t, 2> dbgbvr{}, dbgbcr{}, dbgwvr{}, dbgwcr{};
  std::uint64_t mdccint = 0, dbgclaim = 0, osdlr = 0, osdtrrx = 0, osdtrtx = 0, oseccr = 0;
  std::uint64_t cpuectlr = 0, cpuactlr = 0, l2ctlr = 0, l2ectlr = 0;
};

}  // namespace dpusim::cpu
