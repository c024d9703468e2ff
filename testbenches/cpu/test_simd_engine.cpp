// SIMD&FP instructions where they meet the engine and the system part: literals, traps, aborts.
#include <catch2/catch.hpp>

#include "flat_machine.h"

using namespace dpusim::cpu;

namespace {

constexpr std::uint64_t kCode = FlatMachine::kRam, kVectors = FlatMachine::kRam + 0x10000;
constexpr std::uint32_t kLoop = 0x14000000;  // b .

/// A machine at EL2 whose vectors hold endless loops.
struct Fixture : FlatMachine {
  Fixture() : FlatMachine(std::size_t{1} << 20) {
    state().vbar[2] = kVectors;
    put(kVectors + 0x200, {kLoop});  // synchronous, current EL with SP_ELx
  }
};

}  // namespace

TEST_CASE("literals load from beside the code", "[simd]") {
  Fixture f;
  // ldr s0, .+16; ldr d1, .+12; ldr q2, .+8; b .; 16 octets
  f.put(kCode, {0x1c000080, 0x5c000061, 0x9c000042, kLoop, 0x11111111, 0x22222222, 0x33333333, 0x44444444});
  for (unsigned r = 0; r < 3; ++r) f.state().v[r].d = {~0ull, ~0ull};
  f.state().pc = kCode;
  f.engine.run(4);
  CHECK(f.state().pc == kCode + 12);
  CHECK(f.state().v[0].d == std::array<std::uint64_t, 2>{0x11111111, 0});
  CHECK(f.state().v[1].d == std::array<std::uint64_t, 2>{0x2222222211111111, 0});
  CHECK(f.state().v[2].d == std::array<std::uint64_t, 2>{0x2222222211111111, 0x4444444433333333});
}

TEST_CASE("FP instructions trap while CPTR_EL2.TFP is set", "[simd]") {
  Fixture f;
  f.state().v[0].d = {5, 6};
  f.system.control().cptr_el2 |= 1u << 10;
  f.engine.context_changed();
  f.execute({0x9e6703e0});  // fmov d0, xzr
  // EC 0x07, IL, and ISS with CV set and COND AL. @spec DDI 0487 D17.2.37, ISS encoding for an exception from an access
  // to SIMD
  CHECK(f.esr() == 0x1fe00000);
  CHECK(f.state().elr[2] == kCode);
  CHECK(f.state().v[0].d == std::array<std::uint64_t, 2>{5, 6});
  f.system.control().cptr_el2 &= ~(std::uint64_t{1} << 10);
  f.engine.context_changed();
  f.execute({0x9e6703e0});
  CHECK(f.state().pc == kCode + 4);
  CHECK(f.state().v[0].d == std::array<std::uint64_t, 2>{0, 0});
}

TEST_CASE("an abort in the second half of an access changes neither registers nor the base", "[simd]") {
  // ldp q0, q1, [x0], #32; ld2 {v0.16b, v1.16b}, [x0], #32; stp q0, q1, [x0], #32; st2 {v0.16b, v1.16b}, [x0], #32
  for (const std::uint32_t word : {0xacc10400u, 0x4cdf8000u, 0xac810400u, 0x4c9f8000u}) {
    Fixture f;
    const std::uint64_t last = FlatMachine::kRam + f.ram.size() - 16;
    f.x(0) = last;
    f.state().v[0].d = {1, 2};
    f.state().v[1].d = {3, 4};
    f.execute({word});
    INFO(std::hex << word);
    CHECK(f.esr() >> 26 == 0x25);  // data abort from the same level
    CHECK(f.state().elr[2] == kCode);
    CHECK(f.x(0) == last);
    CHECK(f.state().v[0].d == std::array<std::uint64_t, 2>{1, 2});
    CHECK(f.state().v[1].d == std::array<std::uint64_t, 2>{3, 4});
  }
}

TEST_CASE("a comparison decides a selection", "[fp]") {
  Fixture f;
  const auto run = [&](std::uint64_t a, std::uint64_t b) {
    f.state().v[0].d = {a, 0};
    f.state().v[1].d = {b, 0};
    f.state().v[3].d = {3, 9};
    f.state().v[4].d = {4, 9};
    f.execute({0x1e612000, 0x1e644c62});  // fcmp d0, d1; fcsel d2, d3, d4, mi
    return f.state().v[2].d;
  };
  const std::uint64_t one = 0x3ff0000000000000, two = 0x4000000000000000, nan = 0x7ff8000000000000;
  CHECK(run(one, two) == std::array<std::uint64_t, 2>{3, 0});
  CHECK(run(two, one) == std::array<std::uint64_t, 2>{4, 0});
  CHECK(run(nan, one) == std::array<std::uint64_t, 2>{4, 0});
}
