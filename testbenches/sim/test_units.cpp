// sim/units.h. Expected values are worked out by hand beside each.
#include <catch2/catch.hpp>

#include "sim/units.h"

using namespace dpusim;
using namespace dpusim::literals;

TEST_CASE("literals count base units") {
  CHECK((3_ns).count() == 3'000);
  CHECK((3_us).count() == 3'000'000);
  CHECK((3_ms).count() == 3'000'000'000);
  CHECK((3_s).count() == 3'000'000'000'000);
  CHECK((64_KiB).count() == 65'536);
  CHECK((1_MiB).count() == 1'048'576);
  CHECK((16_GiB).count() == 17'179'869'184ULL);
  CHECK((25_Gbps).count() == 25'000'000'000ULL);
  CHECK((100_Mbps).count() == 100'000'000ULL);
  CHECK((2_GHz).count() == 2'000'000'000ULL);
  CHECK((3200_MTps).count() == 3'200'000'000ULL);
}

TEST_CASE("quantities add, scale, divide and compare") {
  Time time = 5_ns;
  time += 2_ns;
  time -= 1_ns;
  CHECK(time == 6_ns);
  CHECK(time * 3 == 18_ns);
  CHECK(3 * time == 18_ns);
  CHECK(time / 4 == Time(1'500));
  CHECK(100_ns / 30_ns == 3);
  CHECK(100_ns % 30_ns == 10_ns);
  CHECK(1_ns - 2_ns == Time(-1'000));
  CHECK(1_ns < 2_ns);
  CHECK(Bytes() == 0_B);
}

TEST_CASE("mul_div rounds to nearest and keeps 128 bits between") {
  CHECK(mul_div(10, 1, 4) == 3);  // 2.5 rounds up
  CHECK(mul_div(9, 1, 4) == 2);   // 2.25
  CHECK(mul_div(11, 1, 4) == 3);  // 2.75
  // 2^63 * 2^40 / 2^41 = 2^62: the product has 103 bits.
  CHECK(mul_div(1ULL << 63, 1ULL << 40, 1ULL << 41) == (1LL << 62));
}

TEST_CASE("octets occupy a wire for eight bit times each") {
  CHECK(transfer_time(64_B, 100_Gbps) == Time(5'120));  // 512 bit at 10 ps
  CHECK(transfer_time(84_B, 10_Gbps) ==
        Time(67'200));  // smallest frame with preamble and IPG: 67.2 ns (IEEE 802.3 at 10 Gb/s)
  CHECK(transfer_time(1_B, BitRate(3)) == Time(2'666'666'666'667));  // 8/3 s, rounded up from ...666.67
  CHECK(transfer_time(0_B, 1_Gbps) == Time(0));
}

TEST_CASE("a clock converts from the exact rational, so that no error accumulates") {
  const Clock ddr5_5600(Frequency(2'800'000'000));  // 357.142857 ps
  CHECK(ddr5_5600.time(Cycles(1)) == Time(357));
  CHECK(ddr5_5600.time(Cycles(7)) == Time(2'500));
  CHECK(ddr5_5600.time(Cycles(2'800'000'000)) == 1_s);
  // A cycle has ended at the first whole picosecond after 357.142857 ps.
  CHECK(ddr5_5600.cycles(Time(357)) == Cycles(0));
  CHECK(ddr5_5600.cycles(Time(358)) == Cycles(1));
  CHECK(ddr5_5600.cycles(Time(2'499)) == Cycles(6));
  CHECK(ddr5_5600.cycles(Time(2'500)) == Cycles(7));
  // An hour at 62.5 MHz: 3600 * 62.5e6 cycles, of 16 ns each.
  const Clock timer(Frequency(62'500'000));
  CHECK(timer.cycles(3600_s) == Cycles(225'000'000'000));
  CHECK(timer.cycles(3600_s - Time(1)) == Cycles(224'999'999'999));
  CHECK(timer.time(Cycles(225'000'000'000)) == 3600_s);
}
