// The stage 1 translation table walk (Arm ARM D8), as a function of register values and memory.
#pragma once

#include <cstdint>

#include "cpu/a64/arch/arch.h"

namespace dpusim::cpu {

class System;

/// Kinds of fault that a walk or a permission check ends in; the value is DFSC without its level (Arm ARM table D17-9).
enum class FaultKind : std::uint8_t {
  kAddressSize = 0x00,
  kTranslation = 0x04,
  kAccessFlag = 0x08,
  kPermission = 0x0c,
  kExternalOnWalk = 0x14
};

/// What a walk finds: an output address with attributes, or a fault.
struct WalkResult {
  bool fault = false;
  FaultKind kind = FaultKind::kTranslation;
  unsigned level = 0;          ///< of the fault or of the leaf
  std::uint64_t physical = 0;  ///< address of the octet asked for
  std::uint64_t page_size = 0;
  unsigned ap = 0;                ///< effective AP[2:1]: bit 1 read-only, bit 0 EL0 may access
  bool uxn = false, pxn = false;  ///< in a regime of one level `uxn` is XN
  bool mmu_off = false;
  std::uint8_t attributes = 0;  ///< octet of MAIR_ELx; 0 is Device-nGnRnE
  unsigned shareability = 0;
  bool non_secure = false;  ///< descriptor's NS, with NSTable
};

/// Walks the tables of regime `regime` (1: EL1&0, 2: EL2, 3: EL3) for `va`. @spec Arm ARM J1.1.5,
/// AArch64.TranslationTableWalk
WalkResult walk(System& system, unsigned regime, std::uint64_t va, bool fetch);

/// Returns the permissions of a walk's leaf at level `el`. @param pan PSTATE.PAN applies.
struct Permissions {
  bool readable = false, writable = false, executable = false;
};
Permissions permissions(const System& system, const WalkResult& leaf, unsigned el, bool pan);

/// Returns PAR_EL1 after an AT instruction. @spec Arm ARM D17.2.103
std::uint64_t par_of(const WalkResult& result, bool permission_fault);

}  // namespace dpusim::cpu
