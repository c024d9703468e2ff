// The engine: budgets, exact state at faults and devices, self-modifying code, stop reasons.
#include <catch2/catch.hpp>

#include <functional>
#include <utility>

#include "flat_machine.h"

using namespace dpusim::cpu;

namespace {

constexpr std::uint64_t kCode = FlatMachine::kRam, kVectors = FlatMachine::kRam + 0x1'0000,
                        kDevice = FlatMachine::kDevice;
constexpr std::uint32_t kLoop = 0x14000000;  // b .

/// A machine at EL2 whose vectors hold endless loops.
struct Fixture : FlatMachine {
  explicit Fixture(TimingModel* timing = nullptr) : FlatMachine(std::size_t{1} << 20, {}, timing) {
    state().vbar[2] = kVectors;
    put(kVectors + 0x200, {kLoop});  // synchronous, current EL with SP_ELx
  }
  RunResult start(const std::vector<std::uint32_t>& words, std::int64_t budget) {
    put(kCode, words);
    engine.invalidate_physical(kCode, 4 * words.size());
    state().pc = kCode;
    return engine.run(budget);
  }
};

constexpr std::uint32_t kMov1 = 0xd2800020 /* mov x0, #1 */, kMov2 = 0xd2800040 /* mov x0, #2 */, kNop = 0xd503201f;

}  // namespace

TEST_CASE("a loop retires what it executes, in any slices") {
  // subs x0, x0, #1; b.ne .-4; b .
  const std::vector<std::uint32_t> program{0xf1000400, 0x54ffffe1, kLoop};
  for (const std::int64_t slice : {1, 2, 3, 7, 1000}) {
    Fixture f;
    f.x(0) = 100;
    std::uint64_t retired = 0;
    RunResult r = f.start(program, slice);
    for (retired = r.retired; f.state().pc != kCode + 8; retired += r.retired) {
      r = f.engine.run(slice);
      REQUIRE(r.reason == StopReason::kBudget);
      REQUIRE(r.cycles == r.retired);  // one cycle an instruction
    }
    if (slice <= 2) CHECK(retired == 200);  // blocks of two: stops just before `b .`
    CHECK(f.x(0) == 0);
    CHECK(f.engine.instructions() == retired);
  }
}

TEST_CASE("a budget ends before the first block that it does not reach") {
  Fixture f;
  const RunResult r = f.start({kMov1, kLoop}, 1);
  CHECK(r.reason == StopReason::kBudget);
  CHECK(r.retired == 2);  // a block is never cut: one over the budget
  CHECK(f.state().pc == kCode + 4);
}

TEST_CASE("a fault in mid-block leaves exact state and counts only what retired") {
  Fixture f;
  f.x(0) = 0;
  f.x(1) = 0x1000;  // no memory there: bus error
  const RunResult r = f.start({kMov1, 0xf9400022 /* ldr x2, [x1] */, kMov2}, 1);
  CHECK(f.x(0) == 1);
  CHECK(f.state().elr[2] == kCode + 4);
  CHECK(f.state().far[2] == 0x1000);
  CHECK(f.esr() == (0x25u << 26 | 1u << 25 | 0x10));  // data abort, same level; synchronous External abort
  CHECK(r.retired == 1);
  CHECK(r.cycles == 2);  // the MOV, and the exception
}

