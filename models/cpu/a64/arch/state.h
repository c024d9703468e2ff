// Architectural state of one PE, laid out for the engine. No SystemC, no time.
#pragma once

#include <array>
#include <cstdint>

namespace dpusim::cpu {

/// Slots of CpuState::x beyond X0..X30. Decoders map register 31 to one of them, so that handlers need no branch for
/// it.
inline constexpr unsigned kZeroSlot = 31;  ///< reads as zero, never written
inline constexpr unsigned kSpSlot = 32;    ///< the stack pointer that PSTATE.SP and the exception level select
inline constexpr unsigned kDumpSlot = 33;  ///< where writes to XZR go; never read
inline constexpr unsigned kRegisterSlots = 34;

/// A 128-bit SIMD&FP register, lowest element first.
struct alignas(16) Vector {
  std::array<std::uint64_t, 2> d{};
};

/// PSTATE but for NZCV (Arm ARM D1.4).
struct Pstate {
  std::uint8_t el = 2;
  bool sp_sel = true;       ///< PSTATE.SP: SP_ELx instead of SP_EL0
  std::uint8_t daif = 0xf;  ///< bits 3..0: D, A, I, F
  bool ss = false, il = false, pan = false, uao = false;
};

struct CpuState {
  std::array<std::uint64_t, kRegisterSlots> x{};
  std::uint64_t pc = 0;
  std::uint32_t nzcv =
      0;  ///< bits 31..28 as in PSTATE; materialised outside the engine, which may keep flags lazily inside
  std::uint32_t fpcr = 0, fpsr = 0;
  std::array<Vector, 32> v{};
  Pstate pstate;
  std::array<std::uint64_t, 4>
      sp_el{};  ///< banked SP_EL0..SP_EL3; the current one is stale while it lives in x[kSpSlot]
  std::array<std::uint64_t, 4> elr{}, spsr{}, esr{}, far{}, vbar{};  ///< index is the exception level; [0] unused
  std::uint64_t monitor_address = 0;  ///< local exclusives monitor: physical address of the marked granule
  std::uint64_t monitor_value[2] = {0, 0};
  std::uint8_t monitor_size = 0;  ///< octets marked, 0 when open
  bool event_register = false;    ///< set by SEV and exception return, consumed by WFE
};

}  // namespace dpusim::cpu
