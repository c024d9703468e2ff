// A scalar of a configuration as data: its type, range and default, and what follows from them (reading, printing,
// schema). config_table.h makes these from C++ types; nothing here depends on a config struct.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/quantity_text.h"

namespace dpusim {

/// A scalar's value: bool, whole number (integers, quantities in base units, enums), real number or text.
using ScalarValue = std::variant<bool, Wide, double, std::string>;

/// Describes a scalar field.
struct ScalarSpec {
  enum class Kind { kBool, kInteger, kReal, kString, kQuantity, kEnum };
  Kind kind = Kind::kBool;
  const Dimension* dimension = nullptr;  ///< kQuantity
  Wide min = 0, max = 0;                 ///< kInteger, kQuantity: limits, inclusive
  double real_min = -std::numeric_limits<double>::infinity();
  double real_max = std::numeric_limits<double>::infinity();
  bool bounded_below = false, bounded_above = false;  ///< by the table, not only by the C++ type
  bool power_of_two = false;
  std::vector<std::pair<std::string, Wide>> names;  ///< kEnum
  std::vector<ScalarValue> allowed;                 ///< when not empty, the only values
  std::optional<ScalarValue> default_value;         ///< shown as the example
};

/// Returns the scalar that `json` holds. @param path its JSON path. @error ConfigError: type, unit, range.
ScalarValue read_scalar(const ScalarSpec& spec, const nlohmann::ordered_json& json, const std::string& path);
/// Returns `value` as JSON; read_scalar gives it back.
nlohmann::ordered_json write_scalar(const ScalarSpec& spec, const ScalarValue& value);
/// Tells whether `value` obeys the range.
bool in_range(const ScalarSpec& spec, const ScalarValue& value);
/// Returns the JSON Schema of the plain form, without annotation, default and description.
nlohmann::ordered_json scalar_schema(const ScalarSpec& spec);
/// Returns `text` with the range where the schema itself cannot tell it: a pattern does not compare quantities.
std::string scalar_description(const ScalarSpec& spec, const std::string& text);
/// Returns the type for people: "bit rate", "integer", "enum".
std::string scalar_type_text(const ScalarSpec& spec);
/// Returns the range for people: "1Gb/s to 800Gb/s"; empty when there is none.
std::string scalar_range_text(const ScalarSpec& spec);
/// Returns what a message says is expected: "a bit rate from 1Gb/s to 800Gb/s, such as \"100Gb/s\"".
std::string scalar_expected(const ScalarSpec& spec);

/// Returns what a message says was found: a short rendering of the JSON value with its type.
std::string found_text(const nlohmann::ordered_json& json);
/// Returns "path.key", or "key" below an empty path.
std::string join_path(const std::string& path, const std::string& key);
/// Returns the path for a message: the path itself, "configuration" for an empty one.
std::string place_text(const std::string& path);

/// Tells whether `json` has the annotated form {"value": V, "source": S, "confidence": C}: an object with a key
/// "value".
bool is_annotated(const nlohmann::ordered_json& json);
/// Returns the value inside an annotation, or `json` itself, and its path in `path`. @error ConfigError: a bad
/// annotation.
const nlohmann::ordered_json& strip_annotation(const nlohmann::ordered_json& json, std::string& path);
/// Returns `values` (as dumped) with the annotations that `given` (as written by the user) has at the same places.
nlohmann::ordered_json with_annotations(nlohmann::ordered_json values, const nlohmann::ordered_json& given);
/// Returns the schema of a field: `plain` or its annotated form, with description and default.
nlohmann::ordered_json annotatable_schema(nlohmann::ordered_json plain, const std::string& text,
                                          nlohmann::ordered_json default_value);

/// @error ConfigError unless `json` is an object; a key that is not in `keys`, naming the nearest.
void check_keys(const nlohmann::ordered_json& json, const std::vector<std::string>& keys, const std::string& path);
/// Returns the elements of an array. @error ConfigError: no array, or fewer than `min` or more than `max` elements.
void check_array(const nlohmann::ordered_json& json, std::size_t min, std::size_t max, const std::string& path);

/// One line of a Parameters table.
struct ParameterRow {
  std::string key, type, range, default_value, text;
};
/// Returns a Markdown table with the columns Parameter, Type, Range, Default, Meaning.
std::string parameters_markdown(const std::vector<ParameterRow>& rows);

}  // namespace dpusim