TEST_CASE("a pair load that faults on its second half changes nothing") {
  Fixture f;
  f.enable_mmu();
  f.x(0) = 10;
  f.x(2) = 20;
  f.x(1) = kCode + 0x10'0000 - 8;  // the last eight octets of memory, and eight beyond
  f.start({0xa8c10820 /* ldp x0, x2, [x1], #16 */}, 1);
  CHECK(f.exceptions.size() == 1);
  CHECK(f.x(0) == 10);
  CHECK(f.x(2) == 20);
  CHECK(f.x(1) == kCode + 0x10'0000 - 8);
}

TEST_CASE("a device access waits for synchronisation, then happens once") {
  Fixture f;
  std::vector<std::uint64_t> writes;
  f.on_write = [&](std::uint64_t address, std::uint64_t value, unsigned size) {
    CHECK(address == kDevice + 4);
    CHECK(size == 4);
    writes.push_back(value);
    CHECK(f.engine.instructions() == 2);  // up to the instruction in execution
  };
  f.synchronise_first = true;
  f.x(1) = kDevice + 4;
  RunResult r = f.start({kMov1, kNop, 0xb9000020 /* str w0, [x1] */, kMov2, kLoop}, 100);
  CHECK(r.reason == StopReason::kDeviceSync);
  CHECK(r.retired == 2);
  CHECK(r.cycles == 2);
  CHECK(f.state().pc == kCode + 8);
  CHECK(writes.empty());
  f.synchronise_first = false;
  r = f.engine.run(2);
  CHECK(writes == std::vector<std::uint64_t>{1});
  CHECK(f.x(0) == 2);
}

TEST_CASE("an instruction of several accesses waits before the first only, and makes each once") {
  struct {
    const char* what;
    std::uint32_t word;
    std::uint64_t address;
    std::vector<std::uint64_t> accesses;  // offsets from the device
  } const cases[] = {{"ldp w4, w5, [x1]", 0x29401424, kDevice, {0, 4}},
                     {"stp x4, x5, [x1]", 0xa9001424, kDevice + 16, {16, 24}},
                     {"ldp q0, q1, [x1]", 0xad400420, kDevice, {0, 16}},
                     {"ld1 {v0.8b}, [x1]", 0x0c407020, kDevice, {0, 1, 2, 3, 4, 5, 6, 7}},
                     {"ldr w4, [x1] across pages", 0xb9400024, kDevice + 4094, {4094, 4096}}};
  for (const auto& c : cases) {
    INFO(c.what);
    Fixture f;
    f.enable_mmu();
    // The first GiB as Normal memory, so that accesses need not be aligned; without host memory it stays on the bus.
    f.poke<std::uint64_t>(kCode + f.ram.size() - 4096, 0x401 | 3 << 8 | 1 << 6);
    f.engine.flush_translations();
    std::vector<std::uint64_t> seen;
    const auto access = [&](std::uint64_t address) {
      seen.push_back(address - kDevice);
      f.synchronise_first = true;  // its time has put the core ahead of the kernel
    };
    f.on_read = [&](std::uint64_t address, unsigned) { return access(address), address - kDevice; };
    f.on_write = [&](std::uint64_t address, std::uint64_t, unsigned) { access(address); };
    f.synchronise_first = true;
    f.x(1) = c.address;
    // The access twice, then wfi.
    RunResult r = f.start({c.word, c.word, 0xd503207f}, 100);
    unsigned waits = 0;
    for (; r.reason == StopReason::kDeviceSync && waits < 10; ++waits) {
      f.synchronise_first = false;
      r = f.engine.run(100);
    }
    CHECK(r.reason == StopReason::kWaitInterrupt);
    CHECK(f.exceptions.empty());
    CHECK(waits == 2);  // once an instruction
    std::vector<std::uint64_t> twice = c.accesses;
    twice.insert(twice.end(), c.accesses.begin(), c.accesses.end());
    CHECK(seen == twice);
  }
}

TEST_CASE("an instruction that faulted on its second access waits again when it is repeated") {
  Fixture f;
  f.put(kVectors + 0x200, {0xd69f03e0 /* eret */});
  unsigned reads = 0;
  f.on_read = [&](std::uint64_t, unsigned) {
    f.synchronise_first = true;
    return ++reads;
  };
  f.x(1) = kDevice + FlatMachine::kDeviceSize - 4;  // the second register lies behind the device: bus error
  RunResult r = f.start({0x29401424 /* ldp w4, w5, [x1] */, kLoop}, 100);
  CHECK(r.reason == StopReason::kDeviceSync);
  CHECK(reads == 1);
  CHECK(f.exceptions.size() == 1);
}

TEST_CASE("devices are read at the size of the access") {
  Fixture f;
  std::vector<unsigned> sizes;
  f.on_read = [&](std::uint64_t address, unsigned size) {
    sizes.push_back(size);
    return 0x1122'3344'5566'7700 + (address & 0xff);
  };
  f.x(1) = kDevice;
  // ldrb w0; ldr w2, [x1, #4]; ldr x3; ldp w4, w5
  f.start({0x39400020, 0xb9400422, 0xf9400023, 0x29401424, kLoop}, 5);
  CHECK(f.exceptions.empty());
  CHECK(sizes == std::vector<unsigned>{1, 4, 8, 4, 4});
  CHECK(f.x(0) == 0);
  CHECK(f.x(2) == 0x5566'7704);
  CHECK(f.x(3) == 0x1122'3344'5566'7700);
  CHECK(f.x(5) == 0x5566'7704);
}

TEST_CASE("unaligned accesses fault on Device memory and work on Normal memory, across pages too") {
  const std::uint64_t across = kCode + 0x9000 - 3;
  Fixture off;  // MMU off: all data accesses are Device-nGnRnE
  off.x(1) = across;
  off.start({0xf9400020 /* ldr x0, [x1] */}, 1);
  CHECK(off.esr() == (0x25u << 26 | 1u << 25 | 0x21));  // alignment fault
  CHECK(off.state().far[2] == across);

  Fixture on;
  on.enable_mmu();
  on.x(0) = 0x0102'0304'0506'0708;
  on.x(1) = across;
  // str x0, [x1]; ldr x2, [x1]; ldr x3, [x1] again
  on.start({0xf9000020, 0xf9400022, 0xf9400023, kLoop}, 4);
  CHECK(on.exceptions.empty());
  CHECK(on.x(2) == 0x0102'0304'0506'0708);
  CHECK(on.x(3) == on.x(2));
  CHECK(on.peek<std::uint8_t>(across + 7) == 0x01);
  // Atomics must be aligned even there: ldadd x0, x2, [x1]
  on.start({0xf8200022}, 1);
  CHECK(on.esr() == (0x25u << 26 | 1u << 25 | 1u << 6 | 0x21));
}

TEST_CASE("LDTR obeys EL0's permissions and leaves what EL1 may access in place") {
  SystemConfig config;
  config.start_el = 1;
  FlatMachine f(std::size_t{1} << 20, config);
  f.enable_mmu();
  // EL1: 0x40000000 for EL1 only (AP 0), 0x80000000 the same memory for EL0 too (AP 1). @spec Arm ARM D8.4.1
  const std::uint64_t table = kCode + f.ram.size() - 4096;
  f.poke<std::uint64_t>(table + 8, kCode | 0x401 | 3 << 8);
  f.poke<std::uint64_t>(table + 16, kCode | 0x401 | 3 << 8 | 1 << 6);
  Control& control = f.system.control();
  control.mair[1] = 0xff;
  control.tcr[1] = 25 | std::uint64_t{2} << 32 | 1 << 23;
  control.ttbr0[1] = table;
  control.sctlr[1] |= sctlr_bit::kM | sctlr_bit::kC | sctlr_bit::kI;
  f.system.context_changed();
  f.engine.flush_translations();
  f.state().vbar[1] = kVectors;
  f.put(kVectors + 0x200, {kLoop});
  f.poke<std::uint64_t>(kCode + 0x8000, 7);
  constexpr std::uint32_t kLdr = 0xf9400022 /* ldr x2, [x1] */, kLdtr = 0xf8400820 /* ldtr x0, [x1] */;
  f.x(1) = 0x8000'8000;
  f.execute({kLdr, kLdtr, kLdr, kLdtr, kLdr, kLdtr, kLdr});
  CHECK(f.exceptions.empty());
  CHECK(f.x(0) == 7);
  CHECK(f.x(2) == 7);
  CHECK(f.engine.counters().slow_accesses == 1 + 3);  // the first LDR, and each LDTR
  // Where EL0 may not go, LDTR faults although LDR was there before, and does not let itself in either.
  f.x(1) = kCode + 0x8000;
  f.execute({kLdr, kLdtr});
  CHECK(f.exceptions == std::vector<std::uint8_t>{0x25});
  CHECK((f.state().esr[1] & 0x3f) == 0x0d);  // permission fault, level 1
}

TEST_CASE("code that is overwritten by the core itself is decoded anew") {
  Fixture f;
  f.enable_mmu();
  f.x(1) = kCode + 12;
  f.x(3) = kMov2;
  f.x(4) = 0;
  // 0: add x4, x4, #1; cmp x4, #2; b.ne +8 -> first pass: execute 12 (mov x0, #1) ...
  const std::vector<std::uint32_t> program{0x91000484,      //  0: add x4, x4, #1
                                           kNop,            //  4
                                           0x14000001,      //  8: b .+4
                                           kMov1,           // 12: mov x0, #1, later #2
                                           0xaa0003e5 | 0,  // 16: mov x5, x0
                                           0xb9000023,      // 20: str w3, [x1]
                                           0xf1000c9f,      // 24: cmp x4, #3
                                           0x54ffff21,      // 28: b.ne 0
                                           kLoop};
  f.start(program, 100);
  CHECK(f.exceptions.empty());
  CHECK(f.x(4) == 3);
  CHECK(f.x(5) == 2);
}

TEST_CASE("code that others overwrite is decoded anew after invalidate_physical") {
  Fixture f;
  f.start({kMov1, kLoop}, 10);
  CHECK(f.x(0) == 1);
  f.put(kCode, {kMov2});
  f.state().pc = kCode;
  f.engine.invalidate_physical(kCode, 4);
  f.engine.run(10);
  CHECK(f.x(0) == 2);
}

TEST_CASE("data beside code in one page does not cost the blocks") {
  Fixture f;
  f.enable_mmu();
  f.x(0) = 1000;
  f.x(1) = kCode + 0x800;
  // str x0, [x1]; subs x0, x0, #1; b.ne .-8
  f.start({0xf9000020, 0xf1000400, 0x54ffffc1, kLoop}, 3000);
  CHECK(f.peek<std::uint64_t>(kCode + 0x800) == 1);
  CHECK(f.engine.counters().blocks_translated < 5);
}

TEST_CASE("an unknown word is UNDEFINED and reported once") {
  Fixture f;
  f.put(kVectors + 0x200, {0xd51c4020 | 1 /* msr elr_el2, x1 */, 0xd69f03e0 /* eret */});
  f.x(1) = kCode;  // come back to it again and again
  f.start({0x00000000}, 20);
  CHECK(f.exceptions.size() > 2);
  CHECK(f.exceptions[0] == 0x00);
  CHECK(f.undefined_words == std::vector<std::uint32_t>{0});
  CHECK(f.state().elr[2] == kCode);
}

TEST_CASE("SVC returns behind itself, BRK to itself") {
  Fixture f;
  RunResult r = f.start({kNop, 0xd40000e1 /* svc #7 */, kMov1}, 2);
  CHECK(f.state().elr[2] == kCode + 8);
  CHECK(f.esr() == (0x15u << 26 | 1u << 25 | 7));
  CHECK(r.retired == 2);
  r = f.start({kNop, 0xd4200120 /* brk #9 */, kMov1}, 1);
  CHECK(f.state().elr[2] == kCode + 4);
  CHECK(f.esr() == (0x3cu << 26 | 1u << 25 | 9));
  CHECK(r.retired == 1);
}

TEST_CASE("WFI stops the engine behind itself") {
  Fixture f;
  const RunResult r = f.start({kMov1, 0xd503207f /* wfi */, kMov2}, 100);
  CHECK(r.reason == StopReason::kWaitInterrupt);
  CHECK(f.state().pc == kCode + 8);
  CHECK(r.retired == 2);
  CHECK(f.x(0) == 1);
}

TEST_CASE("system registers are read in mid-block") {
  Fixture f;
  f.start({0xd5384240 /* mrs x0, currentel */, kNop, kLoop}, 3);
  CHECK(f.x(0) == 2u << 2);
}

TEST_CASE("branches to places that are no code fault there") {
  Fixture f;
  f.x(1) = kCode + 2;
  f.start({0xd61f0020 /* br x1 */}, 2);
  CHECK(f.exceptions == std::vector<std::uint8_t>{0x22});  // PC alignment
  CHECK(f.state().far[2] == kCode + 2);
  Fixture g;
  g.x(1) = 0x2000;
  g.start({0xd61f0020}, 2);
  CHECK(g.exceptions.at(0) == 0x21);  // instruction abort
  CHECK(g.state().elr[2] == 0x2000);
}

TEST_CASE("breakpoints stop before their instruction, and steps go one at a time") {
  Fixture f;
  f.engine.add_breakpoint(kCode + 4);
  RunResult r = f.start({kMov1, kMov2, kNop, kLoop}, 100);
  CHECK(r.reason == StopReason::kBreakpoint);
  CHECK(r.retired == 1);
  CHECK(f.state().pc == kCode + 4);
  CHECK(f.x(0) == 1);
  r = f.engine.step();
  CHECK(r.retired == 1);
  CHECK(f.state().pc == kCode + 8);
  CHECK(f.x(0) == 2);
  f.state().pc = kCode + 4;  // going on from a breakpoint does not stop at it again
  r = f.engine.run(10);
  CHECK(r.reason == StopReason::kBudget);
  f.engine.remove_breakpoint(kCode + 4);
  f.state().pc = kCode;
  CHECK(f.engine.run(10).reason == StopReason::kBudget);
}

TEST_CASE("request_exit during a device access ends the run behind it") {
  Fixture f;
  f.on_write = [&](std::uint64_t, std::uint64_t, unsigned) { f.engine.request_exit(); };
  f.x(1) = kDevice;
  const RunResult r = f.start({0xb9000020 /* str w0, [x1] */, kMov1, kLoop}, 100);
  CHECK(r.reason == StopReason::kRequested);
  CHECK(r.retired == 1);
  CHECK(f.state().pc == kCode + 4);
}

TEST_CASE("code in a device is fetched word by word, after synchronisation") {
  Fixture f;
  f.on_read = [](std::uint64_t address, unsigned) { return std::uint64_t{address == kDevice ? kMov1 : kLoop}; };
  f.synchronise_first = true;
  f.state().pc = kDevice;
  RunResult r = f.engine.run(10);
  CHECK(r.reason == StopReason::kDeviceSync);
  CHECK(r.retired == 0);
  f.synchronise_first = false;
  r = f.engine.run(3);
  CHECK(r.reason == StopReason::kBudget);
  CHECK(f.x(0) == 1);
  CHECK(f.state().pc == kDevice + 4);
}

namespace {

/// Charges 7 cycles a data access and 11 a mispredict, and keeps every line.
class CountingTiming final : public TimingModel {
 public:
  std::uint32_t block_cost(std::span<const CostedOp> ops) override { return static_cast<std::uint32_t>(ops.size()); }
  [[nodiscard]] bool dynamic() const override { return true; }
  AccessTiming data_access(std::uint64_t, unsigned, bool write, bool) override {
    ++(write ? writes : reads);
    return {7, true, write};
  }
  std::uint32_t fetch(std::uint64_t, std::uint32_t) override {
    ++fetches;
    return 0;
  }
  [[nodiscard]] std::uint32_t mispredict_penalty() const override { return 11; }
  std::uint32_t barrier(Cost) override { return 13; }
  unsigned reads = 0, writes = 0, fetches = 0;
};

}  // namespace

TEST_CASE("a kept line costs nothing more until it is evicted or cleaned") {
  CountingTiming timing;
  Fixture f(&timing);
  f.enable_mmu();
  const std::uint64_t data = kCode + 0x8000;
  // ldr x0, [x1]; ldr x0, [x1, #8]; ldr x2, [x1, #64]; str x0, [x1]; str x0, [x1, #8]; wfi
  const std::vector<std::uint32_t> program{0xf9400020, 0xf9400420, 0xf9402022, 0xf9000020, 0xf9000420, 0xd503207f};
  f.x(1) = data;
  RunResult r = f.start(program, 1000);
  CHECK(timing.reads == 2);
  CHECK(timing.writes == 1);
  CHECK(r.cycles == 6 + 3 * 7);
  const auto again = [&] {
    timing.reads = timing.writes = 0;
    f.state().pc = kCode;
    return f.engine.run(1000).cycles;
  };
  CHECK(again() == 6);
  f.engine.clean_line(data);
  CHECK(again() == 6 + 7);
  CHECK(timing.writes == 1);
  f.engine.evict_line(data);
  CHECK(again() == 6 + 2 * 7);
  CHECK(timing.reads == 1);
  f.engine.evict_line(data + 64);
  again();
  CHECK(timing.reads == 1);
  CHECK(timing.writes == 0);
}

namespace {

/// A machine with one page at kAlias that can be moved from kFrom to kTo, and a second behind it.
struct Moving : Fixture {
  static constexpr std::uint64_t kAlias = 0x8000'0000, kFrom = kCode + 0x2'0000, kTo = kCode + 0x3'0000,
                                 kTables = kCode + 0xa'0000;
  explicit Moving(TimingModel& timing) : Fixture(&timing) {
    enable_mmu();
    // Level 1 entry 2 to a level 2 table, its entry 0 to a level 3 table. @spec Arm ARM D8.3
    poke<std::uint64_t>(kCode + ram.size() - 4096 + 16, kTables | 3);
    poke<std::uint64_t>(kTables, (kTables + 4096) | 3);
    map(0, kFrom);
    map(1, kFrom + 4096);
    engine.flush_translations();
    x(1) = kAlias;
  }
  void map(unsigned page, std::uint64_t physical) {
    poke<std::uint64_t>(kTables + 4096 + 8 * page, physical | 0x403 | 3 << 8 | 1 << 6);
  }
};

/// As CountingTiming, but lets somebody else act during an access, as a model that waits for the bus does.
class WaitingTiming final : public TimingModel {
 public:
  std::uint32_t block_cost(std::span<const CostedOp> ops) override { return static_cast<std::uint32_t>(ops.size()); }
  [[nodiscard]] bool dynamic() const override { return true; }
  AccessTiming data_access(std::uint64_t, unsigned, bool write, bool) override {
    if (meanwhile) std::exchange(meanwhile, {})();
    return {7, true, write};
  }
  std::uint32_t fetch(std::uint64_t, std::uint32_t) override { return 0; }
  [[nodiscard]] std::uint32_t mispredict_penalty() const override { return 0; }
  std::uint32_t barrier(Cost) override { return 0; }
  std::function<void()> meanwhile;
};

}  // namespace

TEST_CASE("a translation that others take back while an access waits for its time is not used any more") {
  for (const bool whole : {true, false}) {
    INFO(whole);
    WaitingTiming timing;
    Moving f(timing);
    f.poke<std::uint64_t>(Moving::kFrom, 1);
    f.poke<std::uint64_t>(Moving::kTo, 2);
    const auto move = [&] {
      f.map(0, Moving::kTo);
      if (whole)
        f.engine.flush_translations();
      else
        f.engine.flush_page(Moving::kAlias, 4096);
    };
    timing.meanwhile = move;
    f.start({0xf9400020 /* ldr x0, [x1] */, 0xf9400022 /* ldr x2, [x1] */, 0xd503207f /* wfi */}, 100);
    CHECK(f.exceptions.empty());
    CHECK(f.x(0) == 1);
    CHECK(f.x(2) == 2);

    // An atomic access happens after the wait, so in the new page: ldadd x0, x2, [x1]
    f.map(0, Moving::kFrom);
    f.engine.flush_translations();
    timing.meanwhile = move;
    f.x(0) = 5;
    f.start({0xf8200022, 0xd503207f}, 100);
    CHECK(f.exceptions.empty());
    CHECK(f.x(2) == 2);
    CHECK(f.peek<std::uint64_t>(Moving::kFrom) == 1);
    CHECK(f.peek<std::uint64_t>(Moving::kTo) == 7);
  }
}

TEST_CASE("an atomic access faults when its page is unmapped while it waits for its time") {
  WaitingTiming timing;
  Moving f(timing);
  timing.meanwhile = [&] {
    f.poke<std::uint64_t>(Moving::kTables + 4096, 0);
    f.engine.flush_translations();
  };
  f.start({0xf8200022 /* ldadd x0, x2, [x1] */}, 1);
  CHECK(f.esr() == (0x25u << 26 | 1u << 25 | 1u << 6 | 0x07));  // data abort, write; translation fault, level 3
  CHECK(f.peek<std::uint64_t>(Moving::kFrom) == 0);
}

TEST_CASE("the second half of an access across pages goes where its page is after the first half's wait") {
  WaitingTiming timing;
  Moving f(timing);
  timing.meanwhile = [&] {
    f.map(1, Moving::kTo);
    f.engine.flush_page(Moving::kAlias + 4096, 4096);
  };
  f.x(0) = 0x1122'3344'5566'7788;
  f.x(1) = Moving::kAlias + 4092;
  f.start({0xf9000020 /* str x0, [x1] */, 0xd503207f}, 100);
  CHECK(f.exceptions.empty());
  CHECK(f.peek<std::uint32_t>(Moving::kFrom + 4092) == 0x5566'7788);
  CHECK(f.peek<std::uint32_t>(Moving::kFrom + 4096) == 0);
  CHECK(f.peek<std::uint32_t>(Moving::kTo) == 0x1122'3344);
}

TEST_CASE("an access that no cache keeps and a device access of one instruction need one wait") {
  WaitingTiming timing;
  Moving f(timing);
  // Attribute 2: Normal non-cacheable. The first page is such memory, the second is the device.
  f.system.control().mair[2] = 0x44'00ff;
  f.poke<std::uint64_t>(Moving::kTables + 4096, Moving::kFrom | 0x403 | 3 << 8 | 1 << 6 | 2 << 2);
  f.poke<std::uint64_t>(Moving::kTables + 4104, kDevice | 0x403 | 1 << 6 | 1 << 2);
  f.engine.flush_translations();
  timing.meanwhile = [&] { f.synchronise_first = true; };  // its time has put the core ahead
  std::vector<std::uint64_t> seen;
  f.on_read = [&](std::uint64_t address, unsigned) { return seen.push_back(address - kDevice), 0; };
  f.poke<std::uint32_t>(Moving::kFrom + 4092, 9);
  f.x(1) = Moving::kAlias + 4092;
  const RunResult r = f.start({0x29401424 /* ldp w4, w5, [x1] */, 0xd503207f /* wfi */}, 100);
  CHECK(r.reason == StopReason::kWaitInterrupt);
  CHECK(f.x(4) == 9);
  CHECK(seen == std::vector<std::uint64_t>{0});
}

TEST_CASE("instruction lines are asked for once until some are evicted") {
  CountingTiming timing;
  Fixture f(&timing);
  f.start({kMov1, kLoop}, 100);
  CHECK(timing.fetches == 2);  // two blocks
  f.engine.run(100);
  CHECK(timing.fetches == 2);
  f.engine.fetch_evicted();
  f.engine.run(100);
  CHECK(timing.fetches == 3);
}

TEST_CASE("mispredicted branches and barriers cost what the model says") {
  CountingTiming timing;
  Fixture f(&timing);
  f.x(0) = 0;
  // A branch that was never seen is predicted not taken. cbz x0, .+8 (taken: mispredicted); nop; wfi
  CHECK(f.start({0xb4000040, kNop, 0xd503207f}, 1000).cycles == 2 + 11);
  f.x(0) = 1;  // and one that is not taken costs nothing: other place, so that its counter is fresh
  CHECK(f.start({kNop, kNop, 0xb4000040, kNop, 0xd503207f}, 1000).cycles == 5);
  // bl .+8; wfi; ret: the return stack knows the way back
  CHECK(f.start({0x94000002, 0xd503207f, 0xd65f03c0}, 1000).cycles == 3);
  // ret to where no call came from: x30 is behind it
  f.x(30) = kCode + 4;
  CHECK(f.start({0xd65f03c0, 0xd503207f}, 1000).cycles == 2 + 11);
  CHECK(f.start({0xd5033fbf /* dmb sy */, 0xd503207f}, 1000).cycles == 2 + 13);
}
