// CRC-32 as of Ethernet, octet by octet: function without time.
#pragma once

#include <cstdint>
#include <span>

namespace example {

/// Computes the CRC of IEEE 802.3 3.2.9 (reflected polynomial 0xedb88320, start and final exclusive-or all ones).
class CrcCore {
 public:
  void reset() { state_ = ~0U; }
  void update(std::span<const std::uint8_t> octets) {
    for (const std::uint8_t octet : octets) {
      state_ ^= octet;
      for (int bit = 0; bit < 8; ++bit) state_ = (state_ >> 1U) ^ ((state_ & 1U) != 0 ? 0xedb88320U : 0U);
    }
  }
  [[nodiscard]] std::uint32_t value() const { return ~state_; }

 private:
  std::uint32_t state_ = ~0U;
};

}  // namespace example
