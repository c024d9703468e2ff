// A minimal PMUv3 (Arm ARM D12): the cycle counter, and event counters that can count cycles and retired instructions.
#pragma once

#include <array>
#include <cstdint>

namespace dpusim::cpu {

/// Derives counters from the PE's totals; nothing runs while a guest does not look. Overflow interrupts are not raised.
class Pmu {
 public:
  static constexpr unsigned kCounters = 6;  ///< event counters of Cortex-A72 (PMCR_EL0.N)
  static constexpr std::uint64_t kInstRetired = 0x08, kCpuCycles = 0x11, kSoftwareIncrement = 0x00;
  /// Totals of the PE at the time of an access.
  struct Totals {
    std::uint64_t cycles = 0, instructions = 0;
  };

  /// Returns PMCR_EL0: implementer 0x41, IDCODE 0x02, N counters. @spec Arm DDI 0488 (Cortex-A72 TRM) 11.4.1
  [[nodiscard]] std::uint64_t pmcr() const { return 0x41020000u | (std::uint64_t{kCounters} << 11) | pmcr_; }
  void write_pmcr(std::uint64_t value, const Totals& now);
  [[nodiscard]] std::uint64_t cycle_count(const Totals& now) const;
  void write_cycle_count(std::uint64_t value, const Totals& now);
  [[nodiscard]] std::uint64_t event_count(unsigned n, const Totals& now) const;
  void write_event_count(unsigned n, std::uint64_t value, const Totals& now);
  void write_event_type(unsigned n, std::uint64_t value, const Totals& now);
  void write_enable(std::uint64_t value, const Totals& now);
  void increment(std::uint64_t mask, const Totals& now);

  std::uint64_t enable = 0;                   ///< PMCNTENSET_EL0
  std::uint64_t overflow = 0, interrupt = 0;  ///< PMOVSSET_EL0, PMINTENSET_EL1
  std::uint64_t user_enable = 0, select = 0;  ///< PMUSERENR_EL0, PMSELR_EL0
  std::uint64_t cycle_filter = 0;             ///< PMCCFILTR_EL0 (kept, not applied)
  std::array<std::uint64_t, kCounters> event_type{};

 private:
  /// Folds what has been counted up to `now` into the stored values, before what is counted changes.
  void settle(const Totals& now);
  [[nodiscard]] std::uint64_t running(unsigned n, const Totals& now) const;

  std::uint64_t pmcr_ = 0;  ///< E (0), D (3), X (4), DP (5), LC (6)
  std::uint64_t cycle_value_ = 0;
  std::array<std::uint64_t, kCounters> event_value_{};
  Totals settled_;
};

}  // namespace dpusim::cpu
