// The three IEEE 754 interchange formats, named by the unsigned integer that holds their bits.
#pragma once

#include <concepts>
#include <cstdint>

namespace dpusim::cpu::fp {

/// Half, single and double precision as uint16_t, uint32_t and uint64_t.
template <class T>
concept Format = std::same_as<T, std::uint16_t> || std::same_as<T, std::uint32_t> || std::same_as<T, std::uint64_t>;

/// Widths and special values of a format.
template <Format T>
struct Traits {
  static constexpr int kBits = static_cast<int>(sizeof(T)) * 8;
  static constexpr int kExponentBits = kBits == 16 ? 5 : kBits == 32 ? 8 : 11;
  static constexpr int kFractionBits = kBits - 1 - kExponentBits;
  static constexpr int kMaxBiased = (1 << kExponentBits) - 1;
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  static constexpr int kMinExponent = 1 - kBias;  ///< exponent of the smallest normal number
  static constexpr T kSign = static_cast<T>(T{1} << (kBits - 1));
  static constexpr T kFractionMask = static_cast<T>((T{1} << kFractionBits) - 1);
  static constexpr T kQuietBit = static_cast<T>(T{1} << (kFractionBits - 1));
  static constexpr T kInfinity = static_cast<T>(static_cast<T>(kMaxBiased) << kFractionBits);
  static constexpr T kDefaultNan = static_cast<T>(kInfinity | kQuietBit);
  static constexpr T kMaxNormal = static_cast<T>(kInfinity - 1);
  static constexpr T kMinNormal = static_cast<T>(T{1} << kFractionBits);
  static constexpr T kTwo = static_cast<T>(static_cast<T>(kBias + 1) << kFractionBits);
  static constexpr T kOnePointFive = static_cast<T>((static_cast<T>(kBias) << kFractionBits) | kQuietBit);
};

template <Format T>
constexpr bool sign_of(T bits) {
  return (bits & Traits<T>::kSign) != 0;
}
template <Format T>
constexpr int biased_exponent(T bits) {
  return static_cast<int>(bits >> Traits<T>::kFractionBits) & Traits<T>::kMaxBiased;
}
template <Format T>
constexpr T fraction_of(T bits) {
  return static_cast<T>(bits & Traits<T>::kFractionMask);
}
/// Gives `magnitude` the sign `sign`.
template <Format T>
constexpr T with_sign(bool sign, T magnitude) {
  return sign ? static_cast<T>(magnitude | Traits<T>::kSign) : magnitude;
}
/// FPNeg, FPAbs: touch the sign bit only, NaNs included.
template <Format T>
constexpr T negate(T bits) {
  return static_cast<T>(bits ^ Traits<T>::kSign);
}
template <Format T>
constexpr T absolute(T bits) {
  return static_cast<T>(bits & ~Traits<T>::kSign);
}

}  // namespace dpusim::cpu::fp
