#include "sim/quantity_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <numeric>

#include "sim/error.h"

namespace dpusim {
namespace {

constexpr std::uint64_t kKi = 1ULL << 10, kMi = 1ULL << 20, kGi = 1ULL << 30, kTi = 1ULL << 40;
constexpr std::uint64_t kKilo = 1'000, kMega = 1'000'000, kGiga = 1'000'000'000, kTera = 1'000'000'000'000;

constexpr std::array kTimeUnits{Unit{"ps", 1}, Unit{"ns", kKilo}, Unit{"us", kMega}, Unit{"ms", kGiga},
                                Unit{"s", kTera}};
constexpr std::array kByteUnits{Unit{"B", 1},      Unit{"kB", kKilo}, Unit{"KiB", kKi},
                                Unit{"MB", kMega}, Unit{"MiB", kMi},  Unit{"GB", kGiga},
                                Unit{"GiB", kGi},  Unit{"TB", kTera}, Unit{"TiB", kTi}};
constexpr std::array kBitRateUnits{Unit{"b/s", 1},
                                   Unit{"kb/s", kKilo},
                                   Unit{"Mb/s", kMega},
                                   Unit{"Gb/s", kGiga},
                                   Unit{"Tb/s", kTera},
                                   Unit{"bps", 1, false},
                                   Unit{"kbps", kKilo, false},
                                   Unit{"Mbps", kMega, false},
                                   Unit{"Gbps", kGiga, false},
                                   Unit{"Tbps", kTera, false}};
constexpr std::array kFrequencyUnits{Unit{"Hz", 1}, Unit{"kHz", kKilo}, Unit{"MHz", kMega}, Unit{"GHz", kGiga}};
// JEDEC speaks of MT/s however large the number.
constexpr std::array kDataRateUnits{Unit{"T/s", 1}, Unit{"kT/s", kKilo}, Unit{"MT/s", kMega},
                                    Unit{"GT/s", kGiga, false}};
constexpr std::array kCycleUnits{Unit{"cycles", 1}, Unit{"cycle", 1, false}};

constexpr Wide kU64Max = std::numeric_limits<std::uint64_t>::max();
constexpr Wide kI64Max = std::numeric_limits<std::int64_t>::max();
constexpr Wide kI64Min = std::numeric_limits<std::int64_t>::min();

// Largest magnitude that reading keeps: beyond every 64-bit type, with room for the sign.
constexpr Uint128 kReadMax = static_cast<Uint128>(1) << 126;

constexpr const char* kTooLarge = "which is too large";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
unsigned digit_value(char c) { return is_digit(c) ? unsigned(c - '0') : unsigned((c | 0x20) - 'a') + 10; }

// The number at the head of a text: mantissa / 10^decimals.
struct Number {
  bool negative = false, hex = false, ok = false, overflow = false;
  Uint128 mantissa = 0;
  unsigned decimals = 0;
  std::string_view rest;  // what follows the number
};

void append(Number& number, unsigned base, unsigned digit) {
  if (number.mantissa > (kReadMax - digit) / base) {
    number.overflow = true;
  } else {
    number.mantissa = number.mantissa * base + digit;
  }
}

// Reads digits with single underscores between them; returns how many, 0 when the text does not start with a digit.
template <class IsDigit, class Take>
std::size_t read_digits(std::string_view& text, IsDigit is, Take take) {
  std::size_t count = 0;
  while (!text.empty()) {
    const bool separator = text[0] == '_' && count > 0 && text.size() > 1 && is(text[1]);
    if (separator) text.remove_prefix(1);
    if (!is(text[0])) break;
    take(digit_value(text[0]));
    text.remove_prefix(1);
    ++count;
  }
  return count;
}

Number read_number(std::string_view text) {
  Number number;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    number.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text.starts_with("0x") || text.starts_with("0X")) {
    number.hex = true;
    text.remove_prefix(2);
    number.ok = read_digits(text, is_hex_digit, [&](unsigned digit) { append(number, 16, digit); }) > 0;
    number.rest = text;
    return number;
  }
  number.ok = read_digits(text, is_digit, [&](unsigned digit) { append(number, 10, digit); }) > 0;
  if (number.ok && text.starts_with('.')) {
    text.remove_prefix(1);
    // Zeros at the end of the fraction count only when another digit follows them.
    unsigned zeros = 0;
    number.ok = read_digits(text, is_digit, [&](unsigned digit) {
                  if (digit == 0) {
                    ++zeros;
                    return;
                  }
                  for (; zeros > 0; --zeros, ++number.decimals) append(number, 10, 0);
                  append(number, 10, digit);
                  ++number.decimals;
                }) > 0;
  }
  number.rest = text;
  return number;
}

Wide with_sign(const Number& number, Uint128 magnitude) {
  return number.negative ? -static_cast<Wide>(magnitude) : static_cast<Wide>(magnitude);
}

std::string unit_list(const Dimension& dimension) {
  std::string list;
  for (const Unit& unit : dimension.units) {
    if (unit.print) list += fmt::format("{}{}", list.empty() ? "" : ", ", unit.name);
  }
  return list;
}

// Splits a fraction off: value = whole * unit exactly shown with `decimals` digits.
std::string decimal_text(Uint128 value, std::uint64_t unit, unsigned decimals) {
  std::string text = to_text(static_cast<Wide>(value / unit));
  Uint128 rest = value % unit;
  if (rest != 0) text += '.';
  for (unsigned i = 0; i < decimals && rest != 0; ++i) {
    rest *= 10;
    text += static_cast<char>('0' + static_cast<int>(rest / unit));
    rest %= unit;
  }
  return text;
}

std::string hex_text(Uint128 value) {
  std::string digits = fmt::format("{:04x}", static_cast<std::uint64_t>(value));
  if (digits.size() > 4 && digits.size() % 4 != 0) digits.insert(0, 4 - digits.size() % 4, '0');
  std::string text = "0x";
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && i % 4 == 0) text += '_';
    text += digits[i];
  }
  return text;
}

}  // namespace

