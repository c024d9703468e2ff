// The seam between instructions (isa, engine) and the architecture's system part (exceptions, system registers,
// translation).
//
// Instructions never throw: what goes wrong is an Exception value that the engine hands to System::take.
#pragma once

#include <cstdint>
#include <optional>

#include "cpu/a64/arch/state.h"

namespace dpusim::cpu {

/// Exception classes, ESR_ELx.EC (Arm ARM D17.2.37).
enum class ExceptionClass : std::uint8_t {
  kUnknown = 0x00,
  kWfx = 0x01,
  kFpAccess = 0x07,
  kIllegalState = 0x0e,
  kSvc = 0x15,
  kHvc = 0x16,
  kSmc = 0x17,
  kSysReg = 0x18,
  kInstructionAbortLower = 0x20,
  kInstructionAbort = 0x21,
  kPcAlignment = 0x22,
  kDataAbortLower = 0x24,
  kDataAbort = 0x25,
  kSpAlignment = 0x26,
  kFpTrap = 0x2c,
  kSError = 0x2f,
  kBreakpointLower = 0x30,
  kBreakpoint = 0x31,
  kStepLower = 0x32,
  kStep = 0x33,
  kWatchpointLower = 0x34,
  kWatchpoint = 0x35,
  kBrk = 0x3c,
};

/// A synchronous exception before routing: class as seen from the same EL (System::take turns ...abort into
/// ...abort_lower).
struct Exception {
  ExceptionClass ec;
  std::uint32_t iss = 0;
  std::uint64_t far = 0;
  bool has_far = false;
  std::uint8_t target_el = 0;  ///< 0: routed by the usual rules; else the level a trap control asks for
  std::uint64_t ipa = 0;       ///< faulting IPA for a stage 2 abort (HPFAR_EL2)
};

enum class Access : std::uint8_t { kRead, kWrite, kFetch };

/// Where a virtual address leads, for as long as the translation regime stays as it is.
struct Translation {
  std::uint64_t physical = 0;      ///< address of the octet asked for
  std::uint64_t page_size = 4096;  ///< the mapping holds for the whole aligned page (at least 4 KiB)
  bool readable = false, writable = false, executable = false;  ///< at the level and PAN state of the request
  bool device = false;                                          ///< Device memory: unaligned accesses fault
  bool non_cacheable = false;
};

enum class SysRegResult : std::uint8_t { kOk, kUndefined, kTrapped, kOkEndBlock };

/// Identifies a system register or system instruction by its encoding fields.
struct SysRegKey {
  std::uint8_t op0, op1, crn, crm, op2;
  constexpr bool operator==(const SysRegKey&) const = default;
  [[nodiscard]] constexpr std::uint16_t packed() const {
    return static_cast<std::uint16_t>((op0 << 14) | (op1 << 11) | (crn << 7) | (crm << 3) | op2);
  }
};

}  // namespace dpusim::cpu
