// CPU interface and the life of an interrupt: IHI 0069H chapters 4 and 12.2.
#include "gic_fixture.h"

using namespace dpusim;
using namespace dpusim::irq;

TEST_CASE("reset values of the system registers") {
  GicFixture gic;
  CHECK(gic.icc(0, kIccPmrEl1) == 0);
  CHECK(gic.icc(0, kIccBpr0El1) == 2);  // 5 preemption bits: [7:3]
  CHECK(gic.icc(0, kIccBpr1El1) == 3);
  CHECK(gic.icc(0, kIccRprEl1) == 0xff);
  CHECK(gic.icc(0, kIccIar1El1) == 1023);
  CHECK(gic.icc(0, kIccHppir1El1) == 1023);
  CHECK(gic.icc(0, kIccCtlrEl1) == (4U << 8 | 1U << 15));  // PRIbits = 5 - 1, A3V, 16 INTID bits
  CHECK(gic.icc(0, kIccSreEl1) == 7);
  CHECK(gic.icc(0, kIccIgrpen1El1) == 0);
  CHECK(gic.icc(0, kIccAp1r0El1) == 0);
}

TEST_CASE("access classes and levels of the system registers") {
  GicFixture gic;
  std::uint64_t value = 0;
  CHECK_FALSE(gic.cpus[0].read(kIccPmrEl1, {0, false, false}, value));  // EL0
  CHECK_FALSE(gic.cpus[0].read(kIccSreEl2, {1, false, false}, value));
  CHECK(gic.cpus[0].read(kIccSreEl2, {2, false, false}, value));
  CHECK_FALSE(gic.cpus[0].read(kIccCtlrEl3, {2, false, false}, value));
  CHECK_FALSE(gic.cpus[0].read(kIccEoir1El1, {1, false, false}, value));  // write-only
  CHECK_FALSE(gic.cpus[0].write(kIccIar1El1, {1, false, false}, 0));      // read-only
  CHECK_FALSE(gic.cpus[0].write(kIccRprEl1, {1, false, false}, 0));
  CHECK_FALSE(
      gic.cpus[0].read(pack_system_register(3, 0, 12, 9, 1), {1, false, false}, value));  // AP1R1: 32 levels only
  CHECK_FALSE(gic.cpus[0].read(kIccIar1El1, {1, false, true}, value));                    // would be ICV_IAR1_EL1
  // ICH_HCR_EL2 is RAZ/WI at EL2; ICH_VTR_EL2 does not exist.
  CHECK_FALSE(gic.cpus[0].write(kIchHcrEl2, {1, false, false}, 0));
  CHECK(gic.cpus[0].write(kIchHcrEl2, {2, false, false}, 1));
  CHECK(gic.cpus[0].read(kIchHcrEl2, {2, false, false}, value));
  CHECK(value == 0);
  CHECK_FALSE(gic.cpus[0].read(pack_system_register(3, 4, 12, 11, 1), {2, false, false}, value));
  GicFixture wide(1, 32, 7);
  CHECK(wide.cpus[0].read(pack_system_register(3, 0, 12, 9, 3), {1, false, false}, value));
}

