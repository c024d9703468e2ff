// Quantities with their unit in the type. No SystemC here; sim/systemc_time.h converts.
#pragma once

#include <compare>
#include <cstdint>

namespace dpusim {

/// 128-bit product of two 64-bit numbers; no standard type has it.
__extension__ typedef unsigned __int128 Uint128;  // NOLINT(modernize-use-using): __extension__ needs a declaration

/// Holds a number of one unit. Tag keeps quantities of different units apart; Rep is the integer that counts.
template <class Tag, class Rep>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(Rep count) : count_(count) {}
  [[nodiscard]] constexpr Rep count() const { return count_; }
  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity other) {
    count_ += other.count_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    count_ -= other.count_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.count_ + b.count_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.count_ - b.count_); }
  friend constexpr Quantity operator*(Quantity a, Rep n) { return Quantity(a.count_ * n); }
  friend constexpr Quantity operator*(Rep n, Quantity a) { return Quantity(a.count_ * n); }
  friend constexpr Quantity operator/(Quantity a, Rep n) { return Quantity(a.count_ / n); }
  friend constexpr Rep operator/(Quantity a, Quantity b) { return a.count_ / b.count_; }
  friend constexpr Quantity operator%(Quantity a, Quantity b) { return Quantity(a.count_ % b.count_); }

 private:
  Rep count_ = 0;
};

/// Simulated time or duration in picoseconds; 64 bits reach 106 days.
using Time = Quantity<struct TimeTag, std::int64_t>;
/// Octets of storage or data.
using Bytes = Quantity<struct BytesTag, std::uint64_t>;
/// Bits per second on a wire or bus.
using BitRate = Quantity<struct BitRateTag, std::uint64_t>;
/// Clock frequency in hertz.
using Frequency = Quantity<struct FrequencyTag, std::uint64_t>;
/// Transfers per second of a memory bus (JEDEC "MT/s" times 10^6).
using DataRate = Quantity<struct DataRateTag, std::uint64_t>;
/// Whole cycles of some clock.
using Cycles = Quantity<struct CyclesTag, std::uint64_t>;
/// Physical (bus) address.
using Address = Quantity<struct AddressTag, std::uint64_t>;

inline constexpr Time kTimeMax{INT64_MAX};

namespace literals {
constexpr Time operator""_ps(unsigned long long n) { return Time(static_cast<std::int64_t>(n)); }
constexpr Time operator""_ns(unsigned long long n) { return Time(static_cast<std::int64_t>(n) * 1'000); }
constexpr Time operator""_us(unsigned long long n) { return Time(static_cast<std::int64_t>(n) * 1'000'000); }
constexpr Time operator""_ms(unsigned long long n) { return Time(static_cast<std::int64_t>(n) * 1'000'000'000); }
constexpr Time operator""_s(unsigned long long n) { return Time(static_cast<std::int64_t>(n) * 1'000'000'000'000); }
constexpr Bytes operator""_B(unsigned long long n) { return Bytes(n); }
constexpr Bytes operator""_KiB(unsigned long long n) { return Bytes(n << 10); }
constexpr Bytes operator""_MiB(unsigned long long n) { return Bytes(n << 20); }
constexpr Bytes operator""_GiB(unsigned long long n) { return Bytes(n << 30); }
constexpr BitRate operator""_Mbps(unsigned long long n) { return BitRate(n * 1'000'000); }
constexpr BitRate operator""_Gbps(unsigned long long n) { return BitRate(n * 1'000'000'000); }
constexpr Frequency operator""_Hz(unsigned long long n) { return Frequency(n); }
constexpr Frequency operator""_MHz(unsigned long long n) { return Frequency(n * 1'000'000); }
constexpr Frequency operator""_GHz(unsigned long long n) { return Frequency(n * 1'000'000'000); }
constexpr DataRate operator""_MTps(unsigned long long n) { return DataRate(n * 1'000'000); }
}  // namespace literals

inline constexpr std::int64_t kPicosecondsPerSecond = 1'000'000'000'000;

/// Divides without overflow: a * b / c in 128 bits, rounded to nearest. @param c not 0.
constexpr std::int64_t mul_div(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return static_cast<std::int64_t>((static_cast<Uint128>(a) * b + c / 2) / c);
}

/// Returns the time that `octets` occupy a serial medium of `rate`, to the nearest picosecond.
constexpr Time transfer_time(Bytes octets, BitRate rate) {
  return Time(mul_div(octets.count() * 8, kPicosecondsPerSecond, rate.count()));
}

/// A clock domain. Counts cycles as integers and converts from the exact rational, so no error accumulates.
class Clock {
 public:
  constexpr explicit Clock(Frequency frequency) : frequency_(frequency) {}
  [[nodiscard]] constexpr Frequency frequency() const { return frequency_; }
  /// Returns when cycle number `cycles` begins, to the nearest picosecond.
  [[nodiscard]] constexpr Time time(Cycles cycles) const {
    return Time(mul_div(cycles.count(), kPicosecondsPerSecond, frequency_.count()));
  }
  /// Returns the number of whole cycles that have begun and ended in `time`. @param time not negative.
  [[nodiscard]] constexpr Cycles cycles(Time time) const {
    return Cycles(
        static_cast<std::uint64_t>(static_cast<Uint128>(time.count()) * frequency_.count() / kPicosecondsPerSecond));
  }

 private:
  Frequency frequency_;
};

}  // namespace dpusim