template <>
const Dimension& dimension<Time>() {
  static const Dimension kDimension{"a time", "time", kTimeUnits, false, false, 3, kI64Min, kI64Max};
  return kDimension;
}
template <>
const Dimension& dimension<Bytes>() {
  static const Dimension kDimension{"a size", "size", kByteUnits, true, false, 0, 0, kU64Max};
  return kDimension;
}
template <>
const Dimension& dimension<BitRate>() {
  static const Dimension kDimension{"a bit rate", "bit rate", kBitRateUnits, false, false, 3, 0, kU64Max};
  return kDimension;
}
template <>
const Dimension& dimension<Frequency>() {
  static const Dimension kDimension{"a frequency", "frequency", kFrequencyUnits, false, false, 3, 0, kU64Max};
  return kDimension;
}
template <>
const Dimension& dimension<DataRate>() {
  static const Dimension kDimension{"a data rate", "data rate", kDataRateUnits, false, false, 3, 0, kU64Max};
  return kDimension;
}
template <>
const Dimension& dimension<Cycles>() {
  static const Dimension kDimension{"a number of cycles", "cycles", kCycleUnits, true, false, 0, 0, kU64Max};
  return kDimension;
}
template <>
const Dimension& dimension<Address>() {
  static const Dimension kDimension{"an address", "address", kByteUnits, true, true, 0, 0, kU64Max};
  return kDimension;
}

std::string to_text(Wide value) {
  if (value == 0) return "0";
  Uint128 magnitude = value < 0 ? -static_cast<Uint128>(value) : static_cast<Uint128>(value);
  std::string text;
  for (; magnitude != 0; magnitude /= 10) text += static_cast<char>('0' + static_cast<int>(magnitude % 10));
  if (value < 0) text += '-';
  std::ranges::reverse(text);
  return text;
}

