// How long the PL011 takes to move a character.
#pragma once

#include <cstdint>

#include "sim/units.h"

namespace dpusim::uart {

/// Returns the duration of `bits` bit times: 16 cycles of UARTCLK times the divisor.
/// @param divisor in 1/64 (IBRD * 64 + FBRD); below 1 the generator does not run by the manual, here it is taken as 1.
/// @spec DDI 0183G 3.3.6: baud rate divisor = UARTCLK / (16 * baud rate)
constexpr Time bit_times(unsigned bits, std::uint32_t divisor, Frequency clock) {
  const std::uint64_t sixty_fourths = divisor < 64 ? 64 : divisor;
  return Time(mul_div(bits * sixty_fourths, kPicosecondsPerSecond / 4, clock.count()));
}

/// Returns the number of bits of a frame: start, 5 to 8 data, parity, 1 or 2 stop.
/// @param line_control LCR_H. @spec DDI 0183G 2.4.5, 3.3.8
constexpr unsigned frame_bits(std::uint8_t line_control) {
  const unsigned data = 5 + ((line_control >> 5) & 3);
  const unsigned parity = (line_control >> 1) & 1;
  const unsigned stop = 1 + ((line_control >> 3) & 1);
  return 1 + data + parity + stop;
}

/// Bit times without a character after which the receive timeout is raised. @spec DDI 0183G 3.4.4
inline constexpr unsigned kReceiveTimeoutBits = 32;

}  // namespace dpusim::uart
