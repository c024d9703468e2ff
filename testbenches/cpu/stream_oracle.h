// Runs whole programs of A64 instructions on the reference implementation (qemu-aarch64) for differential tests.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace dpusim::cpu::test {

inline constexpr std::uint64_t kStreamCode = 0x4000'0000, kStreamData = 0x4010'0000;
inline constexpr std::size_t kStreamDataSize = 0x10000;

/// A program and the state it starts from or ends with. Programs begin with `mov x29, x30` and end with `br x29`.
struct Stream {
  std::vector<std::uint32_t> words;
  std::array<std::uint64_t, 32> state{};  ///< x0..x30, NZCV in bits 31..28 of [31]
  std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(kStreamDataSize);
};

/// Executes the programs. @return the states afterwards; nothing if qemu-aarch64 or the cross compiler is not installed
std::optional<std::vector<Stream>> run_streams(const std::vector<Stream>& programs);

}  // namespace dpusim::cpu::test
