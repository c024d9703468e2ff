#include "cpu/a64/arch/mmu.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "cpu/a64/arch/system.h"

namespace dpusim::cpu {

namespace {

constexpr std::uint64_t bits(std::uint64_t value, unsigned high, unsigned low) {
  return (value >> low) & ((high - low == 63) ? ~0ull : ((1ull << (high - low + 1)) - 1));
}
constexpr bool bit(std::uint64_t value, unsigned n) { return ((value >> n) & 1) != 0; }

// Physical address bits by ID_AA64MMFR0_EL1.PARange and TCR.IPS; reserved values act as the largest.
unsigned address_bits(std::uint64_t code) {
  constexpr std::array<unsigned, 8> kBits{32, 36, 40, 42, 44, 48, 48, 48};
  return kBits[code & 7];
}

// What TCR_ELx says about the half of the address space that `va` lies in.
struct Half {
  bool disabled = false;  // EPD
  bool tbi = false;
  unsigned input_bits = 48;
  unsigned granule_bits = 12;
  std::uint64_t ttbr = 0;
  bool upper = false;
};

Half half_of(const System& system, unsigned regime, std::uint64_t va) {
  const Control& c = system.control();
  const std::uint64_t tcr = c.tcr[regime];
  Half half;
  half.upper = regime == 1 && bit(va, 55);
  unsigned size = 0, granule = 0;
  if (regime == 1) {
    half.tbi = bit(tcr, half.upper ? 38 : 37);
    half.disabled = bit(tcr, half.upper ? 23 : 7);
    half.ttbr = half.upper ? c.ttbr1_el1 : c.ttbr0[1];
    size = static_cast<unsigned>(half.upper ? bits(tcr, 21, 16) : bits(tcr, 5, 0));
    granule = static_cast<unsigned>(half.upper ? bits(tcr, 31, 30) : bits(tcr, 15, 14));
  } else {
    half.tbi = bit(tcr, 20);
    half.ttbr = c.ttbr0[regime];
    size = static_cast<unsigned>(bits(tcr, 5, 0));
    granule = static_cast<unsigned>(bits(tcr, 15, 14));
  }
  // TG1 and TG0 number the granules differently (Arm ARM D17.2.131).
  if (half.upper) {
    half.granule_bits = granule == 1 ? 14 : (granule == 3 ? 16 : 12);
  } else {
    half.granule_bits = granule == 1 ? 16 : (granule == 2 ? 14 : 12);
  }
  // Sizes out of range are treated as the nearest in range, as the pseudocode's constrained choice allows.
  half.input_bits = 64 - std::clamp(size, 16u, 39u);
  return half;
}

WalkResult faulting(FaultKind kind, unsigned level) {
  WalkResult result;
  result.fault = true;
  result.kind = kind;
  result.level = level;
  return result;
}

WalkResult walk_off(const System& system, std::uint64_t va, bool tbi, bool fetch) {
  const unsigned top = tbi ? 55 : 63;
  if (bits(va, top, physical_address_bits(system.config().core)) != 0) return faulting(FaultKind::kAddressSize, 0);
  WalkResult result;
  result.mmu_off = true;
  result.physical = va & ((1ull << 48) - 1);
  result.page_size = 1ull << 30;  // any power of two does: the mapping is the identity
  result.ap = 1;
  // Fetches are Normal, Inner and Outer Write-Through or Non-cacheable (SCTLR.I); data is Device-nGnRnE. @spec Arm ARM
  // D8.2.8
  result.attributes = fetch ? 0x44 : 0x00;
  result.shareability = 2;
  return result;
}

}  // namespace

unsigned physical_address_bits(CoreModel core) { return core == CoreModel::kCortexA72 ? 44 : 40; }

WalkResult walk(System& system, unsigned regime, std::uint64_t va, bool fetch) {
  const Control& c = system.control();
  const Half half = half_of(system, regime, va);
  if ((c.sctlr[regime] & sctlr_bit::kM) == 0) return walk_off(system, va, half.tbi, fetch);

  const unsigned top = half.tbi ? 55 : 63;
  const std::uint64_t beyond = bits(va, top, half.input_bits);
  const std::uint64_t expected = half.upper ? bits(~0ull, top, half.input_bits) : 0;
  if (beyond != expected || half.disabled) return faulting(FaultKind::kTranslation, 0);

  const std::uint64_t size_code = regime == 1 ? bits(c.tcr[1], 34, 32) : bits(c.tcr[regime], 18, 16);
  const unsigned output_bits = std::min(address_bits(size_code), physical_address_bits(system.config().core));
  const auto too_large = [&](std::uint64_t address) { return output_bits < 48 && bits(address, 47, output_bits) != 0; };

  const unsigned g = half.granule_bits, stride = g - 3;
  unsigned level = 4 - (half.input_bits - g + stride - 1) / stride;
  const unsigned base_low = 3 + half.input_bits - ((3 - level) * stride + g);
  std::uint64_t table = bits(half.ttbr, 47, base_low) << base_low;
  if (too_large(table)) return faulting(FaultKind::kAddressSize, 0);

  const bool secure_regime = regime == 3 || (regime == 1 && !system.non_secure());
  bool table_ns = !secure_regime, ap_no_el0 = false, ap_read_only = false, uxn = false, pxn = false;
  unsigned high = half.input_bits - 1;
  for (;; ++level) {
    const unsigned low = (3 - level) * stride + g;
    std::array<std::uint8_t, 8> octets{};
    if (!system.host().read_physical(table | (bits(va, high, low) << 3), octets, !table_ns)) {
      return faulting(FaultKind::kExternalOnWalk, level);
    }
    std::uint64_t descriptor = 0;
    for (unsigned i = 0; i < 8; ++i) descriptor |= std::uint64_t{octets[i]} << (8 * i);
    const bool block_allowed = level == 2 || (level == 1 && g == 12);
    const bool is_table_form = bit(descriptor, 1);
    if (!bit(descriptor, 0) || (!is_table_form && !block_allowed)) return faulting(FaultKind::kTranslation, level);
    if (is_table_form && level < 3) {
      table = bits(descriptor, 47, g) << g;
      if (too_large(table)) return faulting(FaultKind::kAddressSize, level);
      table_ns = table_ns || bit(descriptor, 63);
      ap_read_only = ap_read_only || bit(descriptor, 62);
      ap_no_el0 = ap_no_el0 || bit(descriptor, 61);
      uxn = uxn || bit(descriptor, 60);
      pxn = pxn || bit(descriptor, 59);
      high = low - 1;
      continue;
    }
    WalkResult result;
    result.level = level;
    result.page_size = 1ull << low;
    const std::uint64_t base = bits(descriptor, 47, low) << low;
    result.physical = base | (va & (result.page_size - 1));
    if (too_large(base)) return faulting(FaultKind::kAddressSize, level);
    if (!bit(descriptor, 10)) return faulting(FaultKind::kAccessFlag, level);
    result.ap = (bit(descriptor, 7) || ap_read_only ? 2u : 0u) | (bit(descriptor, 6) && !ap_no_el0 ? 1u : 0u);
    if (regime != 1) result.ap |= 1;  // AP[1] is RES1 where there is only one level
    result.uxn = uxn || bit(descriptor, 54);
    result.pxn = pxn || bit(descriptor, 53);
    result.attributes = static_cast<std::uint8_t>(c.mair[regime] >> (8 * bits(descriptor, 4, 2)));
    result.shareability = static_cast<unsigned>(bits(descriptor, 9, 8));
    result.non_secure = table_ns || bit(descriptor, 5);
    return result;
  }
}

Permissions permissions(const System& system, const WalkResult& leaf, unsigned el, bool pan) {
  if (leaf.mmu_off) return {true, true, true};
  const unsigned regime = el == 0 ? 1 : el;
  const bool wxn = (system.control().sctlr[regime] & sctlr_bit::kWxn) != 0;
  const bool read_only = (leaf.ap & 2) != 0, user = (leaf.ap & 1) != 0;
  Permissions p;
  if (regime != 1) {
    p = {true, !read_only, !leaf.uxn};
    if (wxn && p.writable) p.executable = false;
  } else if (el == 0) {
    p = {user, user && !read_only, !leaf.uxn};
    if (wxn && p.writable) p.executable = false;
  } else {
    p = {true, !read_only, !leaf.pxn};
    // Code that EL0 can write is never executable at EL1, whatever PXN says. @spec Arm ARM D8.4.2
    if ((user && !read_only) || (wxn && p.writable)) p.executable = false;
    if (pan && user) p.readable = p.writable = false;
  }
  if (system.secure() && leaf.non_secure && (system.control().scr_el3 & scr_bit::kSif) != 0) p.executable = false;
  return p;
}

std::uint64_t par_of(const WalkResult& result, bool permission_fault) {
  constexpr std::uint64_t kRes1 = 1u << 11;
  if (result.fault || permission_fault) {
    const FaultKind kind = result.fault ? result.kind : FaultKind::kPermission;
    return kRes1 | (std::uint64_t{static_cast<unsigned>(kind) + result.level} << 1) | 1;
  }
  // Device and Non-cacheable memory read as Outer Shareable.
  const bool outer = (result.attributes & 0xf0) == 0 || result.attributes == 0x44;
  const std::uint64_t shareability = outer ? 2 : result.shareability;
  return (std::uint64_t{result.attributes} << 56) | (result.physical & 0x0000'ffff'ffff'f000ull) | kRes1 |
         (result.non_secure ? 1u << 9 : 0u) | (shareability << 7);
}

bool System::translate(std::uint64_t va, Access access, bool unprivileged, Translation& out, Exception& fault) {
  const unsigned level = state_.pstate.el;
  const unsigned regime = level == 0 ? 1 : level;
  const bool fetch = access == Access::kFetch;
  // LDTR and STTR act as EL0 only at EL1 (HCR_EL2.TGE with E2H, the other case, does not exist here).
  const unsigned el = unprivileged && level == 1 && !fetch ? 0 : level;
  const WalkResult result = walk(*this, regime, va, fetch);
  FaultKind kind = result.kind;
  bool ok = !result.fault;
  if (ok) {
    const Permissions p = permissions(*this, result, el, state_.pstate.pan);
    out = {.physical = result.physical,
           .page_size = result.page_size,
           .readable = p.readable,
           .writable = p.writable,
           .executable = p.executable,
           .device = (result.attributes & 0xf0) == 0,
           .non_cacheable =
               (result.attributes & 0xf0) == 0 || result.attributes == 0x44 || (sctlr() & sctlr_bit::kC) == 0};
    largest_leaf_ = std::max(largest_leaf_, result.mmu_off ? 4096 : result.page_size);
    ok = fetch ? p.executable : (access == Access::kWrite ? p.writable : p.readable);
    kind = FaultKind::kPermission;
  }
  if (ok) return true;
  const auto status = static_cast<std::uint32_t>(kind) + result.level;
  fault = {.ec = fetch ? ExceptionClass::kInstructionAbort : ExceptionClass::kDataAbort,
           .iss = status | (access == Access::kWrite ? 1u << 6 : 0u),
           .far = va,
           .has_far = true};
  return false;
}

Exception System::alignment_fault(std::uint64_t va, bool write) {
  return {.ec = ExceptionClass::kDataAbort, .iss = 0x21u | (write ? 1u << 6 : 0u), .far = va, .has_far = true};
}

Exception System::external_abort(std::uint64_t va, Access access, int level) {
  const std::uint32_t status = level < 0 ? 0x10u : 0x14u + static_cast<std::uint32_t>(level);
  return {.ec = access == Access::kFetch ? ExceptionClass::kInstructionAbort : ExceptionClass::kDataAbort,
          .iss = status | (access == Access::kWrite ? 1u << 6 : 0u),
          .far = va,
          .has_far = true};
}

unsigned System::translation_context() const {
  const Pstate& p = state_.pstate;
  switch (p.el) {
    case 0:
      return 0;
    case 1:
      return p.pan ? 2 : 1;
    case 2:
      return 3;
    default:
      return 4;
  }
}

std::uint64_t System::canonical_branch_target(std::uint64_t address) const {
  const unsigned el = state_.pstate.el;
  const std::uint64_t tcr = control_.tcr[el == 0 ? 1 : el];
  const bool upper = el < 2 && bit(address, 55);
  const bool tbi = el < 2 ? bit(tcr, upper ? 38 : 37) : bit(tcr, 20);
  if (!tbi) return address;
  return upper ? address | 0xff00'0000'0000'0000ull : address & 0x00ff'ffff'ffff'ffffull;
}

}  // namespace dpusim::cpu
