#include "cpu/a64/fp/fp_estimate.h"

#include "cpu/a64/fp/fp_unpack.h"

namespace dpusim::cpu::fp {
namespace {

// 256 <= a < 512 stands for [0.5, 1); so does the result for [1, 2).
unsigned recip_table(unsigned a) {
  const unsigned b = (1u << 19) / (a * 2 + 1);
  return (b + 1) / 2;
}

// 128 <= a < 512 stands for [0.25, 1).
unsigned rsqrt_table(unsigned a) {
  a = a < 256 ? a * 2 + 1 : ((a >> 1 << 1) + 1) * 2;
  unsigned b = 512;
  while (std::uint64_t{a} * (b + 1) * (b + 1) < (1u << 28)) ++b;
  return (b + 1) / 2;
}

// The fraction left-aligned in 52 bits, as the pseudocode holds it for every format.
constexpr int kAligned = 52;
template <Format T>
std::uint64_t aligned_fraction(T bits) {
  return static_cast<std::uint64_t>(fraction_of(bits)) << (kAligned - Traits<T>::kFractionBits);
}
template <Format T>
T assemble(bool sign, int exponent, std::uint64_t fraction) {
  using F = Traits<T>;
  const auto magnitude = static_cast<T>((static_cast<std::uint64_t>(exponent) << F::kFractionBits) |
                                        (fraction >> (kAligned - F::kFractionBits)));
  return with_sign<T>(sign, magnitude);
}
constexpr std::uint64_t kAlignedMask = (std::uint64_t{1} << kAligned) - 1;

}  // namespace

template <Format T>
T recip_estimate(T bits, FpEnv& env) {
  using F = Traits<T>;
  const Unpacked u = unpack(bits, env);
  if (u.nan()) return process_nan(u.kind, bits, env);
  if (u.infinity()) return with_sign<T>(u.sign, 0);
  if (u.zero()) {
    env.raise(kFpsrDzc);
    return with_sign<T>(u.sign, F::kInfinity);
  }
  int exponent = biased_exponent(bits);
  std::uint64_t fraction = aligned_fraction(bits);
  // Below 2^(minimum exponent - 2) the reciprocal overflows.
  if (exponent == 0 && (fraction >> (kAligned - 2)) == 0) {
    env.raise(kFpsrOfc | kFpsrIxc);
    return with_sign<T>(u.sign, overflows_to_infinity(u.sign, env.rounding()) ? F::kInfinity : F::kMaxNormal);
  }
  const bool flush = (env.fpcr & (F::kBits == 16 ? kFpcrFz16 : kFpcrFz)) != 0;
  if (flush && exponent >= F::kMaxBiased - 2) {
    env.raise(kFpsrUfc);
    return with_sign<T>(u.sign, 0);
  }
  if (exponent == 0) {
    if ((fraction >> (kAligned - 1)) == 0) {
      exponent = -1;
      fraction = (fraction << 2) & kAlignedMask;
    } else {
      fraction = (fraction << 1) & kAlignedMask;
    }
  }
  const unsigned scaled = 0x100u | static_cast<unsigned>(fraction >> (kAligned - 8));
  int result_exponent = 2 * F::kBias - 1 - exponent;
  fraction = (static_cast<std::uint64_t>(recip_table(scaled)) & 0xff) << (kAligned - 8);
  if (result_exponent == 0) {
    fraction = (std::uint64_t{1} << (kAligned - 1)) | (fraction >> 1);
  } else if (result_exponent == -1) {
    fraction = (std::uint64_t{1} << (kAligned - 2)) | (fraction >> 2);
    result_exponent = 0;
  }
  return assemble<T>(u.sign, result_exponent, fraction);
}

template <Format T>
T rsqrt_estimate(T bits, FpEnv& env) {
  using F = Traits<T>;
  const Unpacked u = unpack(bits, env);
  if (u.nan()) return process_nan(u.kind, bits, env);
  if (u.zero()) {
    env.raise(kFpsrDzc);
    return with_sign<T>(u.sign, F::kInfinity);
  }
  if (u.sign) return invalid<T>(env);
  if (u.infinity()) return 0;
  int exponent = biased_exponent(bits);
  std::uint64_t fraction = aligned_fraction(bits);
  if (exponent == 0) {
    while ((fraction >> (kAligned - 1)) == 0) {
      fraction = (fraction << 1) & kAlignedMask;
      --exponent;
    }
    fraction = (fraction << 1) & kAlignedMask;
  }
  const unsigned scaled = (exponent & 1) == 0 ? 0x100u | static_cast<unsigned>(fraction >> (kAligned - 8))
                                              : 0x80u | static_cast<unsigned>(fraction >> (kAligned - 7));
  const int result_exponent = (3 * F::kBias - 1 - exponent) / 2;
  return assemble<T>(false, result_exponent,
                     (static_cast<std::uint64_t>(rsqrt_table(scaled)) & 0xff) << (kAligned - 8));
}

template <Format T>
T recip_exponent(T bits, FpEnv& env) {
  using F = Traits<T>;
  const Unpacked u = unpack(bits, env);
  if (u.nan()) return process_nan(u.kind, bits, env);
  const int exponent = biased_exponent(bits);
  const int result = exponent == 0 ? F::kMaxBiased - 1 : ~exponent & F::kMaxBiased;
  return with_sign<T>(sign_of(bits), static_cast<T>(static_cast<T>(result) << F::kFractionBits));
}

std::uint32_t unsigned_recip_estimate(std::uint32_t bits) {
  return (bits >> 31) == 0 ? 0xffffffffu : recip_table(bits >> 23) << 23;
}
std::uint32_t unsigned_rsqrt_estimate(std::uint32_t bits) {
  return (bits >> 30) == 0 ? 0xffffffffu : rsqrt_table(bits >> 23) << 23;
}

#define DPUSIM_INSTANTIATE(T)              \
  template T recip_estimate<T>(T, FpEnv&); \
  template T rsqrt_estimate<T>(T, FpEnv&); \
  template T recip_exponent<T>(T, FpEnv&);
DPUSIM_INSTANTIATE(std::uint16_t)
DPUSIM_INSTANTIATE(std::uint32_t)
DPUSIM_INSTANTIATE(std::uint64_t)
#undef DPUSIM_INSTANTIATE

}  // namespace dpusim::cpu::fp
