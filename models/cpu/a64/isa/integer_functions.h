// Functions of the Arm ARM's pseudocode that integer instructions share.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace dpusim::cpu {

/// Decodes a logical immediate. @return false for reserved values. @spec DecodeBitMasks, Arm ARM J1
constexpr bool logical_immediate(unsigned n, unsigned immr, unsigned imms, std::uint64_t& mask) {
  const unsigned code = (n << 6) | (~imms & 0x3f);
  if (code < 2) return false;  // element length would be 1 or none
  const unsigned length = static_cast<unsigned>(std::bit_width(code)) - 1, size = 1u << length;
  const unsigned levels = size - 1, s = imms & levels, r = immr & levels;
  if (s == levels) return false;
  std::uint64_t element = (std::uint64_t{1} << (s + 1)) - 1;
  if (r != 0) element = (element >> r) | (element << (size - r));
  if (size < 64) element &= (std::uint64_t{1} << size) - 1;
  for (unsigned width = size; width < 64; width *= 2) element |= element << width;
  mask = element;
  return true;
}

/// Extends a register by `option`: UXTB, UXTH, UXTW, UXTX, SXTB, SXTH, SXTW, SXTX. @spec ExtendReg
constexpr std::uint64_t extended(std::uint64_t value, unsigned option) {
  switch (option) {
    case 0:
      return static_cast<std::uint8_t>(value);
    case 1:
      return static_cast<std::uint16_t>(value);
    case 2:
      return static_cast<std::uint32_t>(value);
    case 4:
      return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int8_t>(value)});
    case 5:
      return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int16_t>(value)});
    case 6:
      return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(value)});
    default:
      return value;
  }
}

/// Divides, rounding to zero; by zero gives 0, and the least number by -1 gives itself.
template <class T>
constexpr T signed_divide(T a, T b) {
  using S = std::make_signed_t<T>;
  if (b == 0) return 0;
  if (static_cast<S>(b) == -1) return static_cast<T>(T{0} - a);
  return static_cast<T>(static_cast<S>(a) / static_cast<S>(b));
}

/// Reverses the octets within groups of kGroup octets.
template <unsigned kGroup, class T>
constexpr T reverse_in_groups(T value) {
  T result = 0;
  for (unsigned i = 0; i < sizeof(T); ++i) {
    const unsigned to = (i / kGroup) * kGroup + (kGroup - 1 - i % kGroup);
    result |= static_cast<T>(((value >> (8 * i)) & 0xff) << (8 * (to % sizeof(T))));
  }
  return result;
}
template <class T>
constexpr T reverse_bits(T value) {
  value = reverse_in_groups<sizeof(T)>(value);
  value = static_cast<T>(((value >> 4) & static_cast<T>(0x0f0f'0f0f'0f0f'0f0f)) |
                         ((value & static_cast<T>(0x0f0f'0f0f'0f0f'0f0f)) << 4));
  value = static_cast<T>(((value >> 2) & static_cast<T>(0x3333'3333'3333'3333)) |
                         ((value & static_cast<T>(0x3333'3333'3333'3333)) << 2));
  return static_cast<T>(((value >> 1) & static_cast<T>(0x5555'5555'5555'5555)) |
                        ((value & static_cast<T>(0x5555'5555'5555'5555)) << 1));
}

/// Remainders of one octet for a reflected polynomial.
constexpr std::array<std::uint32_t, 256> crc_table(std::uint32_t polynomial) {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t r = i;
    for (int bit = 0; bit < 8; ++bit) r = (r >> 1) ^ ((r & 1) != 0 ? polynomial : 0);
    table[i] = r;
  }
  return table;
}
inline constexpr auto kCrc32Table = crc_table(0xedb88320), kCrc32cTable = crc_table(0x82f63b78);

/// Adds `octets` octets of `data` to a CRC, as CRC32 and CRC32C do: reflected, without complements.
template <bool kCastagnoli>
constexpr std::uint32_t crc32(std::uint32_t crc, std::uint64_t data, unsigned octets) {
  constexpr const auto& table = kCastagnoli ? kCrc32cTable : kCrc32Table;
  for (unsigned i = 0; i < octets; ++i, data >>= 8) crc = (crc >> 8) ^ table[(crc ^ data) & 0xff];
  return crc;
}

}  // namespace dpusim::cpu
