// GICD and GICR registers: IHI 0069H chapter 12.
#include "gic_fixture.h"

using namespace dpusim;
using namespace dpusim::irq;
using Region = GicRegisters::Region;

TEST_CASE("distributor identifies a GICv3 with one security state") {
  GicFixture gic(2, 96);
  CHECK(gic.gicd(0x0) == 0x50);  // ARE and DS are RAO, both groups off (12.9.4)
  // 12.9.38: ITLinesNumber = (32 + 96) / 32 - 1 = 3; IDbits 9 at 19; A3V bit 24; No1N bit 25; no LPIs (17), no MBIS
  // (16).
  CHECK(gic.gicd(0x4) == (3U | 9U << 19 | 1U << 24 | 1U << 25));
  CHECK(gic.gicd(0x8) == 0x43b);             // JEP106 code of Arm
  CHECK((gic.gicd(0xffe8) & 0xf0) == 0x30);  // PIDR2.ArchRev: GICv3
  CHECK(gic.gicd(0xfff0) == 0x0d);           // CIDR0 to CIDR3 (12.1.5)
  CHECK(gic.gicd(0xfffc) == 0xb1);
  gic.gicd(0x0, 0xffffffff);
  CHECK(gic.gicd(0x0) == 0x53);  // only the enables are writable, and RWP is clear at once
}

TEST_CASE("lines number covers 988 SPIs and rounds up") {
  CHECK((GicFixture(1, 988).gicd(0x4) & 0x1f) == 31);  // INTIDs to 1019
  CHECK((GicFixture(1, 1).gicd(0x4) & 0x1f) == 1);
  CHECK((GicFixture(1, 32).gicd(0x4) & 0x1f) == 1);
  CHECK((GicFixture(1, 33).gicd(0x4) & 0x1f) == 2);
}

TEST_CASE("set and clear registers act on the ones written and read the same state") {
  GicFixture gic;
  gic.gicd(0x104, 0x80000001);
  gic.gicd(0x104, 0x2);
  CHECK(gic.gicd(0x104) == 0x80000003);
  CHECK(gic.gicd(0x184) == 0x80000003);
  gic.gicd(0x184, 0x1);
  CHECK(gic.gicd(0x104) == 0x80000002);
  gic.gicd(0x208, 0x10);
  CHECK(gic.gicd(0x288) == 0x10);
  gic.gicd(0x288, 0x10);
  CHECK(gic.gicd(0x208) == 0);
  gic.gicd(0x308, 0x20);
  CHECK(gic.gicd(0x388) == 0x20);
  gic.gicd(0x388, 0xffffffff);
  CHECK(gic.gicd(0x308) == 0);
}

TEST_CASE("the distributor does not show SGIs and PPIs, nor SPIs that are not there") {
  GicFixture gic(1, 40);  // INTIDs 32 to 71
  gic.gicd(0x100, 0xffffffff);
  CHECK(gic.gicd(0x100) == 0);  // GICD_ISENABLER0 is RES0 with affinity routing (12.9.21)
  gic.gicd(0x108, 0xffffffff);
  CHECK(gic.gicd(0x108) == 0xff);  // INTIDs 64 to 71
  gic.gicd(0x10c, 0xffffffff);
  CHECK(gic.gicd(0x10c) == 0);
  gic.gicd(0x400, 0xffffffff);
  CHECK(gic.gicd(0x400) == 0);
}

TEST_CASE("priorities are octets of which the upper bits are implemented") {
  GicFixture gic(1, 96, 5);
  gic.write<std::uint8_t>(Region::kDistributor, 0x400 + 33, 0xff);
  gic.write<std::uint8_t>(Region::kDistributor, 0x400 + 34, 0x0f);
  CHECK(gic.gicd(0x420) == 0x0008f800);  // octet 1: 0xff & 0xf8, octet 2: 0x0f & 0xf8
  CHECK(gic.read<std::uint8_t>(Region::kDistributor, 0x400 + 33) == 0xf8);
  GicFixture wide(1, 96, 8);
  wide.gicr(0, 0x10400, 0x01020304);
  CHECK(wide.gicr(0, 0x10400) == 0x01020304);
}

TEST_CASE("IROUTER takes 64-bit and 32-bit accesses and has no 1 of N mode") {
  GicFixture gic(1, 988);
  gic.write<std::uint64_t>(Region::kDistributor, 0x6100, 0xffffffffffffffff);
  CHECK(gic.read<std::uint64_t>(Region::kDistributor, 0x6100) == 0x000000ff00ffffff);
  gic.gicd(0x6104, 0);
  CHECK(gic.read<std::uint64_t>(Region::kDistributor, 0x6100) == 0x0000000000ffffff);
  gic.write<std::uint64_t>(Region::kDistributor, 0x7fd8, 0x1);  // INTID 1019, the last
  CHECK(gic.read<std::uint64_t>(Region::kDistributor, 0x7fd8) == 1);
}

TEST_CASE("odd sizes are refused and reserved addresses read zero") {
  GicFixture gic;
  std::array<std::uint8_t, 2> two{};
  CHECK(gic.registers.read(Region::kDistributor, 0x100, two) == RegisterResult::kBadSize);
  CHECK(gic.gicd(0x5000) == 0);
  CHECK(gic.gicr(0, 0x10044) == 0);
  std::array<std::uint8_t, 4> four{};
  CHECK(gic.registers.read(Region::kRedistributors, 2 * 0x20000, four) ==
        RegisterResult::kUnmapped);  // beyond the last PE
}

TEST_CASE("redistributors tell affinity, number and which is the last") {
  GicFixture gic(18, 32);
  CHECK(gic.read<std::uint64_t>(Region::kRedistributors, 0x8) == 0);
  CHECK(gic.read<std::uint64_t>(Region::kRedistributors, 15 * 0x20000 + 0x8) == (15ULL << 32 | 15U << 8));
  // PE 17 is 0.0.1.1 and the last: bit 4.
  CHECK(gic.read<std::uint64_t>(Region::kRedistributors, 17 * 0x20000 + 0x8) == (0x101ULL << 32 | 17U << 8 | 0x10));
}

TEST_CASE("WAKER's ChildrenAsleep follows ProcessorSleep") {
  GicFixture gic;
  CHECK(gic.gicr(0, 0x14) == 0x6);
  gic.gicr(0, 0x14, 0x0);
  CHECK(gic.gicr(0, 0x14) == 0x0);
  CHECK(gic.gicr(1, 0x14) == 0x6);
  gic.gicr(0, 0x14, 0x2);
  CHECK(gic.gicr(0, 0x14) == 0x6);
}

TEST_CASE("SGIs are edge-triggered for good, PPIs as configured") {
  GicFixture gic;
  gic.gicr(0, 0x10c00, 0);
  CHECK(gic.gicr(0, 0x10c00) == 0xaaaaaaaa);
  CHECK(gic.gicr(0, 0x10c04) == 0);
  gic.gicr(0, 0x10c04, 0xffffffff);
  CHECK(gic.gicr(0, 0x10c04) == 0xaaaaaaaa);  // the lower bit of each pair is RES0
}