TextValue read_integer(std::string_view text) {
  const Number number = read_number(text);
  if (!number.ok || !number.rest.empty()) return {0, "which is no whole number"};
  if (number.decimals != 0) return {0, "which is no whole number"};
  if (number.overflow) return {0, kTooLarge};
  return {with_sign(number, number.mantissa), ""};
}

TextValue read_quantity(const Dimension& dimension, std::string_view text) {
  const Number number = read_number(text);
  if (!number.ok) return {0, "which does not start with a number"};
  std::string_view name = number.rest;
  while (!name.empty() && name[0] == ' ') name.remove_prefix(1);
  std::uint64_t factor = 1;
  if (name.empty()) {
    if (!number.rest.empty()) return {0, "which ends in white space"};
    if (!dimension.bare && (number.hex || number.mantissa != 0)) {
      return {0, fmt::format("which has no unit ({})", unit_list(dimension))};
    }
  } else if (number.hex) {
    return {0, "which has a unit after a hexadecimal number"};
  } else {
    const auto unit = std::ranges::find(dimension.units, name, &Unit::name);
    if (unit == dimension.units.end()) {
      return {0, fmt::format("with unknown unit \"{}\" (units: {})", name, unit_list(dimension))};
    }
    factor = unit->factor;
  }
  if (number.overflow) return {0, kTooLarge};
  // value = mantissa * factor / 10^decimals: cancel first, then the mantissa must take up the rest of the divisor.
  std::uint64_t up = factor;
  Uint128 value = number.mantissa;
  for (unsigned i = 0; i < number.decimals; ++i) {
    std::uint64_t down = 10;
    const std::uint64_t common = std::gcd(up, down);
    up /= common;
    down /= common;
    if (value % down != 0) {
      return {0, fmt::format("which is no whole number of {}", dimension.units.front().name)};
    }
    value /= down;
  }
  if (value != 0 && up > kReadMax / value) return {0, kTooLarge};
  return {with_sign(number, value * up), ""};
}

std::string quantity_text(const Dimension& dimension, Wide value) {
  const bool negative = value < 0;
  const Uint128 magnitude = negative ? -static_cast<Uint128>(value) : static_cast<Uint128>(value);
  const std::string sign = negative ? "-" : "";
  if (dimension.hex) return sign + hex_text(magnitude);
  Uint128 scale = 1;
  for (unsigned i = 0; i < dimension.decimals; ++i) scale *= 10;
  const Unit* best = &dimension.units.front();
  for (const Unit& unit : dimension.units) {
    if (unit.print && magnitude >= unit.factor && magnitude * scale % unit.factor == 0) best = &unit;
  }
  return sign + decimal_text(magnitude, best->factor, dimension.decimals) + std::string(best->name);
}

std::string quantity_pattern(const Dimension& dimension) {
  std::string units;
  for (const Unit& unit : dimension.units) units += fmt::format("{}{}", units.empty() ? "" : "|", unit.name);
  const std::string sign = dimension.min < 0 ? "[-+]?" : "\\+?";
  const std::string number = "[0-9]+(_[0-9]+)*(\\.[0-9]+(_[0-9]+)*)?";
  if (dimension.bare) {
    return fmt::format("^{}({}( *({}))?|0[xX][0-9a-fA-F]+(_[0-9a-fA-F]+)*)$", sign, number, units);
  }
  return fmt::format("^{}({} *({})|0+(\\.0+)?)$", sign, number, units);
}

Wide parse_quantity(const Dimension& dimension, std::string_view text, const std::string& place) {
  TextValue read = read_quantity(dimension, text);
  if (read.problem.empty() && read.value < dimension.min) read.problem = "which is negative";
  if (read.problem.empty() && read.value > dimension.max) read.problem = kTooLarge;
  if (!read.problem.empty()) {
    throw ConfigError(place, fmt::format("\"{}\", {}", text, read.problem),
                      fmt::format("{} in {}", dimension.noun, unit_list(dimension)));
  }
  return read.value;
}

}  // namespace dpusim
