#include "cpu/a64/arch/pmu.h"

namespace dpusim::cpu {

namespace {
constexpr std::uint64_t kE = 1, kP = 2, kC = 4, kWritable = 0x79;  // PMCR_EL0: E, D, X, DP, LC are kept
constexpr std::uint64_t kCycleBit = 1ull << 31;
constexpr std::uint64_t kEnableMask = kCycleBit | ((1ull << Pmu::kCounters) - 1);
}  // namespace

std::uint64_t Pmu::running(unsigned n, const Totals& now) const {
  if ((pmcr_ & kE) == 0 || (enable & (1ull << n)) == 0) return 0;
  const std::uint64_t event = event_type[n] & 0xffff;
  if (event == kInstRetired) return now.instructions - settled_.instructions;
  if (event == kCpuCycles) return now.cycles - settled_.cycles;
  return 0;
}

void Pmu::settle(const Totals& now) {
  for (unsigned n = 0; n < kCounters; ++n) event_value_[n] = event_count(n, now);
  cycle_value_ = cycle_count(now);
  settled_ = now;
}

std::uint64_t Pmu::cycle_count(const Totals& now) const {
  if ((pmcr_ & kE) == 0 || (enable & kCycleBit) == 0) return cycle_value_;
  return cycle_value_ + (now.cycles - settled_.cycles);
}

std::uint64_t Pmu::event_count(unsigned n, const Totals& now) const {
  return (event_value_[n] + running(n, now)) & 0xffff'ffffu;
}

void Pmu::write_pmcr(std::uint64_t value, const Totals& now) {
  settle(now);
  if ((value & kC) != 0) cycle_value_ = 0;
  if ((value & kP) != 0) event_value_ = {};
  pmcr_ = value & kWritable;
}

void Pmu::write_cycle_count(std::uint64_t value, const Totals& now) {
  settle(now);
  cycle_value_ = value;
}

void Pmu::write_event_count(unsigned n, std::uint64_t value, const Totals& now) {
  settle(now);
  event_value_[n] = value & 0xffff'ffffu;
}

void Pmu::write_event_type(unsigned n, std::uint64_t value, const Totals& now) {
  settle(now);
  event_type[n] = value & 0xfe00'ffffu;
}

void Pmu::write_enable(std::uint64_t value, const Totals& now) {
  settle(now);
  enable = value & kEnableMask;
}

void Pmu::increment(std::uint64_t mask, const Totals& now) {
  settle(now);
  for (unsigned n = 0; n < kCounters; ++n) {
    const bool counts =
        (pmcr_ & kE) != 0 && (enable & (1ull << n)) != 0 && (event_type[n] & 0xffff) == kSoftwareIncrement;
    if ((mask & (1ull << n)) != 0 && counts) event_value_[n] = (event_value_[n] + 1) & 0xffff'ffffu;
  }
}

}  // namespace dpusim::cpu
