// The Generic Timer of one PE (Arm ARM D11): the counter is simulated time, a timer is a compare value against it.
#pragma once

#include <array>
#include <cstdint>

#include "sim/units.h"
#include "tlm/irq.h"

namespace dpusim::cpu {

/// The timers of one PE, in the order of their PPIs' use: EL1 physical, EL1 virtual, EL2 physical, EL1 secure physical.
enum class Timer : std::uint8_t { kPhysical, kVirtual, kHypervisor, kSecure };
inline constexpr unsigned kTimers = 4;

/// Holds compare values and controls; counts nothing by itself, so no event is needed until a deadline.
class Timers {
 public:
  /// Interrupt IDs by Timer: PPIs 30, 27, 26, 29 (Arm BSA table 7).
  static constexpr std::array<unsigned, kTimers> kIntid{30, 27, 26, 29};
  /// CNT*_CTL bits. @spec Arm ARM D17.11
  static constexpr std::uint64_t kEnable = 1, kMask = 2, kStatus = 4;

  explicit Timers(Frequency frequency) : clock_(frequency), cntfrq(frequency.count()) {}

  /// Returns the system counter at `now`: the number of whole ticks since time 0.
  [[nodiscard]] std::uint64_t count(Time now) const { return clock_.cycles(now).count(); }
  /// Returns the virtual counter.
  [[nodiscard]] std::uint64_t virtual_count(Time now) const { return count(now) - cntvoff; }
  /// Returns the count that a timer compares with.
  [[nodiscard]] std::uint64_t count_of(Timer timer, Time now) const {
    return timer == Timer::kVirtual ? virtual_count(now) : count(now);
  }

  [[nodiscard]] std::uint64_t compare_value(Timer timer) const { return compare_[index(timer)]; }
  void set_compare_value(Timer timer, std::uint64_t value, Time now) {
    compare_[index(timer)] = value;
    update(now);
  }
  /// Returns TVAL: the low 32 bits of compare value - count, sign not extended (bits 63:32 are RES0).
  [[nodiscard]] std::uint64_t timer_value(Timer timer, Time now) const {
    return (compare_[index(timer)] - count_of(timer, now)) & 0xffff'ffffu;
  }
  /// Sets the compare value to count + sign-extended `value`.
  void set_timer_value(Timer timer, std::uint64_t value, Time now);
  /// Returns CTL with ISTATUS as of `now`; ISTATUS reads 0 while the timer is not enabled (architecturally UNKNOWN).
  [[nodiscard]] std::uint64_t control(Timer timer, Time now) const;
  void set_control(Timer timer, std::uint64_t value, Time now);
  void set_virtual_offset(std::uint64_t value, Time now) {
    cntvoff = value;
    update(now);
  }

  /// Tells whether the timer's condition is met: enabled, and count >= compare value, unsigned 64 bits.
  [[nodiscard]] bool condition(Timer timer, Time now) const;
  /// Sets each line to its level at `now`, which is the kernel's present time. @return whether one rose.
  bool update(Time now);
  /// Returns the first time, not before `now`, at which a line that is low will rise; kTimeMax when none will.
  [[nodiscard]] Time next_deadline(Time now) const;
  /// Returns the first time after `now` of an event of the enabled event streams (CNTKCTL_EL1, CNTHCTL_EL2), kTimeMax
  /// without one.
  /// @spec Arm ARM D11.2.2
  [[nodiscard]] Time next_stream_event(Time now) const;
  /// Returns when the counter first reaches `ticks`; kTimeMax when that is beyond the range of Time.
  [[nodiscard]] Time time_of(std::uint64_t ticks) const;

  [[nodiscard]] IrqLine& line(Timer timer) { return lines_[index(timer)]; }
  [[nodiscard]] const Clock& clock() const { return clock_; }
  /// Disables all timers, as a PE reset does; compare values are UNKNOWN then and stay.
  void reset();

 private:
  static std::size_t index(Timer timer) { return static_cast<std::size_t>(timer); }
  [[nodiscard]] bool level(Timer timer, Time now) const;

  Clock clock_;
  std::array<std::uint64_t, kTimers> compare_{};
  std::array<std::uint64_t, kTimers> control_{};
  std::array<IrqLine, kTimers> lines_{};

 public:
  std::uint64_t cntvoff = 0;  ///< CNTVOFF_EL2; change it by set_virtual_offset
  std::uint64_t cntfrq;       ///< CNTFRQ_EL0: software's note of the frequency, programmed before the guest starts
  std::uint64_t cntkctl = 0;  ///< CNTKCTL_EL1: EL0 access
  std::uint64_t cnthctl = 3;  ///< CNTHCTL_EL2: EL1 access to the physical counter (0) and timer (1)
};

}  // namespace dpusim::cpu
