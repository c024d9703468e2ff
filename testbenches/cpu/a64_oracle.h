// Runs single A64 instructions on the reference implementation (qemu-aarch64) for differential tests.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dpusim::cpu::test {

/// The part of the register state that the oracle sets and reads. The layout is shared with a64_oracle_guest.c.
struct OracleState {
  std::uint32_t word = 0;    ///< index into the list of instruction words
  std::uint32_t base = ~0u;  ///< register 0..3 that holds an offset into `memory`; ~0: none
  std::uint32_t fpcr = 0, fpsr = 0, nzcv = 0;
  std::array<std::uint32_t, 3> pad{};
  std::array<std::uint64_t, 4> x{};
  std::array<std::array<std::uint64_t, 2>, 8> v{};
  std::array<std::uint8_t, 128> memory{};
  bool operator==(const OracleState&) const = default;
};
static_assert(sizeof(OracleState) == 320);

/// Executes each case's instruction on its state. @return the states afterwards; nothing if qemu-aarch64 or the cross
/// compiler is not installed (tests then skip with a warning)
std::optional<std::vector<OracleState>> run_oracle(const std::vector<std::uint32_t>& words,
                                                   const std::vector<OracleState>& cases);

/// Prints the parts in which two states differ, for a failing test's message.
std::string difference(const OracleState& ours, const OracleState& reference);

/// Assembles a text of A64 instructions, one a line, with the cross assembler. @return nothing if it is not installed
/// @param march for example "armv8.2-a+fp16"
std::optional<std::vector<std::uint32_t>> assemble(const std::string& text, const std::string& march);

}  // namespace dpusim::cpu::test
