// Generic timers: all times are worked out from the frequency. 62.5 MHz has a tick of exactly 16 ns.
#include <catch2/catch.hpp>

#include "cpu/a64/arch/timers.h"
#include "test_system_host.h"

namespace dpusim::cpu {

using namespace dpusim::literals;

TEST_CASE("The counter is the number of whole ticks") {
  const Timers timers(Frequency(62'500'000));
  CHECK(timers.count(15'999_ps) == 0);
  CHECK(timers.count(16_ns) == 1);
  CHECK(timers.count(1_s) == 62'500'000);
  const Timers odd(Frequency(3'000'000));  // a tick of 333,333.3 ps
  CHECK(odd.count(333'333_ps) == 0);
  CHECK(odd.count(333'334_ps) == 1);
  CHECK(odd.time_of(1) == 333'334_ps);
  CHECK(odd.time_of(3) == 1_us);
}

TEST_CASE("A timer's line rises at its compare value and not a picosecond earlier") {
  for (const Timer timer : {Timer::kPhysical, Timer::kVirtual, Timer::kHypervisor, Timer::kSecure}) {
    Timers timers(Frequency(62'500'000));
    timers.set_compare_value(timer, 100, 0_ps);
    timers.set_control(timer, Timers::kEnable, 0_ps);
    CHECK(timers.next_deadline(0_ps) == 1'600_ns);
    timers.update(1'599'999_ps);
    CHECK_FALSE(timers.line(timer).level());
    CHECK(timers.control(timer, 1'599'999_ps) == Timers::kEnable);
    CHECK(timers.update(1'600_ns));
    CHECK(timers.line(timer).level());
    CHECK(timers.control(timer, 1'600_ns) == (Timers::kEnable | Timers::kStatus));
    CHECK(timers.next_deadline(1'600_ns) == kTimeMax);  // nothing more will rise
    timers.set_compare_value(timer, 200, 1'700_ns);
    CHECK_FALSE(timers.line(timer).level());
    timers.set_control(timer, Timers::kEnable | Timers::kMask, 5_us);
    CHECK_FALSE(timers.line(timer).level());
    CHECK(timers.control(timer, 5_us) == (Timers::kEnable | Timers::kMask | Timers::kStatus));
    timers.set_control(timer, 0, 5_us);
    CHECK(timers.next_deadline(5_us) == kTimeMax);
  }
}

TEST_CASE("TVAL is a signed 32-bit view of compare value minus count") {
  Timers timers(Frequency(62'500'000));
  timers.set_timer_value(Timer::kPhysical, 10, 160_ns);
  CHECK(timers.compare_value(Timer::kPhysical) == 20);
  CHECK(timers.timer_value(Timer::kPhysical, 320_ns) == 0);
  CHECK(timers.timer_value(Timer::kPhysical, 336_ns) == 0xffff'ffff);
  timers.set_timer_value(Timer::kPhysical, 0xffff'fffe, 160_ns);  // -2
  CHECK(timers.compare_value(Timer::kPhysical) == 8);
}

TEST_CASE("CNTVOFF moves the virtual timer only") {
  Timers timers(Frequency(62'500'000));
  timers.set_virtual_offset(40, 0_ps);
  timers.set_compare_value(Timer::kVirtual, 60, 1_us);
  timers.set_control(Timer::kVirtual, Timers::kEnable, 1_us);
  CHECK(timers.virtual_count(1_us) == 22);  // 62 - 40
  CHECK(timers.next_deadline(1_us) == 1'600_ns);
  timers.set_virtual_offset(0, 1_us);
  CHECK(timers.line(Timer::kVirtual).level());  // 62 >= 60
}

TEST_CASE("A compare value that the counter never reaches has no deadline") {
  Timers timers(Frequency(62'500'000));
  timers.set_compare_value(Timer::kPhysical, ~0ull, 0_ps);
  timers.set_control(Timer::kPhysical, Timers::kEnable, 0_ps);
  CHECK(timers.next_deadline(1_s) == kTimeMax);
}

TEST_CASE("The event stream ticks with the chosen bit and direction") {
  Timers timers(Frequency(62'500'000));
  CHECK(timers.next_stream_event(0_ps) == kTimeMax);
  timers.cntkctl = (1u << 2) | (3u << 4);  // rising bit 3: counts 8, 24, 40...
  CHECK(timers.next_stream_event(0_ps) == 128_ns);
  CHECK(timers.next_stream_event(127'999_ps) == 128_ns);
  CHECK(timers.next_stream_event(128_ns) == 384_ns);
  timers.cntkctl |= 1u << 3;  // falling: counts 16, 32...
  CHECK(timers.next_stream_event(128_ns) == 256_ns);
}

TEST_CASE("Guests see the timers through system registers") {
  TestPe pe(2);
  pe.host.time = 1_us;
  CHECK(pe.get({3, 3, 14, 0, 0}) == 62'500'000);
  CHECK(pe.get({3, 3, 14, 0, 1}) == 62);
  pe.set({3, 3, 14, 2, 0}, 38);  // CNTP_TVAL_EL0
  CHECK(pe.get({3, 3, 14, 2, 2}) == 100);
  pe.set({3, 3, 14, 2, 1}, 1);
  CHECK(pe.system.timers().next_deadline(pe.host.time) == 1'600_ns);
  // CNTFRQ_EL0 belongs to the highest level of the guest.
  pe.go(kEl1h);
  CHECK(pe.set({3, 3, 14, 0, 0}, 1) == SysRegResult::kUndefined);
  // CNTHCTL_EL2 lets EL1 at the physical counter and timer, at reset.
  CHECK(pe.get({3, 3, 14, 0, 1}) == 62);
  pe.system.timers().cnthctl = 0;
  std::uint64_t value = 0;
  Exception fault{};
  CHECK(pe.system.read({3, 3, 14, 0, 1}, 0, value, fault) == SysRegResult::kTrapped);
  CHECK(fault.target_el == 2);
  CHECK(pe.system.read({3, 7, 14, 2, 1}, 0, value, fault) == SysRegResult::kUndefined);  // CNTPS at Non-secure EL1
}

}  // namespace dpusim::cpu
