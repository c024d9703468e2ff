// Exceptions, routing, ERET and traps. Expected ESR values are composed by hand from Arm ARM D17.2.37: EC << 26 | IL
// (bit 25) | ISS.
#include <catch2/catch.hpp>

#include "cpu/a64/arch/registers.h"
#include "test_system_host.h"

namespace dpusim::cpu {

TEST_CASE("SVC from EL0 goes to EL1 with the vector of a lower level") {
  TestPe pe(2);
  pe.go(kEl0t);
  REQUIRE(pe.state.pstate.el == 0);
  pe.state.nzcv = 0x6000'0000;  // Z, C
  pe.state.x[kSpSlot] = 0x7770;
  pe.state.sp_el[1] = 0x1110;
  pe.system.call(ExceptionClass::kSvc, 0x42, 0x9000);
  CHECK(pe.state.esr[1] == 0x5600'0042);  // EC 0x15
  CHECK(pe.state.elr[1] == 0x9004);
  CHECK(pe.state.spsr[1] == 0x6000'0000);  // EL0t, nothing masked
  CHECK(pe.state.pc == 0x10400);
  CHECK(pe.state.pstate.el == 1);
  CHECK(pe.state.pstate.sp_sel);
  CHECK(pe.state.pstate.daif == 0xf);
  CHECK(pe.state.x[kSpSlot] == 0x1110);
  CHECK(pe.state.sp_el[0] == 0x7770);
}

TEST_CASE("Vectors at the same level depend on SPSel") {
  TestPe pe(2);
  pe.go(kEl1h | kDaif);
  pe.system.call(ExceptionClass::kSvc, 1, 0x9000);
  CHECK(pe.state.pc == 0x10200);
  CHECK(pe.state.spsr[1] == (kEl1h | kDaif));
  pe.go(kEl1t);
  REQUIRE(pe.state.pstate.el == 1);
  REQUIRE_FALSE(pe.state.pstate.sp_sel);
  pe.system.call(ExceptionClass::kSvc, 2, 0x9000);
  CHECK(pe.state.pc == 0x10000);
  CHECK(pe.state.spsr[1] == kEl1t);
}

TEST_CASE("UNDEFINED, BRK, alignment and aborts have their classes and return to the instruction itself") {
  TestPe pe(2);
  pe.go(kEl0t);
  SECTION("UNDEFINED") {
    pe.system.undefined(0x9000);
    CHECK(pe.state.esr[1] == 0x0200'0000);
    CHECK(pe.state.elr[1] == 0x9000);
  }
  SECTION("BRK") {
    pe.system.take({.ec = ExceptionClass::kBrk, .iss = 0x800}, 0x9000);
    CHECK(pe.state.esr[1] == 0xf200'0800);
    CHECK(pe.state.elr[1] == 0x9000);
  }
  SECTION("PC alignment") {
    pe.system.take(System::pc_alignment_fault(0x9002), 0x9002);
    CHECK(pe.state.esr[1] == 0x8a00'0000);
    CHECK(pe.state.far[1] == 0x9002);
  }
  SECTION("SP alignment") {
    pe.system.take(System::sp_alignment_fault(), 0x9000);
    CHECK(pe.state.esr[1] == 0x9a00'0000);
  }
  SECTION("unaligned store, from below") {
    pe.system.take(System::alignment_fault(0x1233, true), 0x9000);
    CHECK(pe.state.esr[1] == 0x9200'0061);  // EC 0x24, WnR, DFSC 0x21
    CHECK(pe.state.far[1] == 0x1233);
  }
  SECTION("external abort, from the same level") {
    pe.system.call(ExceptionClass::kSvc, 0, 0x9000);
    pe.system.take(System::external_abort(0x5000, Access::kRead), 0xa000);
    CHECK(pe.state.esr[1] == 0x9600'0010);  // EC 0x25
    CHECK(pe.state.elr[1] == 0xa000);
  }
  SECTION("instruction fetch from nowhere, from below") {
    pe.system.take(System::external_abort(0x5000, Access::kFetch), 0x5000);
    CHECK(pe.state.esr[1] == 0x8200'0010);  // EC 0x20
  }
}

TEST_CASE("HCR_EL2.TGE sends exceptions of EL0 to EL2") {
  TestPe pe(2);
  pe.set(kHcrEl2, hcr_bit::kTge);
  pe.go(kEl0t);
  pe.system.call(ExceptionClass::kSvc, 7, 0x9000);
  CHECK(pe.state.esr[2] == 0x5600'0007);
  CHECK(pe.state.pc == 0x20400);
  CHECK(pe.state.pstate.el == 2);
}

TEST_CASE("HVC goes to EL2, and is UNDEFINED at EL0 and where SCR_EL3.HCE is clear") {
  TestPe pe(2);
  pe.go(kEl1h);
  pe.system.call(ExceptionClass::kHvc, 3, 0x9000);
  CHECK(pe.state.esr[2] == 0x5a00'0003);
  CHECK(pe.state.elr[2] == 0x9004);
  CHECK(pe.state.pc == 0x20400);
  pe.go(kEl0t);
  pe.system.call(ExceptionClass::kHvc, 3, 0x9000);
  CHECK(pe.state.esr[1] == 0x0200'0000);

  TestPe secure(3);
  secure.set(kScrEl3, scr_bit::kNs);
  secure.go(kEl2h);
  secure.system.call(ExceptionClass::kHvc, 3, 0x9000);
  CHECK(secure.state.esr[2] == 0x0200'0000);
  CHECK(secure.state.elr[2] == 0x9000);
}

TEST_CASE("SMC: answered by the model, trapped by HCR_EL2.TSC, or taken to the guest's EL3") {
  TestPe pe(2);
  pe.state.x[0] = 0x8400'0000;
  pe.system.call(ExceptionClass::kSmc, 0, 0x9000);
  CHECK(pe.host.psci_functions == std::vector<std::uint32_t>{0x8400'0000});
  CHECK(pe.state.x[0] == 0x5151);
  CHECK(pe.state.pc == 0x9004);
  CHECK(pe.host.exceptions.empty());
  pe.set(kHcrEl2, hcr_bit::kTsc);
  pe.go(kEl1h);
  pe.system.call(ExceptionClass::kSmc, 5, 0x9000);
  CHECK(pe.state.esr[2] == 0x5e00'0005);
  CHECK(pe.state.elr[2] == 0x9000);  // a trapped SMC returns to itself

  TestPe el3(3);
  el3.system.call(ExceptionClass::kSmc, 0, 0x9000);
  CHECK(el3.host.psci_functions.size() == 1);
  el3.set(kVbarEl3, 0x30000);
  el3.set(kScrEl3, scr_bit::kNs);
  el3.go(kEl1h);
  el3.system.call(ExceptionClass::kSmc, 9, 0x9000);
  CHECK(el3.state.esr[3] == 0x5e00'0009);
  CHECK(el3.state.elr[3] == 0x9004);
  CHECK(el3.state.pc == 0x30400);
  el3.set(kScrEl3, scr_bit::kNs | scr_bit::kSmd);
  el3.go(kEl1h);
  el3.system.call(ExceptionClass::kSmc, 9, 0x9000);
  CHECK(el3.state.esr[1] == 0x0200'0000);
}

TEST_CASE("HVC is the conduit when cores start at EL1, and SMC is UNDEFINED") {
  TestPe pe(1);
  pe.system.call(ExceptionClass::kHvc, 0, 0x9000);
  CHECK(pe.host.psci_functions.size() == 1);
  pe.system.call(ExceptionClass::kSmc, 0, 0x9000);
  CHECK(pe.state.esr[1] == 0x0200'0000);
}

TEST_CASE("HLT 0xF000 is semihosting, any other HLT is UNDEFINED") {
  TestPe pe(2);
  pe.system.halt(0xf000, 0x9000);
  CHECK(pe.host.semihosting_calls == 1);
  CHECK(pe.state.pc == 0x9004);
  pe.system.halt(0xf001, 0x9000);
  CHECK(pe.state.esr[2] == 0x0200'0000);
}

TEST_CASE("ERET restores PSTATE, and an illegal return sets IL and keeps the level") {
  TestPe pe(2);
  SECTION("legal") {
    pe.state.monitor_size = 8;
    pe.state.spsr[2] = 0x9000'0000 | (0x2 << 6) | kEl1h;
    pe.state.elr[2] = 0xabc0;
    pe.system.eret(0);
    CHECK(pe.state.pc == 0xabc0);
    CHECK(pe.state.nzcv == 0x9000'0000);
    CHECK(pe.state.pstate.el == 1);
    CHECK(pe.state.pstate.daif == 2);
    CHECK_FALSE(pe.state.pstate.il);
    CHECK(pe.state.monitor_size == 0);
    CHECK(pe.state.event_register);
  }
  const auto illegal = [&](std::uint64_t spsr) {
    pe.state.spsr[2] = spsr;
    pe.state.elr[2] = 0xabc0;
    pe.system.eret(0);
    CHECK(pe.state.pstate.il);
    CHECK(pe.state.pstate.el == 2);
    CHECK(pe.state.pc == 0xabc0);
  };
  SECTION("to a higher level") { illegal(kEl3h); }
  SECTION("to AArch32") { illegal(0x10); }
  SECTION("EL0 with its own SP") { illegal(0x1); }
  SECTION("M[1] set") { illegal(0x6); }
  SECTION("to EL1 under TGE") {
    pe.set(kHcrEl2, hcr_bit::kTge);
    illegal(kEl1h);
  }
  SECTION("the next instruction takes the Illegal State exception, and IL shows in SPSR") {
    illegal(0x10);
    pe.system.take({.ec = ExceptionClass::kIllegalState}, pe.state.pc);
    CHECK(pe.state.esr[2] == 0x3a00'0000);
    CHECK((pe.state.spsr[2] & (1u << 20)) != 0);
    CHECK_FALSE(pe.state.pstate.il);
  }
}

TEST_CASE("An ERET at EL0 is UNDEFINED") {
  TestPe pe(2);
  pe.go(kEl0t);
  pe.system.eret(0x9000);
  CHECK(pe.state.esr[1] == 0x0200'0000);
}

TEST_CASE("IRQ and FIQ: masks, routing by HCR and SCR, order, and vectors") {
  TestPe pe(3);
  pe.set(kScrEl3, scr_bit::kNs);
  pe.go(kEl1h);  // nothing masked
  REQUIRE(pe.state.pstate.el == 1);
  pe.state.pc = 0x9000;
  pe.system.set_interrupt(CoreInterrupt::kIrq, true);
  SECTION("to EL1") {
    CHECK(pe.system.take_interrupt());
    CHECK(pe.state.pc == 0x10280);
    CHECK(pe.state.elr[1] == 0x9000);
    CHECK_FALSE(pe.system.take_interrupt());  // masked now
    CHECK(pe.system.wakes_from_wfi());        // all the same
  }
  SECTION("masked by PSTATE.I") {
    pe.state.pstate.daif = 2;
    CHECK_FALSE(pe.system.take_interrupt());
  }
  SECTION("FIQ goes first") {
    pe.system.set_interrupt(CoreInterrupt::kFiq, true);
    CHECK(pe.system.take_interrupt());
    CHECK(pe.state.pc == 0x10300);
  }
  SECTION("to EL2 by IMO, whatever PSTATE.I says") {
    pe.system.control().hcr_el2 |= hcr_bit::kImo;
    pe.state.pstate.daif = 0xf;
    CHECK(pe.system.take_interrupt());
    CHECK(pe.state.pc == 0x20480);
    CHECK(pe.state.pstate.el == 2);
  }
  SECTION("to EL3 by SCR_EL3.IRQ, whatever PSTATE.I says") {
    pe.system.control().scr_el3 |= scr_bit::kIrq;
    pe.state.pstate.daif = 0xf;
    CHECK(pe.system.take_interrupt());
    CHECK(pe.state.pc == 0x30480);
  }
  SECTION("one for a lower level stays pending") {
    pe.system.call(ExceptionClass::kSvc, 0, 0x9000);
    pe.state.pstate.el = 2;
    pe.state.pstate.daif = 0;
    CHECK_FALSE(pe.system.interrupt_takeable());
  }
  SECTION("ISR_EL1 shows what is pending") { CHECK(pe.get({3, 0, 12, 1, 0}) == 0x80); }
}

TEST_CASE("FP access traps: EL0 and EL1 by CPACR, EL2 by CPTR") {
  TestPe pe(2);
  CHECK(pe.system.fp_enabled());  // CPTR_EL2.TFP resets to 0 here
  pe.go(kEl1h);
  CHECK_FALSE(pe.system.fp_enabled());
  pe.system.take(pe.system.fp_exception(), 0x9000);
  CHECK(pe.state.esr[1] == 0x1fe0'0000);  // EC 7, IL, CV, COND 0b1110
  pe.set(kCpacrEl1, 1u << 20);            // EL1 only
  CHECK(pe.system.fp_enabled());
  pe.go(kEl0t);
  CHECK_FALSE(pe.system.fp_enabled());
  pe.system.call(ExceptionClass::kSvc, 0, 0);
  pe.set(kCpacrEl1, 3u << 20);
  pe.go(kEl0t);
  CHECK(pe.system.fp_enabled());
}

TEST_CASE("WFI and WFE trap from EL0 where SCTLR_EL1 says so, and WFE consumes the event register") {
  TestPe pe(2);
  CHECK(pe.system.wait_for_interrupt(0x9000) == Flow::kWaitInterrupt);
  pe.system.send_event_local();
  CHECK(pe.system.wait_for_event(0x9000) == Flow::kContinue);
  CHECK(pe.system.wait_for_event(0x9000) == Flow::kWaitEvent);
  pe.go(kEl0t);
  pe.state.event_register = false;
  pe.system.control().sctlr[1] &= ~(sctlr_bit::kNTwi | sctlr_bit::kNTwe);
  CHECK(pe.system.wait_for_interrupt(0x9000) == Flow::kContinue);
  CHECK(pe.state.esr[1] == 0x07e0'0000);  // EC 1, IL, CV, COND, TI 0
  CHECK(pe.state.elr[1] == 0x9000);
  pe.go(kEl0t);
  pe.state.event_register = false;
  pe.system.wait_for_event(0x9000);
  CHECK(pe.state.esr[1] == 0x07e0'0001);
}

namespace {
// Remembers what a PE asks of its GIC CPU interface.
struct NotingGic final : GicCpuInterface {
  std::vector<GicContext> told;
  std::uint16_t last_read = 0, last_write = 0;
  bool known = true;
  void connect(IrqSink&) override {}
  bool read(std::uint16_t encoding, const GicContext&, std::uint64_t& value) override {
    last_read = encoding;
    value = 33;
    return known;
  }
  bool peek(std::uint16_t, const GicContext&, std::uint64_t&) const override { return false; }
  bool write(std::uint16_t encoding, const GicContext&, std::uint64_t) override {
    last_write = encoding;
    return known;
  }
  void state_changed(const GicContext& context) override { told.push_back(context); }
  void reset() override {}
};
}  // namespace

TEST_CASE("The GIC hears of changes of Security state and EL3 only, and serves ICC registers with their traps") {
  TestPe pe(3);
  NotingGic gic;
  std::uint64_t value = 0;
  Exception fault{};
  constexpr SysRegKey kIar1{3, 0, 12, 12, 0}, kIar0{3, 0, 12, 8, 0}, kSreEl2{3, 4, 12, 9, 5}, kSgi1r{3, 0, 12, 11, 5};
  CHECK(pe.system.read(kIar1, 0, value, fault) == SysRegResult::kUndefined);  // none connected
  pe.system.set_gic(&gic);
  CHECK((pe.get({3, 0, 0, 4, 0}) >> 24 & 0xf) == 1);  // ID_AA64PFR0_EL1.GIC
  pe.set(kScrEl3, scr_bit::kNs);
  gic.told.clear();
  pe.go(kEl1h);
  REQUIRE(gic.told.size() == 1);
  CHECK_FALSE(gic.told[0].secure);
  pe.system.call(ExceptionClass::kSvc, 0, 0x9000);
  pe.go(kEl0t);
  CHECK(gic.told.size() == 1);
  CHECK(pe.system.read(kIar1, 0, value, fault) == SysRegResult::kUndefined);  // EL0
  pe.system.call(ExceptionClass::kSvc, 0, 0x9000);
  CHECK(pe.system.read(kIar1, 0, value, fault) == SysRegResult::kOkEndBlock);
  CHECK(value == 33);
  CHECK(gic.last_read == pack_system_register(3, 0, 12, 12, 0));
  CHECK(pe.system.read(kSreEl2, 0, value, fault) == SysRegResult::kUndefined);  // EL2's, at EL1
  gic.known = false;
  CHECK(pe.system.read(kIar1, 0, value, fault) == SysRegResult::kUndefined);
  gic.known = true;
  // SCR_EL3.FIQ takes Group 0 registers to EL3, not those of Group 1.
  pe.system.control().scr_el3 |= scr_bit::kFiq;
  CHECK(pe.system.read(kIar0, 3, value, fault) == SysRegResult::kTrapped);
  CHECK(fault.target_el == 3);
  CHECK(fault.iss == ((3u << 20) | (12u << 10) | (3u << 5) | (8u << 1) | 1u));
  CHECK(pe.system.read(kIar1, 0, value, fault) == SysRegResult::kOkEndBlock);
  // HCR_EL2.IMO keeps EL1 from generating SGIs itself.
  pe.system.control().hcr_el2 |= hcr_bit::kImo;
  CHECK(pe.system.write(kSgi1r, 0, 0, fault) == SysRegResult::kTrapped);
  CHECK(fault.target_el == 2);
}

TEST_CASE("Identification registers") {
  TestPe a72(2), a78(2, CoreModel::kCortexA78), guest(1);
  CHECK(a72.get(kMidr) == 0x410f'd083);  // Cortex-A72 r0p3, Arm 100095 table 4-1
  CHECK(a72.get({3, 0, 0, 0, 5}) == 0x8000'0000);
  CHECK(a72.get({3, 0, 0, 4, 0}) == 0x1111);  // EL0..EL3 AArch64 only, no GIC connected
  CHECK(guest.get({3, 0, 0, 4, 0}) == 0x0011);
  CHECK(a72.get({3, 0, 0, 6, 0}) == 0x0001'1120);  // Arm 100095: CRC32, SHA2, SHA1, AES with PMULL; no LSE
  CHECK((a78.get({3, 0, 0, 6, 0}) >> 20 & 0xf) == 2);
  CHECK(a72.get({3, 0, 0, 7, 0}) == 0x1024);       // 44-bit PA, 16-bit ASID, SNSMem; 4 KiB and 64 KiB granules
  CHECK(a72.get({3, 3, 0, 0, 1}) == 0x8444'c004);  // Arm 100095, CTR_EL0
  CHECK(a72.get({3, 3, 0, 0, 7}) == 4);
  CHECK(a72.get({3, 1, 0, 0, 1}) == 0x0a20'0023);
  a72.set({3, 2, 0, 0, 0}, 0);
  CHECK(a72.get({3, 1, 0, 0, 0}) == 0x701f'e00a);  // 32 KiB, 2 ways, 256 sets: Arm 100095 table 4-33
  a72.set({3, 2, 0, 0, 0}, 1);
  CHECK(a72.get({3, 1, 0, 0, 0}) == 0x201f'e012);  // 48 KiB, 3 ways
  a72.set({3, 2, 0, 0, 0}, 2);
  CHECK(a72.get({3, 1, 0, 0, 0}) == 0x707f'e07a);  // 1 MiB, 16 ways, 1024 sets
  for (std::uint8_t crm = 1; crm < 8; ++crm) {
    for (std::uint8_t op2 = 0; op2 < 8; ++op2) CHECK_NOTHROW(a72.get({3, 0, 0, crm, op2}));
  }
  CHECK(a72.get({3, 0, 0, 4, 5}) == 0);  // ID_AA64SMFR0_EL1
}

TEST_CASE("EL0 cannot read ID registers: UNDEFINED, not a trap") {
  TestPe pe(2);
  pe.go(kEl0t);
  std::uint64_t value = 0;
  Exception fault{};
  CHECK(pe.system.read(kMidr, 0, value, fault) == SysRegResult::kUndefined);
  CHECK(pe.system.read({3, 0, 0, 4, 0}, 0, value, fault) == SysRegResult::kUndefined);
  CHECK(pe.system.read({3, 0, 4, 2, 2}, 0, value, fault) == SysRegResult::kUndefined);  // CurrentEL
}

TEST_CASE("Trapped accesses carry the encoding in ISS") {
  TestPe pe(2);
  pe.go(kEl0t);
  std::uint64_t value = 0;
  Exception fault{};
  // CNTVCT_EL0 with CNTKCTL_EL1.EL0VCTEN = 0: op0 3, op2 2, op1 3, CRn 14, Rt 5, CRm 0, read.
  CHECK(pe.system.read({3, 3, 14, 0, 2}, 5, value, fault) == SysRegResult::kTrapped);
  CHECK(fault.ec == ExceptionClass::kSysReg);
  CHECK(fault.iss == ((3u << 20) | (2u << 17) | (3u << 14) | (14u << 10) | (5u << 5) | 1u));
  CHECK(fault.target_el == 1);
  // DAIFSet at EL0 with SCTLR_EL1.UMA = 0: op0 0, op2 6, op1 3, CRn 4, Rt 31, CRm 2, write.
  CHECK(pe.system.write_pstate(3, 6, 2, fault) == SysRegResult::kTrapped);
  CHECK(fault.iss == ((6u << 17) | (3u << 14) | (4u << 10) | (31u << 5) | (2u << 1)));
  // EL1 writing TTBR0_EL1 under HCR_EL2.TVM goes to EL2; reading does not.
  pe.system.call(ExceptionClass::kSvc, 0, 0);
  pe.system.control().hcr_el2 |= hcr_bit::kTvm;
  CHECK(pe.system.write(kTtbr0El1, 1, 0, fault) == SysRegResult::kTrapped);
  CHECK(fault.target_el == 2);
  CHECK(pe.system.read(kTtbr0El1, 1, value, fault) == SysRegResult::kOk);
}

TEST_CASE("Registers keep to their masks and resets") {
  TestPe pe(3);
  CHECK(pe.get(kScrEl3) == 0x430);                // RES1 bits 5:4, RW is RAO
  CHECK(pe.get({3, 6, 1, 0, 0}) == 0x30c5'0838);  // SCTLR_EL3, Arm 100095 table 4-63
  CHECK(pe.get({3, 4, 1, 0, 0}) == 0x30c5'0838);
  pe.set(kSctlrEl1, ~0ull);
  CHECK((pe.get(kSctlrEl1) & (sctlr_bit::kEe | sctlr_bit::kE0e)) == 0);  // no big-endian data
  pe.set(kSctlrEl1, 0);
  CHECK(pe.get(kSctlrEl1) == 0x30d0'0800);  // RES1 bits 29, 28, 23, 22, 20, 11
  pe.set({3, 0, 12, 0, 0}, 0x1fff);
  CHECK(pe.get({3, 0, 12, 0, 0}) == 0x1800);  // VBAR_EL1 bits 10:0
  pe.set(kDaifReg, 0x140);
  CHECK(pe.state.pstate.daif == 5);
  CHECK(pe.get(kDaifReg) == 0x140);
  CHECK(pe.get({3, 0, 4, 2, 2}) == 0xc);
  pe.set(kHcrEl2, hcr_bit::kVm);
  CHECK(pe.host.reports == std::vector<std::string>{"stage2"});
  CHECK(pe.set({3, 0, 4, 2, 2}, 0) == SysRegResult::kUndefined);  // CurrentEL is read-only
  // SP_EL0 is UNDEFINED while it is the stack pointer in use.
  CHECK(pe.set({3, 0, 4, 1, 0}, 0x100) == SysRegResult::kOkEndBlock);
  Exception fault{};
  pe.system.write_pstate(0, 5, 0, fault);  // MSR SPSel, #0
  CHECK(pe.state.x[kSpSlot] == 0x100);
  CHECK(pe.set({3, 0, 4, 1, 0}, 0x200) == SysRegResult::kUndefined);
}

TEST_CASE("No two registers share an encoding, and every row can be read or written by somebody") {
  for (const SystemRegister* row : all_registers()) {
    INFO(row->name);
    CHECK((row->read != nullptr || row->read_el == kNever));
    CHECK((row->write != nullptr || row->write_el == kNever));
    CHECK(row->read_el <= kNever);
    CHECK(find_register(row->key) == row);
  }
}

TEST_CASE("The PMU counts cycles and instructions while enabled") {
  TestPe pe(2);
  constexpr SysRegKey kPmcr{3, 3, 9, 12, 0}, kPmccntr{3, 3, 9, 13, 0}, kEnset{3, 3, 9, 12, 1}, kEvcntr0{3, 3, 14, 8, 0},
      kEvtyper0{3, 3, 14, 12, 0};
  pe.host.cycle_count = 1000;
  CHECK((pe.get(kPmcr) >> 11 & 31) == 6);
  pe.set(kEvtyper0, 0x08);
  pe.set(kEnset, (1ull << 31) | 1);
  pe.set(kPmcr, 1 | 2 | 4);
  pe.host.cycle_count = 1234;
  pe.host.instruction_count = 99;
  CHECK(pe.get(kPmccntr) == 234);
  CHECK(pe.get(kEvcntr0) == 99);
  pe.set(kPmcr, 0);
  pe.host.cycle_count = 9999;
  CHECK(pe.get(kPmccntr) == 234);
}

TEST_CASE("TLBI and IC reach the right domain") {
  TestPe pe(2);
  Exception fault{};
  pe.go(kEl1h);
  const unsigned before = pe.host.flushes;
  CHECK(pe.system.system_instruction({1, 0, 8, 7, 0}, 31, 0, fault) == SysRegResult::kOkEndBlock);  // VMALLE1
  CHECK(pe.host.flushes == before + 1);
  pe.system.system_instruction({1, 0, 8, 3, 1}, 0, 0xffff'f000'1234ull >> 0, fault);  // VAE1IS
  CHECK(pe.host.shareable_flushes == 1);
  CHECK_FALSE(pe.host.last_scope.all);
  CHECK(pe.host.last_scope.va == 0xffff'ff00'0123'4000ull);  // VA[55:12] = 0xfffff0001234, sign-extended
  CHECK(pe.system.system_instruction({1, 4, 8, 7, 0}, 31, 0, fault) == SysRegResult::kUndefined);       // ALLE2 at EL1
  CHECK(pe.system.system_instruction({1, 3, 7, 5, 1}, 0, 0x1040, fault) == SysRegResult::kOkEndBlock);  // IC IVAU
  CHECK(pe.host.invalidated == 0x1040);
  CHECK(pe.system.system_instruction({1, 3, 7, 12, 1}, 0, 0x1040, fault) ==
        SysRegResult::kUndefined);  // DC CVAP on Cortex-A72
  CHECK(pe.system.system_instruction({1, 0, 7, 6, 3}, 0, 0, fault) == SysRegResult::kUndefined);
}

}  // namespace dpusim::cpu
