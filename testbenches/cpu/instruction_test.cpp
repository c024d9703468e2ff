// Integer instructions against values worked out by hand from the Arm ARM's pseudocode. Words are GNU as's, with their
// text beside them.
#include <catch2/catch.hpp>

#include "flat_machine.h"

using namespace dpusim::cpu;

namespace {

constexpr std::uint64_t kOnes = ~std::uint64_t{0};

/// Runs one instruction on X0..X3 and NZCV.
struct One {
  FlatMachine machine{std::size_t{1} << 20};
  std::uint64_t run(std::uint32_t word, std::uint64_t x1, std::uint64_t x2 = 0, std::uint64_t x0 = 0,
                    std::uint64_t x3 = 0, unsigned nzcv = 0) {
    machine.x(0) = x0;
    machine.x(1) = x1;
    machine.x(2) = x2;
    machine.x(3) = x3;
    machine.state().nzcv = nzcv << 28;
    const RunResult result = machine.execute({word});
    REQUIRE(machine.exceptions.empty());
    REQUIRE(result.retired == 2);  // the instruction and the endless loop behind it
    return machine.x(0);
  }
  unsigned nzcv() { return machine.state().nzcv >> 28; }
};

}  // namespace

TEST_CASE("addition and subtraction set N, Z, C and V as AddWithCarry does") {
  One one;
  CHECK(one.run(0x2b020020, 0xffff'ffff, 1) == 0);  // adds w0, w1, w2: carry out, zero; the upper half is cleared
  CHECK(one.nzcv() == 0b0110);
  CHECK(one.run(0x2b020020, 0x7fff'ffff, 1) == 0x8000'0000);
  CHECK(one.nzcv() == 0b1001);
  CHECK(one.run(0xeb020020, 0, 1) == kOnes);  // subs x0, x1, x2: borrow is C clear
  CHECK(one.nzcv() == 0b1000);
  CHECK(one.run(0xeb020020, 1ull << 63, 1) == (1ull << 63) - 1);
  CHECK(one.nzcv() == 0b0011);
  CHECK(one.run(0xba020020, kOnes, 0, 0, 0, 0b0010) == 0);  // adcs x0, x1, x2 with C
  CHECK(one.nzcv() == 0b0110);
  CHECK(one.run(0xba020020, 1ull << 63, (1ull << 63) - 1, 0, 0, 0b0010) == 0);
  CHECK(one.nzcv() == 0b0110);
  CHECK(one.run(0x5a020020, 5, 3, 0, 0, 0b0000) == 1);  // sbc w0, w1, w2: 5 - 3 - 1
  CHECK(one.run(0x5a020020, 5, 3, 0, 0, 0b0010) == 2);
  CHECK(one.run(0x8b228820, 0x1000, 0xff) == 0xffc);  // add x0, x1, w2, sxtb #2: 0x1000 - 4
}

TEST_CASE("logic, bit fields, extract") {
  One one;
  CHECK(one.run(0x8ae21020, kOnes, 0xf) == kOnes >> 4);  // bic x0, x1, x2, ror #4
  CHECK(one.run(0x93442c20, 0xff0) == kOnes);            // sbfx x0, x1, #4, #8
  CHECK(one.run(0x93442c20, 0x7f0) == 0x7f);
  CHECK(one.run(0xd3780c20, 0xab) == 0xb00);                         // ubfiz x0, x1, #8, #4
  CHECK(one.run(0xb37c1c20, 0, 0, kOnes) == 0xffff'ffff'ffff'f00f);  // bfi x0, x1, #4, #8
  CHECK(one.run(0x13821020, 1, 0x10) == 0x1000'0001);                // extr w0, w1, w2, #4
  CHECK(one.run(0xf2a24680, 0, 0, kOnes) == 0xffff'ffff'1234'ffff);  // movk x0, #0x1234, lsl #16
  CHECK(one.run(0x12800020, 0) == 0xffff'fffe);                      // mov w0, #-2
  CHECK(one.run(0xb0000000, 0) == FlatMachine::kRam + 0x1000);       // adrp x0, next page
}

TEST_CASE("conditional select and compare") {
  One one;
  CHECK(one.run(0xda820420, 7, 5, 0, 0, 0b0000) == kOnes - 4);  // csneg x0, x1, x2, eq: not equal, so -5
  CHECK(one.run(0xda820420, 7, 5, 0, 0, 0b0100) == 7);
  one.run(0xfa451823, 5, 0, 0, 0, 0b0100);  // ccmp x1, #5, #3, ne: equal, so NZCV is the immediate
  CHECK(one.nzcv() == 3);
  one.run(0xfa451823, 5, 0, 0, 0, 0b0000);
  CHECK(one.nzcv() == 0b0110);
}

TEST_CASE("all sixteen conditions") {
  // Arm ARM table C1-1, on all sixteen flag values; cset is csinc with the inverse condition.
  const auto expected = [](unsigned cond, unsigned nzcv) {
    const bool n = nzcv & 8, z = nzcv & 4, c = nzcv & 2, v = nzcv & 1;
    switch (cond) {
      case 0:
        return z;
      case 1:
        return !z;
      case 2:
        return c;
      case 3:
        return !c;
      case 4:
        return n;
      case 5:
        return !n;
      case 6:
        return v;
      case 7:
        return !v;
      case 8:
        return c && !z;
      case 9:
        return !c || z;
      case 10:
        return n == v;
      case 11:
        return n != v;
      case 12:
        return n == v && !z;
      case 13:
        return n != v || z;
      default:
        return true;
    }
  };
  One one;
  for (unsigned cond = 0; cond < 16; ++cond)
    for (unsigned nzcv = 0; nzcv < 16; ++nzcv)
      CHECK(one.run(0x9a820020 | cond << 12, 1, 0, 0, 0, nzcv) ==
            (expected(cond, nzcv) ? 1u : 0u));  // csel x0, x1, x2, cond
}

TEST_CASE("division and multiplication at their edges") {
  One one;
  CHECK(one.run(0x1ac20c20, 0x8000'0000, 0xffff'ffff) == 0x8000'0000);  // sdiv w0, w1, w2: -2^31 / -1
  CHECK(one.run(0x1ac20c20, 7, 0) == 0);
  CHECK(one.run(0x1ac20c20, 0xffff'fff9, 2) == 0xffff'fffd);  // -7 / 2 rounds to zero: -3
  CHECK(one.run(0x9ac20820, kOnes, 2) == kOnes >> 1);         // udiv x0, x1, x2
  CHECK(one.run(0x9ac20820, 1, 0) == 0);
  CHECK(one.run(0x9b427c20, kOnes, 2) == kOnes);            // smulh: -1 * 2
  CHECK(one.run(0x9bc27c20, kOnes, 2) == 1);                // umulh
  CHECK(one.run(0x9b228c20, 0xffff'fffd, 4, 0, 10) == 22);  // smsubl x0, w1, w2, x3: 10 - (-3 * 4)
}

TEST_CASE("CRC32 and CRC32C give the check values of their definitions") {
  // The CRC of "123456789" is 0xcbf43926 (CRC-32) and 0xe3069283 (CRC-32C), with initial value and final complement of
  // all ones.
  One one;
  std::uint64_t crc = one.run(0x9ac24c20, 0xffff'ffff, 0x3837'3635'3433'3231);  // crc32x w0, w1, x2
  crc = one.run(0x1ac24020, crc, '9');                                          // crc32b w0, w1, w2
  CHECK((~crc & 0xffff'ffff) == 0xcbf4'3926);
  crc = one.run(0x9ac25c20, 0xffff'ffff, 0x3837'3635'3433'3231);  // crc32cx w0, w1, x2
  crc = one.run(0x1ac25020, crc, '9');                            // crc32cb w0, w1, w2
  CHECK((~crc & 0xffff'ffff) == 0xe306'9283);
}

TEST_CASE("reversal and counting") {
  One one;
  CHECK(one.run(0x5ac00020, 1) == 0x8000'0000);                                // rbit w0, w1
  CHECK(one.run(0xdac00420, 0x0102'0304'0506'0708) == 0x0201'0403'0605'0807);  // rev16 x0, x1
  CHECK(one.run(0xdac00820, 0x0102'0304'0506'0708) == 0x0403'0201'0807'0605);  // rev32 x0, x1
  CHECK(one.run(0xdac00c20, 0x0102'0304'0506'0708) == 0x0807'0605'0403'0201);  // rev x0, x1
  CHECK(one.run(0xdac01420, 0) == 63);                                         // cls x0, x1
  CHECK(one.run(0xdac01420, kOnes) == 63);
  CHECK(one.run(0xdac01420, 1ull << 62) == 0);
  CHECK(one.run(0xdac01020, 0) == 64);  // clz x0, x1
  CHECK(one.run(0x5ac01020, 1) == 31);  // clz w0, w1
}

TEST_CASE("register 31 is zero in data processing and SP in addressing") {
  FlatMachine machine(std::size_t{1} << 20);
  machine.x(1) = 5;
  machine.x(kSpSlot) = FlatMachine::kRam + 0x8000;
  machine.x(kDumpSlot) = 0;
  // add sp, sp, #16; adds xzr, x1, x1; mov x2, xzr; str x1, [sp]; mov x3, sp
  machine.x(2) = 9;
  machine.execute({0x910043ff, 0xab01003f, 0xaa1f03e2, 0xf90003e1, 0x910003e3});
  CHECK(machine.x(kSpSlot) == FlatMachine::kRam + 0x8010);
  CHECK(machine.x(kZeroSlot) == 0);
  CHECK(machine.x(2) == 0);
  CHECK(machine.x(3) == FlatMachine::kRam + 0x8010);
  CHECK(machine.peek<std::uint64_t>(FlatMachine::kRam + 0x8010) == 5);
}

TEST_CASE("loads extend as their names say") {
  FlatMachine machine(std::size_t{1} << 20);
  const std::uint64_t data = FlatMachine::kRam + 0x8000;
  machine.poke<std::uint64_t>(data, 0x8081'8283'8485'8687);
  const auto load = [&](std::uint32_t word) {
    machine.x(1) = data;
    machine.execute({word});
    return machine.x(0);
  };
  CHECK(load(0x39400020) == 0x87);                   // ldrb w0, [x1]
  CHECK(load(0x39c00020) == 0xffff'ff87);            // ldrsb w0, [x1]
  CHECK(load(0x39800020) == 0xffff'ffff'ffff'ff87);  // ldrsb x0, [x1]
  CHECK(load(0x79400020) == 0x8687);                 // ldrh w0, [x1]
  CHECK(load(0x79c00020) == 0xffff'8687);            // ldrsh w0, [x1]
  CHECK(load(0x79800020) == 0xffff'ffff'ffff'8687);  // ldrsh x0, [x1]
  CHECK(load(0xb9400020) == 0x8485'8687);            // ldr w0, [x1]
  CHECK(load(0xb9800020) == 0xffff'ffff'8485'8687);  // ldrsw x0, [x1]
  CHECK(load(0xf9400020) == 0x8081'8283'8485'8687);  // ldr x0, [x1]
  CHECK(machine.exceptions.empty());
}

TEST_CASE("write-back moves the base before or after the access") {
  FlatMachine machine(std::size_t{1} << 20);
  const std::uint64_t data = FlatMachine::kRam + 0x8000;
  machine.poke<std::uint64_t>(data, 11);
  machine.poke<std::uint64_t>(data + 8, 22);
  machine.x(1) = data;
  machine.execute({0xa8c10820});  // ldp x0, x2, [x1], #16
  CHECK(machine.x(0) == 11);
  CHECK(machine.x(2) == 22);
  CHECK(machine.x(1) == data + 16);
  machine.execute({0x29bf0820});  // stp w0, w2, [x1, #-8]!
  CHECK(machine.x(1) == data + 8);
  CHECK(machine.peek<std::uint64_t>(data + 8) == (22ull << 32 | 11));
  machine.x(2) = kOnes;
  machine.x(1) = data + 16;
  CHECK((machine.execute({0xb8a27820}), machine.x(0)) == 22);  // ldrsw x0, [x1, x2, lsl #2]: four octets below
}

TEST_CASE("a store-exclusive succeeds only while mark and value stand") {
  FlatMachine machine(std::size_t{1} << 20);
  const std::uint64_t data = FlatMachine::kRam + 0x8000;
  machine.poke<std::uint64_t>(data, 5);
  machine.x(1) = data;
  machine.x(3) = 6;
  const std::uint32_t ldxr = 0xc85f7c20, stxr = 0xc8027c23 /* stxr w2, x3, [x1] */, clrex = 0xd5033f5f;
  machine.execute({ldxr, stxr});
  CHECK(machine.x(2) == 0);
  CHECK(machine.peek<std::uint64_t>(data) == 6);
  machine.execute({stxr});  // the mark is used up
  CHECK(machine.x(2) == 1);
  machine.execute({ldxr, clrex, stxr});
  CHECK(machine.x(2) == 1);
  machine.execute({ldxr});
  machine.poke<std::uint64_t>(data, 7);  // somebody else writes
  machine.execute({stxr});
  CHECK(machine.x(2) == 1);
  CHECK(machine.peek<std::uint64_t>(data) == 7);
}

TEST_CASE("LSE atomics return the old value") {
  FlatMachine machine(std::size_t{1} << 20);
  const std::uint64_t data = FlatMachine::kRam + 0x8000;
  machine.poke<std::uint64_t>(data, 0x1ff);
  machine.x(0) = 2;
  machine.x(1) = data;
  machine.execute({0x38200022});  // ldaddb w0, w2, [x1]: 0xff + 2 in an octet
  CHECK(machine.x(2) == 0xff);
  CHECK(machine.peek<std::uint64_t>(data) == 0x101);
  machine.execute({0xf8e08022});  // swpal x0, x2, [x1]
  CHECK(machine.x(2) == 0x101);
  CHECK(machine.peek<std::uint64_t>(data) == 2);
  machine.poke<std::uint64_t>(data + 8, 3);
  machine.x(2) = 2;
  machine.x(3) = 3;
  machine.x(4) = 40;
  machine.x(5) = 50;
  machine.execute({0x4862fc24});  // caspal x2, x3, x4, x5, [x1]
  CHECK(machine.peek<std::uint64_t>(data) == 40);
  CHECK(machine.peek<std::uint64_t>(data + 8) == 50);
  machine.execute({0x4862fc24});  // now memory has something else
  CHECK(machine.x(2) == 40);
  CHECK(machine.x(3) == 50);
}

TEST_CASE("DC ZVA zeroes the 64 octets around the address") {
  FlatMachine machine(std::size_t{1} << 20);
  machine.enable_mmu();
  const std::uint64_t data = FlatMachine::kRam + 0x8000;
  for (unsigned i = 0; i < 192; i += 8) machine.poke<std::uint64_t>(data + i, kOnes);
  machine.x(1) = data + 64 + 17;
  machine.execute({0xd50b7421});  // dc zva, x1
  CHECK(machine.exceptions.empty());
  CHECK(machine.peek<std::uint64_t>(data + 56) == kOnes);
  for (unsigned i = 64; i < 128; i += 8) CHECK(machine.peek<std::uint64_t>(data + i) == 0);
  CHECK(machine.peek<std::uint64_t>(data + 128) == kOnes);
}
