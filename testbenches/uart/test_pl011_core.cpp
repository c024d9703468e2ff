// Registers, FIFOs and interrupts of the PL011: DDI 0183G chapter 3.
#include <array>
#include <catch2/catch.hpp>

#include "uart/pl011_core.h"
#include "uart/pl011_timing.h"

using namespace dpusim;
using namespace dpusim::uart;
using namespace dpusim::literals;

namespace {

struct Uart {
  explicit Uart(Pl011Revision revision = Pl011Revision::kR1p5) : core(revision, false) {}
  std::uint32_t read(std::uint64_t offset, std::size_t size = 4) {
    std::array<std::uint8_t, 4> data{};
    REQUIRE(core.read(offset, std::span(data).first(size)) == RegisterResult::kOk);
    return data[0] | data[1] << 8U | data[2] << 16U | static_cast<std::uint32_t>(data[3]) << 24;
  }
  void write(std::uint64_t offset, std::uint32_t value, std::size_t size = 4) {
    std::array<std::uint8_t, 4> data{};
    for (unsigned i = 0; i < 4; ++i) data[i] = static_cast<std::uint8_t>(value >> (8 * i));
    REQUIRE(core.write(offset, std::span(data).first(size)) == RegisterResult::kOk);
  }
  void enable(bool fifos) {
    write(0x2c, fifos ? 0x70 : 0x60);  // LCR_H: 8 bits, FIFOs
    write(0x30, 0x301);                // CR: UARTEN, TXE, RXE
  }
  Pl011Core core;
};

}  // namespace

TEST_CASE("reset values") {
  Uart uart;
  // DDI 0183G table 3-1.
  CHECK(uart.read(0x00) == 0);
  CHECK(uart.read(0x04) == 0);
  CHECK(uart.read(0x18) == 0x90);
  CHECK(uart.read(0x24) == 0);
  CHECK(uart.read(0x28) == 0);
  CHECK(uart.read(0x2c) == 0);
  CHECK(uart.read(0x30) == 0x300);
  CHECK(uart.read(0x34) == 0x12);
  CHECK(uart.read(0x38) == 0);
  CHECK(uart.read(0x3c) == 0);
  CHECK(uart.read(0x40) == 0);
  CHECK(uart.read(0x48) == 0);
  const std::array<std::uint32_t, 8> id{0x11, 0x10, 0x34, 0x00, 0x0d, 0xf0, 0x05, 0xb1};
  for (unsigned i = 0; i < 8; ++i) CHECK(uart.read(0xfe0 + 4 * i) == id[i]);
  CHECK(Uart(Pl011Revision::kR1p4).read(0xfe8) == 0x24);
}

TEST_CASE("the state that boot firmware leaves") {
  Pl011Core core(Pl011Revision::kR1p5, true);
  CHECK(core.depth() == 32);
  // 24 MHz / (16 * 115200) = 13.02: 13 + 1/64, ten bits a character: 10 * 16 * 833 / 64 / 24 MHz = 86.77 us.
  CHECK(bit_times(frame_bits(core.line_control()), core.divisor(), 24_MHz) == Time(86'770'833));
}

TEST_CASE("access classes") {
  Uart uart;
  uart.write(0x18, 0xffffffff);
  CHECK(uart.read(0x18) == 0x90);
  uart.write(0x24, 0xffffffff);
  CHECK(uart.read(0x24) == 0xffff);
  uart.write(0x28, 0xffffffff);
  CHECK(uart.read(0x28) == 0x3f);
  uart.write(0x30, 0xffffffff);
  CHECK(uart.read(0x30) == 0xff87);
  uart.write(0x38, 0xffffffff);
  CHECK(uart.read(0x38) == 0x7ff);
  CHECK(uart.read(0x44) == 0);
  uart.write(0xfe0, 0);
  CHECK(uart.read(0xfe0) == 0x11);
  CHECK(uart.read(0x100) == 0);  // reserved: reads 0
  uart.write(0x100, 1);
  std::array<std::uint8_t, 4> data{};
  CHECK(uart.core.read(0x1000, data) == RegisterResult::kUnmapped);
  CHECK(uart.core.read(0x19, std::span(data).first(2)) == RegisterResult::kBadSize);
}

TEST_CASE("sending waits for UARTEN and TXE") {
  Uart uart;
  uart.write(0x2c, 0x60);
  uart.write(0x00, 'a', 1);
  CHECK_FALSE(uart.core.begin_character());
  CHECK(uart.read(0x18) == 0x38);  // BUSY, TXFF (no FIFO: one place), RXFE
  uart.write(0x30, 0x1);
  CHECK_FALSE(uart.core.begin_character());
  uart.write(0x30, 0x101);
  CHECK(uart.core.begin_character() == 'a');
  CHECK(uart.read(0x18) == 0x98);  // in the shift register: BUSY, TXFE, RXFE
  CHECK_FALSE(uart.core.begin_character());
  CHECK(uart.core.end_character() == 'a');
  CHECK(uart.read(0x18) == 0x90);
  CHECK_FALSE(uart.core.end_character());
}

TEST_CASE("FIFOs hold 32 or 16 characters, and what does not fit is lost") {
  for (const auto& [revision, depth] : {std::pair{Pl011Revision::kR1p5, 32U}, {Pl011Revision::kR1p4, 16U}}) {
    Uart uart(revision);
    uart.enable(true);
    for (unsigned i = 0; i < depth - 1; ++i) uart.write(0x00, i);
    CHECK((uart.read(0x18) & 0x20) == 0);
    uart.write(0x00, depth - 1);
    CHECK((uart.read(0x18) & 0x20) == 0x20);
    uart.write(0x00, 0xff);
    for (unsigned i = 0; i < depth; ++i) {
      CHECK(uart.core.begin_character() == i);
      CHECK(uart.core.end_character() == i);
    }
    CHECK_FALSE(uart.core.begin_character());
  }
}