TEST_CASE("a level-sensitive SPI: pending, active and pending, pending again, gone") {
  GicFixture gic;
  gic.start();
  gic.enable_spi(40, 0xa0);
  CHECK_FALSE(gic.cpus[0].signalled(kGroup1));
  gic.interrupts.set_line(0, 40, true);
  CHECK(gic.cpus[0].signalled(kGroup1));
  CHECK_FALSE(gic.cpus[0].signalled(kGroup0));
  CHECK_FALSE(gic.cpus[1].signalled(kGroup1));
  CHECK(gic.icc(0, kIccHppir1El1) == 40);
  CHECK(gic.icc(0, kIccHppir0El1) == 1023);
  CHECK(gic.icc(0, kIccIar0El1) == 1023);  // not of this group
  CHECK(gic.icc(0, kIccIar1El1) == 40);
  CHECK(gic.gicd(0x304) == 1U << 8);
  CHECK(gic.gicd(0x204) == 1U << 8);  // the line is still high: active and pending
  CHECK(gic.icc(0, kIccRprEl1) == 0xa0);
  CHECK(gic.icc(0, kIccAp1r0El1) == 1U << 20);  // level 0xa0 >> 3
  CHECK_FALSE(gic.cpus[0].signalled(kGroup1));
  gic.icc(0, kIccEoir1El1, 40);
  CHECK(gic.icc(0, kIccRprEl1) == 0xff);
  CHECK(gic.icc(0, kIccIar1El1) == 40);  // taken again: the handler did not quiet the device
  gic.interrupts.set_line(0, 40, false);
  gic.icc(0, kIccEoir1El1, 40);
  CHECK(gic.icc(0, kIccIar1El1) == 1023);
  CHECK(gic.gicd(0x304) == 0);
}

TEST_CASE("an edge-triggered SPI is held once and re-pends while active") {
  GicFixture gic;
  gic.start();
  gic.enable_spi(41, 0x80, 1, true);
  gic.interrupts.set_line(0, 41, true);
  gic.interrupts.set_line(0, 41, false);
  CHECK(gic.icc(1, kIccIar1El1) == 41);
  CHECK(gic.gicd(0x204) == 0);
  gic.interrupts.set_line(0, 41, true);
  gic.interrupts.set_line(0, 41, false);
  CHECK(gic.gicd(0x204) == 1U << 9);
  CHECK_FALSE(gic.cpus[1].signalled(kGroup1));
  gic.icc(1, kIccEoir1El1, 41);
  CHECK(gic.icc(1, kIccIar1El1) == 41);
  gic.icc(1, kIccEoir1El1, 41);
  CHECK(gic.icc(1, kIccIar1El1) == 1023);
}

TEST_CASE("clearing pending does not hide a high line, but withdraws an edge") {
  GicFixture gic;
  gic.start();
  gic.enable_spi(42, 0x80);
  gic.enable_spi(43, 0x80, 0, true);
  gic.interrupts.set_line(0, 42, true);
  gic.interrupts.set_line(0, 43, true);
  gic.gicd(0x284, 3U << 10);
  CHECK(gic.gicd(0x204) == 1U << 10);
}

TEST_CASE("the mask lets through only what is above it") {
  GicFixture gic;
  gic.start();
  gic.enable_spi(40, 0x80);
  gic.interrupts.set_line(0, 40, true);
  gic.icc(0, kIccPmrEl1, 0x80);
  CHECK_FALSE(gic.cpus[0].signalled(kGroup1));  // equal is masked (4.8.6)
  CHECK(gic.icc(0, kIccIar1El1) == 1023);
  CHECK(gic.icc(0, kIccHppir1El1) == 40);  // HPPIR does not look at the mask
  gic.icc(0, kIccPmrEl1, 0x88);
  CHECK(gic.cpus[0].signalled(kGroup1));
  gic.icc(0, kIccPmrEl1, 0xff);
  CHECK(gic.icc(0, kIccPmrEl1) == 0xf8);
}

