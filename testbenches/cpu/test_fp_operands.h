// Operands at which floating-point arithmetic goes wrong: boundaries, specials, and numbers near each other.
#pragma once

#include <array>
#include <cstdint>
#include <random>

#include "cpu/a64/fp/fp_env.h"
#include "cpu/a64/fp/fp_format.h"

namespace dpusim::cpu::test {

using Random = std::mt19937_64;

/// Returns an FPCR: every rounding mode, and FZ, DN, AHP and FZ16 each set in a quarter of the draws.
inline std::uint32_t random_fpcr(Random& random) {
  const std::uint64_t r = random();
  std::uint32_t fpcr = static_cast<std::uint32_t>(r & 3) << fp::kFpcrRModeShift;
  if ((r >> 8 & 3) == 0) fpcr |= fp::kFpcrFz;
  if ((r >> 16 & 3) == 0) fpcr |= fp::kFpcrDn;
  if ((r >> 24 & 3) == 0) fpcr |= fp::kFpcrAhp;
  if ((r >> 32 & 3) == 0) fpcr |= fp::kFpcrFz16;
  return fpcr;
}

/// Returns a number of the format: one draw in three a special or boundary value, one in three with a clustered
/// exponent and few fraction bits (ties, exact results, integers), the rest uniform bits.
template <fp::Format T>
T random_number(Random& random) {
  using F = fp::Traits<T>;
  const std::uint64_t r = random();
  const bool sign = (r & 1) != 0;
  switch ((r >> 1) % 4) {
    case 0: {
      constexpr T kOne = static_cast<T>(static_cast<T>(F::kBias) << F::kFractionBits);
      constexpr std::array<T, 16> kSpecial = {0,
                                              1,
                                              F::kFractionMask,
                                              F::kMinNormal,
                                              static_cast<T>(F::kMinNormal + 1),
                                              F::kMaxNormal,
                                              F::kInfinity,
                                              F::kDefaultNan,
                                              static_cast<T>(F::kInfinity + 1),
                                              static_cast<T>(F::kSign - 1),
                                              kOne,
                                              static_cast<T>(kOne - 1),
                                              static_cast<T>(kOne + 1),
                                              F::kTwo,
                                              F::kOnePointFive,
                                              static_cast<T>(F::kQuietBit >> 1)};
      return fp::with_sign<T>(sign, kSpecial[(r >> 16) % kSpecial.size()]);
    }
    case 1: {
      const auto exponent = static_cast<T>(F::kBias - 4 + static_cast<int>((r >> 16) % 80) % F::kMaxBiased);
      const T fraction = static_cast<T>((random() & 15) << (F::kFractionBits - static_cast<int>(4 + (r >> 32) % 5)));
      return fp::with_sign<T>(
          sign, static_cast<T>((exponent << F::kFractionBits | (fraction & F::kFractionMask)) & ~F::kSign));
    }
    case 2: {
      // Subnormal or within a few exponents of it.
      const auto exponent = static_cast<T>((r >> 16) % 4);
      return fp::with_sign<T>(sign, static_cast<T>(exponent << F::kFractionBits | (random() & F::kFractionMask)));
    }
    default:
      return static_cast<T>(random());
  }
}

/// Returns operand bits for 16-, 32- or 64-bit formats (upper bits random); 0 gives any 64 bits.
inline std::uint64_t random_operand(Random& random, int bits) {
  const std::uint64_t above = random();
  switch (bits) {
    case 16:
      return (above & ~std::uint64_t{0xffff}) | random_number<std::uint16_t>(random);
    case 32:
      return (above & ~std::uint64_t{0xffffffff}) | random_number<std::uint32_t>(random);
    case 64:
      return random_number<std::uint64_t>(random);
    default:
      return above;
  }
}

/// Returns an integer: small, near a power of two, or uniform.
inline std::uint64_t random_integer(Random& random) {
  const std::uint64_t r = random();
  switch (r & 3) {
    case 0:
      return r >> 60;
    case 1:
      return (std::uint64_t{1} << (r >> 8 & 63)) + (r >> 16 & 3) - 2;
    case 2:
      return r >> (r >> 2 & 63);
    default:
      return random();
  }
}

}  // namespace dpusim::cpu::test
