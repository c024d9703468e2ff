// The seam between a core and its GICv3 CPU interface (Arm IHI 0069H chapter 12): system registers one way, interrupt
// levels the other.
//
// The core provides nothing but an IrqSink; the interrupt controller implements GicCpuInterface and hands one out for
// each PE over a ServicePort of kind kGicServiceKind whose `provide` points to a GicCpuInterface (converted to that
// type before it becomes void*).
#pragma once

#include <cstdint>

#include "tlm/irq.h"

namespace dpusim {

/// Kind name of the ServicePort that carries a GicCpuInterface*.
inline constexpr const char* kGicServiceKind = "gic_cpu_interface";

/// Numbers under which a GIC drives a core's IrqSink.
enum class CoreInterrupt : unsigned { kIrq = 0, kFiq = 1, kVirtualIrq = 2, kVirtualFiq = 3 };

/// Returns a system register's encoding in 16 bits: op0 15:14, op1 13:11, CRn 10:7, CRm 6:3, op2 2:0 (MRS field order).
constexpr std::uint16_t pack_system_register(unsigned op0, unsigned op1, unsigned crn, unsigned crm, unsigned op2) {
  return static_cast<std::uint16_t>((op0 << 14) | (op1 << 11) | (crn << 7) | (crm << 3) | op2);
}

/// Who makes a register access, or in what state a PE is: decides banked views and whether a group is signalled as IRQ
/// or FIQ.
struct GicContext {
  std::uint8_t el = 1;       ///< current Exception level, 0..3
  bool secure = false;       ///< Security state of that level (EL3 is Secure)
  bool virtualised = false;  ///< at Non-secure EL1 with HCR_EL2.IMO or FMO: ICC_ encodings name ICV_ registers
  bool operator==(const GicContext&) const = default;
};

/// The CPU interface of one PE. Every call is made at the kernel's present time (the core synchronises first).
class GicCpuInterface {
 public:
  virtual ~GicCpuInterface() = default;
  /// Names where levels go: sink.irq_changed(unsigned(CoreInterrupt::k...), level), at once for those that are already
  /// high.
  virtual void connect(IrqSink& sink) = 0;
  /// Reads an ICC_* or ICH_* register, with the read's effects (acknowledge).
  /// @param encoding pack_system_register. @return false when the register is UNDEFINED in this context.
  virtual bool read(std::uint16_t encoding, const GicContext& context, std::uint64_t& value) = 0;
  /// Reads without effects, for debuggers. @return false when the register is UNDEFINED in this context.
  [[nodiscard]] virtual bool peek(std::uint16_t encoding, const GicContext& context, std::uint64_t& value) const = 0;
  /// Writes an ICC_* or ICH_* register. @return false when the register is UNDEFINED in this context.
  virtual bool write(std::uint16_t encoding, const GicContext& context, std::uint64_t value) = 0;
  /// Tells that the PE changed its Exception level or Security state; the levels are sent again where they differ (IHI
  /// 0069H 4.6.2).
  virtual void state_changed(const GicContext& context) = 0;
  /// Tells that the PE was reset (PSCI CPU_ON, warm reset): the CPU interface takes its reset values.
  virtual void reset() = 0;
};

}  // namespace dpusim