TEST_CASE("a higher priority preempts, an equal or lower one waits") {
  GicFixture gic;
  gic.start();
  gic.enable_spi(40, 0x80);
  gic.enable_spi(41, 0x80);
  gic.enable_spi(42, 0x78);
  gic.interrupts.set_line(0, 41, true);
  gic.interrupts.set_line(0, 40, true);
  CHECK(gic.icc(0, kIccIar1El1) == 40);  // equal priorities: the lower INTID
  CHECK(gic.icc(0, kIccIar1El1) == 1023);
  gic.interrupts.set_line(0, 42, true);
  CHECK(gic.cpus[0].signalled(kGroup1));
  CHECK(gic.icc(0, kIccIar1El1) == 42);
  CHECK(gic.icc(0, kIccRprEl1) == 0x78);
  CHECK(gic.icc(0, kIccAp1r0El1) == (1U << 15 | 1U << 16));
  gic.interrupts.set_line(0, 42, false);
  gic.icc(0, kIccEoir1El1, 42);
  CHECK(gic.icc(0, kIccRprEl1) == 0x80);
  CHECK(gic.icc(0, kIccIar1El1) == 1023);
  gic.interrupts.set_line(0, 40, false);
  gic.icc(0, kIccEoir1El1, 40);
  CHECK(gic.icc(0, kIccIar1El1) == 41);
}

TEST_CASE("the binary point takes low bits out of preemption") {
  GicFixture gic;
  gic.start();
  gic.enable_spi(40, 0x88);
  gic.enable_spi(41, 0x80);
  gic.enable_spi(42, 0x78);
  gic.icc(0, kIccBpr1El1, 4);  // Group 1: bits [7:4] preempt (table 4-7)
  gic.interrupts.set_line(0, 40, true);
  CHECK(gic.icc(0, kIccIar1El1) == 40);
  CHECK(gic.icc(0, kIccAp1r0El1) == 1U << 16);  // 0x88 & 0xf0, level 0x80 >> 3
  gic.interrupts.set_line(0, 41, true);
  CHECK_FALSE(gic.cpus[0].signalled(kGroup1));  // same group priority 0x80
  gic.interrupts.set_line(0, 42, true);
  CHECK(gic.cpus[0].signalled(kGroup1));  // 0x70
  gic.icc(0, kIccBpr1El1, 0);
  CHECK(gic.icc(0, kIccBpr1El1) == 3);  // not below what is implemented
  gic.icc(0, kIccBpr0El1, 5);
  gic.icc(0, kIccCtlrEl1, 1);  // CBPR: BPR1 reads BPR0 + 1 and ignores writes
  CHECK(gic.icc(0, kIccBpr1El1) == 6);
  gic.icc(0, kIccBpr1El1, 3);
  CHECK(gic.icc(0, kIccBpr1El1) == 6);
  CHECK(gic.cpus[0].signalled(kGroup1));  // bits [7:6]: 0x78 is 0x40, below 0x80
  gic.icc(0, kIccBpr0El1, 7);
  CHECK(gic.icc(0, kIccBpr1El1) == 7);          // saturates
  CHECK_FALSE(gic.cpus[0].signalled(kGroup1));  // no bit is left to preempt with
}

TEST_CASE("EOImode splits priority drop and deactivation") {
  GicFixture gic;
  gic.start();
  gic.enable_spi(40, 0x80);
  gic.icc(0, kIccCtlrEl1, 2);
  gic.interrupts.set_line(0, 40, true);
  CHECK(gic.icc(0, kIccIar1El1) == 40);
  gic.icc(0, kIccEoir1El1, 40);
  CHECK(gic.icc(0, kIccRprEl1) == 0xff);
  CHECK(gic.gicd(0x304) == 1U << 8);  // still active
  CHECK(gic.icc(0, kIccIar1El1) == 1023);
  gic.icc(0, kIccDirEl1, 40);
  CHECK(gic.gicd(0x304) == 0);
  CHECK(gic.icc(0, kIccIar1El1) == 40);
  gic.icc(0, kIccCtlrEl1, 0);
  gic.icc(0, kIccDirEl1, 40);  // without the split, DIR does nothing here
  CHECK(gic.gicd(0x304) == 1U << 8);
}

