// Encodings of the GIC's system registers (IHI 0069H 12.2 and 12.5).
#pragma once

#include "tlm/gic_cpu_interface.h"

namespace dpusim::irq {

inline constexpr std::uint16_t kIccPmrEl1 = pack_system_register(3, 0, 4, 6, 0);
inline constexpr std::uint16_t kIccIar0El1 = pack_system_register(3, 0, 12, 8, 0);
inline constexpr std::uint16_t kIccEoir0El1 = pack_system_register(3, 0, 12, 8, 1);
inline constexpr std::uint16_t kIccHppir0El1 = pack_system_register(3, 0, 12, 8, 2);
inline constexpr std::uint16_t kIccBpr0El1 = pack_system_register(3, 0, 12, 8, 3);
inline constexpr std::uint16_t kIccAp0r0El1 = pack_system_register(3, 0, 12, 8, 4);
inline constexpr std::uint16_t kIccAp0r3El1 = pack_system_register(3, 0, 12, 8, 7);
inline constexpr std::uint16_t kIccAp1r0El1 = pack_system_register(3, 0, 12, 9, 0);
inline constexpr std::uint16_t kIccAp1r3El1 = pack_system_register(3, 0, 12, 9, 3);
inline constexpr std::uint16_t kIccDirEl1 = pack_system_register(3, 0, 12, 11, 1);
inline constexpr std::uint16_t kIccRprEl1 = pack_system_register(3, 0, 12, 11, 3);
inline constexpr std::uint16_t kIccSgi1rEl1 = pack_system_register(3, 0, 12, 11, 5);
inline constexpr std::uint16_t kIccAsgi1rEl1 = pack_system_register(3, 0, 12, 11, 6);
inline constexpr std::uint16_t kIccSgi0rEl1 = pack_system_register(3, 0, 12, 11, 7);
inline constexpr std::uint16_t kIccIar1El1 = pack_system_register(3, 0, 12, 12, 0);
inline constexpr std::uint16_t kIccEoir1El1 = pack_system_register(3, 0, 12, 12, 1);
inline constexpr std::uint16_t kIccHppir1El1 = pack_system_register(3, 0, 12, 12, 2);
inline constexpr std::uint16_t kIccBpr1El1 = pack_system_register(3, 0, 12, 12, 3);
inline constexpr std::uint16_t kIccCtlrEl1 = pack_system_register(3, 0, 12, 12, 4);
inline constexpr std::uint16_t kIccSreEl1 = pack_system_register(3, 0, 12, 12, 5);
inline constexpr std::uint16_t kIccIgrpen0El1 = pack_system_register(3, 0, 12, 12, 6);
inline constexpr std::uint16_t kIccIgrpen1El1 = pack_system_register(3, 0, 12, 12, 7);
inline constexpr std::uint16_t kIccSreEl2 = pack_system_register(3, 4, 12, 9, 5);
inline constexpr std::uint16_t kIchHcrEl2 = pack_system_register(3, 4, 12, 11, 0);
inline constexpr std::uint16_t kIccCtlrEl3 = pack_system_register(3, 6, 12, 12, 4);
inline constexpr std::uint16_t kIccSreEl3 = pack_system_register(3, 6, 12, 12, 5);
inline constexpr std::uint16_t kIccIgrpen1El3 = pack_system_register(3, 6, 12, 12, 7);

/// Returns the op1 field, which tells the lowest Exception level of a register: 0 EL1, 4 EL2, 6 EL3.
constexpr unsigned op1_of(std::uint16_t encoding) { return encoding >> 11 & 7; }

}  // namespace dpusim::irq
