// Quantities and integers as text: "25Gb/s", "64KiB", "0x4000_0000", "12.5us". Exact: no rounding, no silent overflow.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sim/units.h"

namespace dpusim {

/// Holds every signed and every unsigned 64-bit value.
__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using): __extension__ needs a declaration

/// Returns `value` in decimal.
std::string to_text(Wide value);

/// A unit of a dimension: `factor` base units each.
struct Unit {
  std::string_view name;
  std::uint64_t factor;
  bool print = true;  ///< false: understood, but never printed
};

/// What text needs to know of one Quantity type.
struct Dimension {
  std::string_view noun;        ///< with article, for messages: "a bit rate"
  std::string_view name;        ///< for tables: "bit rate"
  std::span<const Unit> units;  ///< from small to large; the first is the base unit
  bool bare;                    ///< a number without unit counts base units; otherwise only 0 needs none
  bool hex;                     ///< printed in hexadecimal
  unsigned decimals;            ///< digits after the point that printing may use
  Wide min, max;                ///< what the type can hold
};

/// Returns the dimension of a Quantity type.
template <class Q>
const Dimension& dimension();
template <>
const Dimension& dimension<Time>();
template <>
const Dimension& dimension<Bytes>();
template <>
const Dimension& dimension<BitRate>();
template <>
const Dimension& dimension<Frequency>();
template <>
const Dimension& dimension<DataRate>();
template <>
const Dimension& dimension<Cycles>();
template <>
const Dimension& dimension<Address>();

/// Outcome of reading text: `problem` is empty, or says what is wrong ("unknown unit \"GB/s\"").
struct TextValue {
  Wide value = 0;
  std::string problem;
};

/// Reads a whole number: decimal or 0x hexadecimal, with underscores between digits, with sign.
TextValue read_integer(std::string_view text);
/// Reads a quantity: a decimal number (a fraction is fine when the result is whole base units) and a unit, or 0x
/// hexadecimal base units where the dimension takes bare numbers. White space may stand between number and unit.
TextValue read_quantity(const Dimension& dimension, std::string_view text);
/// Returns `value` base units in the largest unit that shows it exactly; read_quantity gives `value` back.
std::string quantity_text(const Dimension& dimension, Wide value);
/// Returns a regular expression (ECMA-262, anchored) that matches what read_quantity takes, apart from the size of
/// numbers.
std::string quantity_pattern(const Dimension& dimension);

/// Prints a quantity, such as "25Gb/s".
template <class Tag, class Rep>
std::string to_text(Quantity<Tag, Rep> quantity) {
  return quantity_text(dimension<Quantity<Tag, Rep>>(), static_cast<Wide>(quantity.count()));
}

/// Reads `text`, found at `place`, as a quantity that lies in min..max. @error ConfigError.
Wide parse_quantity(const Dimension& dimension, std::string_view text, const std::string& place);

/// Parses a quantity. @param place where the text stands (JSON path, option), for the message. @error ConfigError.
template <class Q>
Q parse_quantity(std::string_view text, const std::string& place) {
  const Wide value = parse_quantity(dimension<Q>(), text, place);
  return Q(static_cast<decltype(Q().count())>(value));
}

}  // namespace dpusim