TEST_CASE("Group 0 goes to FIQ and preempts Group 1 by priority") {
  GicFixture gic;
  gic.start();
  gic.enable_spi(40, 0x80);
  gic.enable_spi(50, 0x40);
  gic.gicd(0x84, ~(1U << 18));  // INTID 50 in Group 0
  gic.interrupts.set_line(0, 40, true);
  CHECK(gic.icc(0, kIccIar1El1) == 40);
  gic.interrupts.set_line(0, 50, true);
  CHECK(gic.cpus[0].signalled(kGroup0));
  CHECK_FALSE(gic.cpus[0].signalled(kGroup1));
  CHECK(gic.icc(0, kIccIar1El1) == 1023);
  CHECK(gic.icc(0, kIccIar0El1) == 50);
  CHECK(gic.icc(0, kIccAp0r0El1) == 1U << 8);
  gic.icc(0, kIccEoir1El1, 40);  // the running one is of Group 0: no effect
  CHECK(gic.icc(0, kIccRprEl1) == 0x40);
  gic.icc(0, kIccEoir0El1, 50);
  CHECK(gic.icc(0, kIccRprEl1) == 0x80);
}

TEST_CASE("a group off in the CPU interface does not hide the other") {
  GicFixture gic;
  gic.start();
  gic.enable_spi(40, 0x80);
  gic.enable_spi(50, 0x40);
  gic.gicd(0x84, ~(1U << 18));
  gic.interrupts.set_line(0, 40, true);
  gic.interrupts.set_line(0, 50, true);
  gic.icc(0, kIccIgrpen0El1, 0);
  CHECK(gic.icc(0, kIccIar1El1) == 40);
  gic.icc(0, kIccEoir1El1, 40);
  gic.icc(0, kIccIgrpen0El1, 1);
  gic.gicd(0x0, 0x2);  // GICD_CTLR.EnableGrp0 off
  CHECK(gic.icc(0, kIccHppir0El1) == 1023);
  CHECK(gic.icc(0, kIccHppir1El1) == 40);
}

TEST_CASE("an SPI follows its affinity, also while pending") {
  GicFixture gic;
  gic.start();
  gic.enable_spi(40, 0x80, 0);
  gic.interrupts.set_line(0, 40, true);
  gic.write<std::uint64_t>(GicRegisters::Region::kDistributor, 0x6000 + 8 * 40, 1);
  CHECK_FALSE(gic.cpus[0].signalled(kGroup1));
  CHECK(gic.cpus[1].signalled(kGroup1));
  gic.write<std::uint64_t>(GicRegisters::Region::kDistributor, 0x6000 + 8 * 40, 0x100);  // no such PE
  CHECK_FALSE(gic.cpus[1].signalled(kGroup1));
  CHECK(gic.gicd(0x204) == 1U << 8);
}

TEST_CASE("a sleeping redistributor forwards nothing") {
  GicFixture gic;
  gic.start();
  gic.enable_spi(40, 0x80);
  gic.interrupts.set_line(0, 40, true);
  gic.gicr(0, 0x14, 2);
  CHECK_FALSE(gic.cpus[0].signalled(kGroup1));
  gic.gicr(0, 0x14, 0);
  CHECK(gic.cpus[0].signalled(kGroup1));
}

TEST_CASE("PPIs and SGIs are each PE's own") {
  GicFixture gic;
  gic.start();
  for (unsigned core : {0U, 1U}) gic.gicr(core, 0x10100, 1U << 27 | 0xffff);
  gic.interrupts.set_line(1, 27, true);
  CHECK_FALSE(gic.cpus[0].signalled(kGroup1));
  CHECK(gic.icc(1, kIccIar1El1) == 27);
  CHECK(gic.gicr(1, 0x10300) == 1U << 27);
  CHECK(gic.gicr(0, 0x10300) == 0);
}

