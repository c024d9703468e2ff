// Function and state of the PL011 UART: registers, FIFOs, interrupts. No SystemC, no time.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>

#include "sim/registers.h"

namespace dpusim::uart {

/// Revision of the PrimeCell; the FIFOs became deeper with r1p5 (DDI 0183G 1.3, table 3-23).
enum class Pl011Revision : std::uint8_t { kR1p4, kR1p5 };

/// Bits of RIS, MIS, IMSC and ICR (DDI 0183G 3.3.10 to 3.3.13).
enum Pl011Interrupt : std::uint16_t {
  kPl011Rx = 1U << 4,
  kPl011Tx = 1U << 5,
  kPl011Timeout = 1U << 6,
  kPl011Framing = 1U << 7,
  kPl011Parity = 1U << 8,
  kPl011Break = 1U << 9,
  kPl011Overrun = 1U << 10,
};

/// Error bits of a received character, in DR's positions shifted to 0.
enum Pl011Error : std::uint8_t { kPl011FramingError = 1, kPl011ParityError = 2, kPl011BreakError = 4 };

/// The UART as software and the line see it. The owner moves characters at its own pace: begin_character takes the next
/// one out of the FIFO into the shift register, end_character completes it.
class Pl011Core {
 public:
  /// @param configured the reset state is that which boot firmware leaves: enabled, 115200 baud at 24 MHz, 8N1, FIFOs
  /// on.
  Pl011Core(Pl011Revision revision, bool configured);

  RegisterResult read(std::uint64_t offset, std::span<std::uint8_t> data, std::span<const std::uint8_t> enables = {});
  RegisterResult write(std::uint64_t offset, std::span<const std::uint8_t> data,
                       std::span<const std::uint8_t> enables = {});
  [[nodiscard]] const RegisterBank& bank() const { return bank_; }
  RegisterBank& bank() { return bank_; }

  /// Moves the next character into the shift register. @return nothing when none waits, one is being sent, or sending
  /// is off.
  std::optional<std::uint8_t> begin_character();
  /// Completes the character in the shift register. @return it, when it leaves the chip; nothing in loop-back.
  std::optional<std::uint8_t> end_character();
  /// Takes a character from the line; ignored while receiving is off. @param errors of Pl011Error.
  void receive(std::uint8_t data, std::uint8_t errors = 0);
  /// Tells that the line was idle for 32 bit times since the last character.
  void receive_timeout();

  /// Tells whether a character from the line would be kept.
  [[nodiscard]] bool can_receive() const;
  /// Tells whether a receive timeout is to be waited for.
  [[nodiscard]] bool receive_waiting() const { return fifos_enabled() && !rx_.empty(); }
  /// Level of UARTINTR, the combined interrupt.
  [[nodiscard]] bool interrupt() const { return (ris_ & imsc()) != 0; }
  [[nodiscard]] std::uint16_t raw_interrupts() const { return ris_; }
  /// Depth in characters as LCR_H.FEN has it now.
  [[nodiscard]] unsigned depth() const { return fifos_enabled() ? fifo_depth_ : 1; }
  [[nodiscard]] unsigned fifo_depth() const { return fifo_depth_; }
  /// Divisor in 1/64, and line control, as latched by the last write to LCR_H.
  [[nodiscard]] std::uint32_t divisor() const { return divisor_; }
  [[nodiscard]] std::uint8_t line_control() const;
  [[nodiscard]] std::uint64_t overruns() const { return overruns_; }
  /// Sending has no duration: the level interrupt is raised by each character, as no FIFO ever fills (functional
  /// fidelity).
  void set_immediate(bool immediate) { immediate_ = immediate; }

 private:
  void install_hooks();
  void line_control_written(std::uint64_t value, std::uint64_t old);
  std::uint64_t read_data();
  void write_data(std::uint8_t data);
  [[nodiscard]] std::uint64_t flags() const;
  [[nodiscard]] bool fifos_enabled() const;
  [[nodiscard]] std::uint16_t imsc() const;
  [[nodiscard]] unsigned transmit_trigger() const;
  [[nodiscard]] unsigned receive_trigger() const;

  RegisterBank bank_;
  unsigned fifo_depth_;
  std::deque<std::uint8_t> tx_;
  std::deque<std::uint16_t> rx_;  // DR format, errors in 10:8
  std::optional<std::uint8_t> shifting_;
  std::uint16_t ris_ = 0;
  std::uint32_t divisor_ = 0;
  std::uint64_t overruns_ = 0;
  bool overrun_ = false;
  bool immediate_ = false;
};

}  // namespace dpusim::uart
