// Stage 1 translation: tables built by hand in memory, each fault with its DFSC (Arm ARM table D17-9) and level.
#include <catch2/catch.hpp>

#include "test_system_host.h"

namespace dpusim::cpu {

namespace {

// Descriptor bits (Arm ARM D8.3).
constexpr std::uint64_t kValid = 1, kTable = 3, kPageForm = 3, kAf = 1u << 10, kUser = 1u << 6, kReadOnly = 1u << 7,
                        kPxn = 1ull << 53, kUxn = 1ull << 54, kDeviceIndex = 1u << 2;

// A regime with 39-bit addresses on both sides, 4 KiB granule: the walk starts at level 1.
// TTBR0 tables at 0x10000 (L1), 0x11000 (L2), 0x12000 (L3); TTBR1 L1 at 0x13000.
struct MmuPe : TestPe {
  explicit MmuPe(CoreModel core = CoreModel::kCortexA72) : TestPe(2, core) {
    go(kEl1h);
    set(kMairEl1, 0x00'ffull);  // index 0: Normal write-back; 1: Device-nGnRnE
    // T0SZ = T1SZ = 25, TG1 = 4 KiB (0b10), IPS = 44 bits (0b100)
    set(kTcrEl1, 25 | (25ull << 16) | (2ull << 30) | (4ull << 32));
    set(kTtbr0El1, 0x10000);
    set(kTtbr1El1, 0x13000);
    host.store(0x10000, 0x11000 | kTable);
    host.store(0x11000, 0x12000 | kTable);
    set(kSctlrEl1, sctlr_bit::kM | sctlr_bit::kC);
  }
  void page(unsigned index, std::uint64_t descriptor) { host.store(0x12000 + 8 * index, descriptor); }
  // Translates; returns the status code, or 0 when it succeeded into `t`.
  std::uint32_t attempt(std::uint64_t va, Access access, bool unprivileged = false) {
    fault = {};
    return system.translate(va, access, unprivileged, t, fault) ? 0 : fault.iss | 0x1000'0000u;
  }
  Translation t;
  Exception fault{};
};
constexpr std::uint32_t kFaulted = 0x1000'0000, kWnr = 0x40;

}  // namespace

TEST_CASE("With the MMU off data is Device at its own address, and an address beyond the PA size faults") {
  TestPe pe(2);
  Translation t;
  Exception fault{};
  REQUIRE(pe.system.translate(0x1234'5678, Access::kWrite, false, t, fault));
  CHECK(t.physical == 0x1234'5678);
  CHECK(t.device);
  REQUIRE(pe.system.translate(0x4000, Access::kFetch, false, t, fault));
  CHECK_FALSE(t.device);
  CHECK(pe.system.translate((1ull << 44) - 1, Access::kRead, false, t, fault));
  CHECK_FALSE(pe.system.translate(1ull << 44, Access::kRead, false, t, fault));
  CHECK(fault.iss == 0x00);  // Address size fault, level 0
  CHECK(fault.far == 1ull << 44);
}

TEST_CASE("Pages and blocks translate with their attributes and sizes") {
  MmuPe pe;
  pe.page(5, 0xabc'd000 | kPageForm | kAf);
  CHECK(pe.attempt(0x5123, Access::kRead) == 0);
  CHECK(pe.t.physical == 0xabc'd123);
  CHECK(pe.t.page_size == 4096);
  CHECK(pe.t.writable);
  CHECK(pe.t.executable);
  CHECK_FALSE(pe.t.device);
  pe.page(6, 0xabc'e000 | kPageForm | kAf | kDeviceIndex);
  CHECK(pe.attempt(0x6000, Access::kRead) == 0);
  CHECK(pe.t.device);
  pe.host.store(0x11008, 0x4000'0000 | kValid | kAf);  // 2 MiB block at VA 2 MiB
  CHECK(pe.attempt(0x20'1234, Access::kRead) == 0);
  CHECK(pe.t.physical == 0x4000'1234);
  CHECK(pe.t.page_size == 2 << 20);
  pe.host.store(0x10008, 0x8000'0000 | kValid | kAf);  // 1 GiB block at VA 1 GiB
  CHECK(pe.attempt(0x4000'5678, Access::kRead) == 0);
  CHECK(pe.t.physical == 0x8000'5678);
  CHECK(pe.t.page_size == 1 << 30);
  pe.host.store(0x13ff8, 0xc000'0000 | kValid | kAf);  // last GiB of the upper half
  CHECK(pe.attempt(0xffff'ffff'c000'0010, Access::kRead) == 0);
  CHECK(pe.t.physical == 0xc000'0010);
}

TEST_CASE("Translation faults by level") {
  MmuPe pe;
  CHECK(pe.attempt(0x8000, Access::kRead) == (kFaulted | 0x07));  // level 3
  CHECK(pe.attempt(0x8000, Access::kWrite) == (kFaulted | kWnr | 0x07));
  CHECK(pe.fault.far == 0x8000);
  CHECK(pe.fault.ec == ExceptionClass::kDataAbort);
  CHECK(pe.attempt(0x8000, Access::kFetch) == (kFaulted | 0x07));
  CHECK(pe.fault.ec == ExceptionClass::kInstructionAbort);
  CHECK(pe.attempt(0x40'0000, Access::kRead) == (kFaulted | 0x06));    // level 2
  CHECK(pe.attempt(0x4000'0000, Access::kRead) == (kFaulted | 0x05));  // level 1
  CHECK(pe.attempt(1ull << 39, Access::kRead) == (kFaulted | 0x04));   // outside of both halves: level 0
  CHECK(pe.attempt((1ull << 39) - 1, Access::kRead) == (kFaulted | 0x05));
  pe.page(9, 0x1000 | kValid | kAf);  // block form at level 3 is reserved
  CHECK(pe.attempt(0x9000, Access::kRead) == (kFaulted | 0x07));
  pe.set(kTcrEl1, 25 | (25ull << 16) | (2ull << 30) | (4ull << 32) | (1u << 7));  // EPD0
  CHECK(pe.attempt(0x5000, Access::kRead) == (kFaulted | 0x04));
}

TEST_CASE("Access flag and permission faults, at EL1, EL0 and for LDTR") {
  MmuPe pe;
  pe.page(1, 0x1000 | kPageForm);
  CHECK(pe.attempt(0x1000, Access::kRead) == (kFaulted | 0x0b));  // Access flag, level 3
  pe.page(2, 0x2000 | kPageForm | kAf | kReadOnly);
  CHECK(pe.attempt(0x2000, Access::kRead) == 0);
  CHECK(pe.attempt(0x2000, Access::kWrite) == (kFaulted | kWnr | 0x0f));  // Permission, level 3
  pe.page(3, 0x3000 | kPageForm | kAf | kPxn);
  CHECK(pe.attempt(0x3000, Access::kFetch) == (kFaulted | 0x0f));
  CHECK(pe.attempt(0x3000, Access::kRead, true) == (kFaulted | 0x0f));  // LDTR acts as EL0
  pe.page(4, 0x4000 | kPageForm | kAf | kUser);
  CHECK(pe.attempt(0x4000, Access::kRead, true) == 0);
  CHECK(pe.attempt(0x4000, Access::kFetch) == (kFaulted | 0x0f));  // EL0 can write it: never executable at EL1
  pe.page(5, 0x5000 | kPageForm | kAf | kUser | kUxn);
  pe.go(kEl0t);
  CHECK(pe.attempt(0x4000, Access::kWrite) == 0);
  CHECK(pe.attempt(0x4000, Access::kFetch) == 0);
  CHECK(pe.attempt(0x5000, Access::kFetch) == (kFaulted | 0x0f));
  CHECK(pe.attempt(0x2000, Access::kRead) == (kFaulted | 0x0f));
  CHECK(pe.attempt(0x2000, Access::kFetch) == 0);  // execute-only for EL0: UXN clear, no read permission
}

TEST_CASE("Tables restrict what lies below them") {
  MmuPe pe;
  pe.page(1, 0x1000 | kPageForm | kAf | kUser);
  pe.host.store(0x10000, 0x11000 | kTable | (1ull << 62));  // APTable[1]: read-only
  CHECK(pe.attempt(0x1000, Access::kWrite) == (kFaulted | kWnr | 0x0f));
  pe.host.store(0x10000, 0x11000 | kTable | (1ull << 61));  // APTable[0]: not for EL0
  CHECK(pe.attempt(0x1000, Access::kRead, true) == (kFaulted | 0x0f));
  pe.page(1, 0x1000 | kPageForm | kAf);
  CHECK(pe.attempt(0x1000, Access::kFetch) == 0);
  pe.host.store(0x10000, 0x11000 | kTable | (1ull << 59));  // PXNTable
  CHECK(pe.attempt(0x1000, Access::kFetch) == (kFaulted | 0x0f));
}

TEST_CASE("WXN makes writable memory not executable") {
  MmuPe pe;
  pe.page(1, 0x1000 | kPageForm | kAf);
  CHECK(pe.attempt(0x1000, Access::kFetch) == 0);
  pe.set(kSctlrEl1, sctlr_bit::kM | sctlr_bit::kWxn);
  CHECK(pe.attempt(0x1000, Access::kFetch) == (kFaulted | 0x0f));
}

TEST_CASE("PAN keeps EL1 from memory of EL0 (Cortex-A78)") {
  MmuPe pe(CoreModel::kCortexA78);
  pe.page(1, 0x1000 | kPageForm | kAf | kUser);
  CHECK(pe.attempt(0x1000, Access::kRead) == 0);
  Exception fault{};
  CHECK(pe.system.write_pstate(0, 4, 1, fault) == SysRegResult::kOkEndBlock);
  CHECK(pe.system.translation_context() == 2);
  CHECK(pe.attempt(0x1000, Access::kRead) == (kFaulted | 0x0f));
  CHECK(pe.attempt(0x1000, Access::kRead, true) == 0);
}

TEST_CASE("Output addresses beyond IPS, and tables outside of memory") {
  MmuPe pe;
  pe.page(1, (1ull << 44) | kPageForm | kAf);
  CHECK(pe.attempt(0x1000, Access::kRead) == (kFaulted | 0x03));  // Address size, level 3
  pe.page(1, (1ull << 43) | kPageForm | kAf);
  CHECK(pe.attempt(0x1000, Access::kRead) == 0);
  pe.host.store(0x10008, (1ull << 44) | kTable);
  CHECK(pe.attempt(0x4000'0000, Access::kRead) == (kFaulted | 0x01));
  pe.host.store(0x10008, 0x4000'0000 | kTable);                        // beyond the 1 MiB of memory here
  CHECK(pe.attempt(0x4000'0000, Access::kRead) == (kFaulted | 0x16));  // External abort on walk, level 2
  pe.set(kTtbr0El1, 1ull << 44);
  CHECK(pe.attempt(0x1000, Access::kRead) == (kFaulted | 0x00));  // Address size, level 0
}

TEST_CASE("TBI ignores the top octet, and branches drop it") {
  MmuPe pe;
  pe.page(1, 0x1000 | kPageForm | kAf);
  CHECK(pe.attempt(0xaa00'0000'0000'1000, Access::kRead) == (kFaulted | 0x04));
  pe.set(kTcrEl1, 25 | (25ull << 16) | (2ull << 30) | (4ull << 32) | (1ull << 37));
  CHECK(pe.attempt(0xaa00'0000'0000'1000, Access::kRead) == 0);
  CHECK(pe.t.physical == 0x1000);
  CHECK(pe.system.canonical_branch_target(0xaa00'0000'0000'1000) == 0x1000);
}

TEST_CASE("64 KiB granule with 42-bit addresses starts at level 2") {
  MmuPe pe;
  pe.set(kTcrEl1, 22 | (1u << 14) | (4ull << 32) | (25ull << 16) | (2ull << 30));
  pe.set(kTtbr0El1, 0x20000);
  pe.host.store(0x20000, 0x30000 | kTable);
  pe.host.store(0x30000 + 8 * 3, 0x50000 | kPageForm | kAf);
  CHECK(pe.attempt(0x3'4567, Access::kRead) == 0);
  CHECK(pe.t.physical == 0x5'4567);
  CHECK(pe.t.page_size == 65536);
  CHECK(pe.attempt(0x4'0000, Access::kRead) == (kFaulted | 0x07));
  pe.host.store(0x20008, (512ull << 20) | kValid | kAf);  // a 512 MiB block
  CHECK(pe.attempt((512ull << 20) + 0x1234, Access::kRead) == 0);
  CHECK(pe.t.page_size == 512ull << 20);
}

TEST_CASE("AT writes PAR_EL1") {
  MmuPe pe;
  pe.page(1, 0xabc'd000 | kPageForm | kAf | (3u << 8));  // Inner Shareable
  Exception fault{};
  CHECK(pe.system.system_instruction({1, 0, 7, 8, 0}, 0, 0x1234, fault) == SysRegResult::kOk);  // AT S1E1R
  // Attributes 0xff, NS (Non-secure regime), SH 0b11, RES1 bit 11.
  CHECK(pe.get(kParEl1) == 0xff00'0000'0abc'db80);
  pe.system.system_instruction({1, 0, 7, 8, 2}, 0, 0x1234, fault);  // AT S1E0R: no permission
  CHECK(pe.get(kParEl1) == (0x800 | (0x0f << 1) | 1));
  pe.system.system_instruction({1, 0, 7, 8, 1}, 0, 0x8000, fault);  // AT S1E1W of nothing
  CHECK(pe.get(kParEl1) == (0x800 | (0x07 << 1) | 1));
}

TEST_CASE("A TLBI of one page of a block names the whole block") {
  MmuPe pe;
  pe.host.store(0x11008, 0x4000'0000 | kValid | kAf);
  REQUIRE(pe.attempt(0x20'1000, Access::kRead) == 0);
  Exception fault{};
  pe.system.system_instruction({1, 0, 8, 7, 1}, 0, 0x201, fault);  // VAE1 of 0x201000
  CHECK(pe.host.last_scope.va == 0x20'0000);
  CHECK(pe.host.last_scope.size == 2 << 20);
}

TEST_CASE("Another core's TLBI of a page takes the whole block by which this core has mapped it") {
  MmuPe pe;
  const TlbScope page{.all = false, .va = 0x20'1000, .size = 4096};
  CHECK(pe.system.widened(page).va == 0x20'1000);  // no block was used here
  CHECK(pe.system.widened(page).size == 4096);
  pe.host.store(0x11008, 0x4000'0000 | kValid | kAf);
  REQUIRE(pe.attempt(0x20'1000, Access::kRead) == 0);
  CHECK(pe.system.widened(page).va == 0x20'0000);
  CHECK(pe.system.widened(page).size == 2 << 20);
  // One that names more already, and one that names all, stay.
  CHECK(pe.system.widened({.all = false, .va = 0x4000'0000, .size = 1 << 30}).size == 1 << 30);
  CHECK(pe.system.widened({}).all);
}

TEST_CASE("Cache maintenance by address faults with CM and WnR") {
  MmuPe pe;
  Exception fault{};
  CHECK(pe.system.system_instruction({1, 3, 7, 14, 1}, 0, 0x8000, fault) == SysRegResult::kTrapped);  // DC CIVAC
  CHECK(fault.iss == (0x100u | 0x40u | 0x07u));
  pe.page(2, 0x2000 | kPageForm | kAf | kReadOnly);
  CHECK(pe.system.system_instruction({1, 3, 7, 14, 1}, 0, 0x2000, fault) == SysRegResult::kOk);
  CHECK(pe.system.system_instruction({1, 0, 7, 6, 1}, 0, 0x2000, fault) ==
        SysRegResult::kTrapped);  // DC IVAC needs write permission
  CHECK(fault.iss == (0x100u | 0x40u | 0x0fu));
}

}  // namespace dpusim::cpu