TEST_CASE("SGIs by list, by affinity and to all others") {
  GicFixture gic(18, 32);
  gic.start();
  for (unsigned core = 0; core < 18; ++core) gic.gicr(core, 0x10100, 0xffff);
  gic.icc(0, kIccSgi1rEl1, 3ULL << 24 | 0x6);  // 0.0.0.{1,2}, INTID 3
  CHECK(gic.icc(0, kIccIar1El1) == 1023);
  CHECK(gic.icc(1, kIccIar1El1) == 3);
  CHECK(gic.icc(2, kIccIar1El1) == 3);
  CHECK(gic.icc(3, kIccIar1El1) == 1023);
  gic.icc(0, kIccSgi1rEl1, 4ULL << 24 | 1ULL << 16 | 0x2);  // 0.0.1.1 is PE 17
  CHECK(gic.icc(17, kIccIar1El1) == 4);
  gic.icc(0, kIccSgi1rEl1, 4ULL << 24 | 1ULL << 32 | 0x1);  // Aff2 = 1: none
  CHECK(gic.icc(0, kIccIar1El1) == 1023);
  gic.icc(5, kIccSgi1rEl1, 1ULL << 40 | 7ULL << 24 | 0xffff);  // IRM: all but the sender, the list is ignored
  for (unsigned core = 3; core < 17; ++core) CHECK(gic.icc(core, kIccHppir1El1) == (core == 5 ? 1023 : 7));
}

TEST_CASE("an SGI reaches only a target that has it in the register's group") {
  GicFixture gic;
  gic.start();
  for (unsigned core : {0U, 1U}) gic.gicr(core, 0x10100, 0xffff);
  gic.gicr(1, 0x10080, ~(1U << 5));  // SGI 5 of PE 1 in Group 0
  gic.icc(0, kIccSgi1rEl1, 5ULL << 24 | 0x2);
  CHECK(gic.gicr(1, 0x10200) == 0);
  gic.icc(0, kIccSgi0rEl1, 5ULL << 24 | 0x3);  // to both; PE 0 has it in Group 1
  CHECK(gic.gicr(1, 0x10200) == 1U << 5);
  CHECK(gic.gicr(0, 0x10200) == 0);
  CHECK(gic.icc(1, kIccIar0El1) == 5);
}

TEST_CASE("special INTIDs and absent interrupts end nothing") {
  GicFixture gic;
  gic.start();
  gic.enable_spi(40, 0x80);
  gic.interrupts.set_line(0, 40, true);
  CHECK(gic.icc(0, kIccIar1El1) == 40);
  gic.icc(0, kIccEoir1El1, 1023);
  CHECK(gic.icc(0, kIccRprEl1) == 0x80);
}

TEST_CASE("priorities of one bit map do not disturb another") {
  GicFixture gic(1, 988, 8);
  gic.start();
  for (unsigned word = 1; word < 32; ++word) gic.gicd(0x80 + 4 * word, 0xffffffff);
  // The order in which 1019, 500, 100, 99 come out is given by priority, then INTID.
  gic.enable_spi(1019, 0x01);
  gic.enable_spi(500, 0xef);
  gic.enable_spi(100, 0x02);
  gic.enable_spi(99, 0x02);
  for (const unsigned intid : {99U, 100U, 500U, 1019U}) gic.interrupts.set_line(0, intid, true);
  for (const unsigned intid : {1019U, 99U, 100U, 500U}) {
    CHECK(gic.icc(0, kIccIar1El1) == intid);
    gic.interrupts.set_line(0, intid, false);
    gic.icc(0, kIccEoir1El1, intid);
  }
  CHECK(gic.icc(0, kIccIar1El1) == 1023);
}

TEST_CASE("a PE's reset empties its CPU interface and keeps the distributor") {
  GicFixture gic;
  gic.start();
  gic.enable_spi(40, 0x80);
  gic.interrupts.set_line(0, 40, true);
  CHECK(gic.icc(0, kIccIar1El1) == 40);
  gic.cpus[0].reset();
  CHECK(gic.icc(0, kIccPmrEl1) == 0);
  CHECK(gic.icc(0, kIccRprEl1) == 0xff);
  CHECK(gic.gicd(0x304) == 1U << 8);
}
