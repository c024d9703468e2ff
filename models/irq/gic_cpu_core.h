// The CPU interface of one PE: priorities, acknowledge, end of interrupt, SGIs. No SystemC, no time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "irq/gic_interrupts.h"
#include "tlm/gic_cpu_interface.h"

namespace dpusim::irq {

inline constexpr std::uint16_t kSpurious = 1023;  ///< IHI 0069H 2.2.1
inline constexpr std::uint8_t kIdlePriority = 0xff;

/// System registers ICC_* of one PE with one security state (GICD_CTLR.DS = 1).
class GicCpuCore {
 public:
  /// @param number of the PE.
  GicCpuCore(GicInterrupts& interrupts, unsigned number);
  /// Takes the reset values of the registers; state in the distributor stays.
  void reset();

  bool read(std::uint16_t encoding, const GicContext& context, std::uint64_t& value);
  [[nodiscard]] bool peek(std::uint16_t encoding, const GicContext& context, std::uint64_t& value) const;
  bool write(std::uint16_t encoding, const GicContext& context, std::uint64_t value);

  /// Returns whether an interrupt of `group` is to be signalled now: the best pending one is of that group, passes the
  /// mask and preempts what runs.
  [[nodiscard]] bool signalled(Group group) const;
  /// Returns the priority of what runs; kIdlePriority for nothing.
  [[nodiscard]] std::uint8_t running_priority() const;

 private:
  struct Pending {
    std::uint16_t intid;
    std::uint8_t priority;
    Group group;
  };
  using Active = std::array<std::uint32_t, 4>;  // a bit for each preemption level: AP0R<n> or AP1R<n>

  [[nodiscard]] std::optional<Pending> highest_pending() const;
  [[nodiscard]] std::optional<Pending> to_signal() const;
  [[nodiscard]] std::uint8_t group_mask(Group group) const;
  [[nodiscard]] unsigned preemption_bits() const;
  [[nodiscard]] unsigned lowest_active(const Active& active) const;
  [[nodiscard]] std::uint64_t control(const GicContext& context, bool el3) const;
  void write_control(std::uint64_t value, bool el3);
  [[nodiscard]] bool split(const GicContext& context) const { return context.el == 3 ? eoi_mode_el3_ : eoi_mode_; }
  [[nodiscard]] std::uint64_t acknowledge(Group group);
  void end_of_interrupt(Group group, const GicContext& context, std::uint64_t value);
  void deactivate(const GicContext& context, std::uint64_t value);
  void send_sgi(Group group, std::uint64_t value);
  [[nodiscard]] static bool accessible(std::uint16_t encoding, const GicContext& context);

  GicInterrupts& interrupts_;
  unsigned number_;
  std::uint8_t mask_ = 0;
  std::array<std::uint8_t, 2> binary_point_{};
  std::array<bool, 2> group_enabled_{};
  std::array<Active, 2> active_{};
  bool common_binary_point_ = false, eoi_mode_ = false, eoi_mode_el3_ = false;
};

}  // namespace dpusim::irq
