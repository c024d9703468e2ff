// The floating-point environment: FPCR controls in, cumulative FPSR flags out.
#pragma once

#include <cstdint>

namespace dpusim::cpu::fp {

/// FPCR fields (Arm ARM D17.2.42).
inline constexpr std::uint32_t kFpcrAhp = 1u << 26;
inline constexpr std::uint32_t kFpcrDn = 1u << 25;
inline constexpr std::uint32_t kFpcrFz = 1u << 24;
inline constexpr std::uint32_t kFpcrRModeShift = 22;
inline constexpr std::uint32_t kFpcrRModeMask = 3u << kFpcrRModeShift;
inline constexpr std::uint32_t kFpcrFz16 = 1u << 19;

/// FPSR cumulative flags (Arm ARM D17.2.44).
inline constexpr std::uint32_t kFpsrQc = 1u << 27;
inline constexpr std::uint32_t kFpsrIdc = 1u << 7;
inline constexpr std::uint32_t kFpsrIxc = 1u << 4;
inline constexpr std::uint32_t kFpsrUfc = 1u << 3;
inline constexpr std::uint32_t kFpsrOfc = 1u << 2;
inline constexpr std::uint32_t kFpsrDzc = 1u << 1;
inline constexpr std::uint32_t kFpsrIoc = 1u << 0;

/// Rounding modes; the first four have the encoding of FPCR.RMode.
enum class Rounding : std::uint8_t {
  kTieEven = 0,
  kPlusInfinity = 1,
  kMinusInfinity = 2,
  kZero = 3,
  kTieAway = 4,
  kOdd = 5
};

/// Carries the controls and collects the cumulative flags of one operation.
// Deviates: trap enables (FPCR.IOE..IDE) are not looked at; the modelled cores implement them as RAZ/WI.
struct FpEnv {
  std::uint32_t fpcr = 0;
  std::uint32_t fpsr = 0;

  [[nodiscard]] Rounding rounding() const { return static_cast<Rounding>((fpcr & kFpcrRModeMask) >> kFpcrRModeShift); }
  [[nodiscard]] bool default_nan() const { return (fpcr & kFpcrDn) != 0; }
  void raise(std::uint32_t flag) { fpsr |= flag; }
};

}  // namespace dpusim::cpu::fp
