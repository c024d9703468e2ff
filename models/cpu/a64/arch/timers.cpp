#include "cpu/a64/arch/timers.h"

#include <algorithm>

namespace dpusim::cpu {

namespace {
constexpr std::array<Timer, kTimers> kAllTimers{Timer::kPhysical, Timer::kVirtual, Timer::kHypervisor, Timer::kSecure};
}  // namespace

void Timers::set_timer_value(Timer timer, std::uint64_t value, Time now) {
  const auto offset =
      static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(value & 0xffff'ffffu)));
  set_compare_value(timer, count_of(timer, now) + offset, now);
}

bool Timers::condition(Timer timer, Time now) const {
  return (control_[index(timer)] & kEnable) != 0 && count_of(timer, now) >= compare_[index(timer)];
}

std::uint64_t Timers::control(Timer timer, Time now) const {
  return control_[index(timer)] | (condition(timer, now) ? kStatus : 0);
}

void Timers::set_control(Timer timer, std::uint64_t value, Time now) {
  control_[index(timer)] = value & (kEnable | kMask);
  update(now);
}

bool Timers::level(Timer timer, Time now) const {
  return condition(timer, now) && (control_[index(timer)] & kMask) == 0;
}

bool Timers::update(Time now) {
  bool rose = false;
  for (const Timer timer : kAllTimers) {
    IrqLine& line = lines_[index(timer)];
    const bool next = level(timer, now);
    rose = rose || (next && !line.level());
    line.set(next);
  }
  return rose;
}

Time Timers::time_of(std::uint64_t ticks) const {
  // count() rounds down, so the first picosecond that shows `ticks` is the quotient rounded up.
  const auto numerator = static_cast<Uint128>(ticks) * kPicosecondsPerSecond;
  const std::uint64_t frequency = clock_.frequency().count();
  const Uint128 time = (numerator + frequency - 1) / frequency;
  return time > static_cast<Uint128>(kTimeMax.count()) ? kTimeMax : Time(static_cast<std::int64_t>(time));
}

Time Timers::next_deadline(Time now) const {
  Time first = kTimeMax;
  for (const Timer timer : kAllTimers) {
    const std::uint64_t control = control_[index(timer)];
    if ((control & kEnable) == 0 || (control & kMask) != 0 || lines_[index(timer)].level()) continue;
    if (condition(timer, now)) return now;
    const std::uint64_t present = count(now);
    const std::uint64_t wait = compare_[index(timer)] - count_of(timer, now);
    if (present + wait < present) continue;  // beyond the end of the physical counter
    first = std::min(first, time_of(present + wait));
  }
  return first;
}

Time Timers::next_stream_event(Time now) const {
  constexpr std::uint64_t kEventEnable = 1u << 2, kEventFalling = 1u << 3;
  Time first = kTimeMax;
  const auto consider = [&](std::uint64_t control, std::uint64_t counter) {
    if ((control & kEventEnable) == 0) return;
    // Bit EVNTI changes in the wanted direction once every 2^(EVNTI + 1) ticks: at 2^EVNTI within them when rising,
    // else at 0.
    const auto bit = static_cast<unsigned>((control >> 4) & 0xf);
    const std::uint64_t period = 2ull << bit;
    const std::uint64_t phase = (control & kEventFalling) != 0 ? 0 : 1ull << bit;
    const std::uint64_t wait = (phase - counter) & (period - 1);
    first = std::min(first, time_of(count(now) + (wait == 0 ? period : wait)));
  };
  consider(cntkctl, virtual_count(now));
  consider(cnthctl, count(now));
  return first;
}

void Timers::reset() {
  control_ = {};
  cntkctl = 0;
  cnthctl = 3;
  cntvoff = 0;
  for (IrqLine& line : lines_) line.set(false);
}

}  // namespace dpusim::cpu