TEST_CASE("the transmit interrupt follows the passage through the level") {
  Uart uart;
  uart.enable(true);  // IFLS reset: half of 32
  uart.write(0x38, 0x20);
  CHECK_FALSE(uart.core.interrupt());  // an empty FIFO alone raises nothing
  for (unsigned i = 0; i < 18; ++i) uart.write(0x00, i);
  uart.core.begin_character();
  CHECK_FALSE(uart.core.interrupt());  // 17 left
  uart.core.end_character();
  uart.core.begin_character();
  CHECK(uart.core.interrupt());  // 16 left
  CHECK(uart.read(0x3c) == 0x20);
  CHECK(uart.read(0x40) == 0x20);
  uart.write(0x44, 0x20);
  CHECK_FALSE(uart.core.interrupt());
  uart.core.end_character();
  uart.core.begin_character();
  CHECK_FALSE(uart.core.interrupt());  // 15: not the passage
}

TEST_CASE("without FIFOs the transmit interrupt says the place is free") {
  Uart uart;
  uart.enable(false);
  uart.write(0x00, 'x');
  CHECK(uart.read(0x3c) == 0);
  uart.core.begin_character();
  CHECK(uart.read(0x3c) == 0x20);
  uart.write(0x00, 'y');  // filled again: cleared
  CHECK(uart.read(0x3c) == 0);
}

TEST_CASE("receiving: levels, timeout, overrun") {
  Uart uart;
  uart.enable(true);
  uart.write(0x34, 0x0);  // receive level 1/8 of 32
  for (unsigned i = 0; i < 3; ++i) uart.core.receive(static_cast<std::uint8_t>('a' + i));
  CHECK(uart.read(0x3c) == 0);
  uart.core.receive('d');
  CHECK(uart.read(0x3c) == 0x10);
  uart.core.receive_timeout();
  CHECK(uart.read(0x3c) == 0x50);
  CHECK(uart.read(0x00) == 'a');
  CHECK(uart.read(0x3c) == 0x40);  // below the level: RX clears, the timeout stays until empty
  CHECK(uart.read(0x00) == 'b');
  CHECK(uart.read(0x00) == 'c');
  CHECK(uart.read(0x00) == 'd');
  CHECK(uart.read(0x3c) == 0);
  CHECK((uart.read(0x18) & 0x10) == 0x10);
  for (unsigned i = 0; i < 32; ++i) uart.core.receive(static_cast<std::uint8_t>(i));
  CHECK((uart.read(0x18) & 0x40) == 0x40);
  CHECK_FALSE(uart.core.can_receive());
  uart.core.receive(0xee);
  CHECK(uart.read(0x3c) == (0x400 | 0x10));
  CHECK(uart.read(0x04) == 0x8);
  CHECK(uart.read(0x00) == 0x800);  // OE with the oldest character, 0
  CHECK(uart.core.overruns() == 1);
  uart.core.receive(0x20);  // there is a place again: OE clears (table 3-2)
  CHECK(uart.read(0x00) == 0x001);
}

TEST_CASE("errors come with their character") {
  Uart uart;
  uart.enable(true);
  uart.core.receive('a');
  uart.core.receive('b', kPl011ParityError);
  CHECK(uart.read(0x3c) == 0x100);  // PEIS
  CHECK(uart.read(0x00) == 'a');
  CHECK(uart.read(0x04) == 0);
  CHECK(uart.read(0x00) == ('b' | 0x200));
  CHECK(uart.read(0x04) == 0x2);
  uart.write(0x04, 0);
  CHECK(uart.read(0x04) == 0);
}

TEST_CASE("word length, loop-back and flush") {
  Uart uart;
  uart.write(0x2c, 0x10);   // 5 bits, FIFOs
  uart.write(0x30, 0x381);  // loop-back
  uart.write(0x00, 0xff);
  CHECK(uart.core.begin_character() == 0x1f);
  CHECK_FALSE(uart.core.end_character());
  CHECK(uart.read(0x00) == 0x1f);
  uart.write(0x00, 1);
  uart.core.receive(2);
  uart.write(0x2c, 0x00);  // FEN off flushes both
  CHECK(uart.read(0x18) == 0x90);
}

TEST_CASE("nothing is received while the receiver is off") {
  Uart uart;
  uart.write(0x30, 0x101);
  uart.core.receive('a');
  CHECK((uart.read(0x18) & 0x10) == 0x10);
}

TEST_CASE("character times") {
  CHECK(frame_bits(0x60) == 10);              // 8N1
  CHECK(frame_bits(0x60 | 0x2 | 0x8) == 12);  // 8E2
  CHECK(frame_bits(0x00) == 7);               // 5N1
  CHECK(bit_times(1, 64, 16_MHz) == 1_us);    // divisor 1: 16 MHz / 16 is 1 Mbit/s
  CHECK(bit_times(10, 96, 16_MHz) == 15_us);  // divisor 1.5
  CHECK(bit_times(1, 0, 16_MHz) == 1_us);     // illegal divisor: taken as 1
}

TEST_CASE("divisors take effect with the next write to LCR_H") {
  Uart uart;
  uart.write(0x24, 2);
  uart.write(0x28, 32);
  CHECK(uart.core.divisor() == 0);
  uart.write(0x2c, 0x70);
  CHECK(uart.core.divisor() == 2 * 64 + 32);
}
