#include "sim/config_scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/error.h"
#include "sim/nearest.h"

namespace dpusim {
namespace {

using Json = nlohmann::ordered_json;
using Kind = ScalarSpec::Kind;

// A value, or why there is none.
struct Reading {
  ScalarValue value;
  std::string problem;
};

constexpr double kExactDoubles = 9007199254740992.0;  // 2^53: whole numbers above this are not all distinct as double

Reading whole_number(const Json& json) {
  if (json.is_number_unsigned()) return {static_cast<Wide>(json.get<std::uint64_t>()), ""};
  if (json.is_number_integer()) return {static_cast<Wide>(json.get<std::int64_t>()), ""};
  const double number = json.get<double>();
  if (std::isnan(number) || number != std::trunc(number)) return {false, "which is no whole number"};
  if (std::fabs(number) > kExactDoubles) return {false, "which is too large"};
  return {static_cast<Wide>(number), ""};
}

Reading read_whole(const ScalarSpec& spec, const Json& json) {
  if (json.is_string()) {
    const TextValue read = spec.kind == Kind::kInteger
                               ? read_integer(json.get_ref<const std::string&>())
                               : read_quantity(*spec.dimension, json.get_ref<const std::string&>());
    return {read.value, read.problem};
  }
  if (!json.is_number()) return {false, "which is of the wrong type"};
  Reading read = whole_number(json);
  if (spec.kind == Kind::kQuantity && !spec.dimension->bare && read.problem.empty() &&
      std::get<Wide>(read.value) != 0) {
    read.problem = "which has no unit";
  }
  return read;
}

std::vector<std::string> names_of(const ScalarSpec& spec) {
  std::vector<std::string> names;
  for (const auto& [name, value] : spec.names) names.push_back(name);
  return names;
}

Reading read_value(const ScalarSpec& spec, const Json& json) {
  switch (spec.kind) {
    case Kind::kBool:
      if (json.is_boolean()) return {json.get<bool>(), ""};
      break;
    case Kind::kInteger:
    case Kind::kQuantity:
      return read_whole(spec, json);
    case Kind::kReal:
      if (json.is_number()) {
        const double number = json.get<double>();
        return {number, std::isfinite(number) ? "" : "which is not finite"};
      }
      break;
    case Kind::kString:
      if (json.is_string()) return {json.get<std::string>(), ""};
      break;
    case Kind::kEnum:
      if (json.is_string()) {
        const auto found = std::ranges::find(spec.names, json.get<std::string>(), &std::pair<std::string, Wide>::first);
        if (found != spec.names.end()) return {found->second, ""};
        return {false, "which is no such name"};
      }
      break;
  }
  return {false, "which is of the wrong type"};
}

bool is_power_of_two(Wide value) { return value > 0 && (value & (value - 1)) == 0; }

// Why `value`, of the right kind, is not in range; empty when it is.
std::string range_problem(const ScalarSpec& spec, const ScalarValue& value) {
  if (!spec.allowed.empty() && std::ranges::find(spec.allowed, value) == spec.allowed.end())
    return "which is none of them";
  if (const Wide* whole = std::get_if<Wide>(&value); whole != nullptr && spec.kind != Kind::kEnum) {
    if (*whole < 0 && spec.min >= 0) return "which is negative";
    if (*whole < spec.min) return "which is too small";
    if (*whole > spec.max) return "which is too large";
    if (spec.power_of_two && !is_power_of_two(*whole)) return "which is no power of two";
  }
  if (const double* real = std::get_if<double>(&value)) {
    if (!std::isfinite(*real)) return "which is not finite";
    if (*real < spec.real_min) return "which is too small";
    if (*real > spec.real_max) return "which is too large";
  }
  if (spec.kind == Kind::kEnum) {
    const Wide enumerator = std::get<Wide>(value);
    if (std::ranges::find(spec.names, enumerator, &std::pair<std::string, Wide>::second) == spec.names.end()) {
      return "which has no name";
    }
  }
  return "";
}

std::string limit_text(const ScalarSpec& spec, bool upper) {
  if (spec.kind == Kind::kReal) return Json(upper ? spec.real_max : spec.real_min).dump();
  const Wide limit = upper ? spec.max : spec.min;
  return spec.kind == Kind::kQuantity ? quantity_text(*spec.dimension, limit) : to_text(limit);
}

std::string list_text(const ScalarSpec& spec) {
  std::string list;
  for (const ScalarValue& value : spec.allowed) {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", write_scalar(spec, value).dump());
  }
  return list;
}

std::string noun(const ScalarSpec& spec) {
  switch (spec.kind) {
    case Kind::kBool:
      return "true or false";
    case Kind::kInteger:
      return "an integer";
    case Kind::kReal:
      return "a number";
    case Kind::kString:
      return "a string";
    case Kind::kQuantity:
      return std::string(spec.dimension->noun);
    case Kind::kEnum:
      return "a name";
  }
  return "";
}

}  // namespace

std::string place_text(const std::string& path) { return path.empty() ? "configuration" : path; }

std::string join_path(const std::string& path, const std::string& key) { return path.empty() ? key : path + "." + key; }

std::string found_text(const Json& json) {
  constexpr std::size_t kLongest = 80;
  switch (json.type()) {
    case Json::value_t::array:
      return fmt::format("a list of {} elements", json.size());
    case Json::value_t::object:
      return "an object";
    case Json::value_t::number_float:
      if (std::isnan(json.get<double>())) return "NaN";
      if (std::isinf(json.get<double>())) return json.get<double>() > 0 ? "infinity" : "-infinity";
      return json.dump();
    default:
      break;
  }
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kLongest) {
    std::size_t end = kLongest;
    while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not inside a UTF-8 character
    text.resize(end);
    text += "...\"";
  }
  return text;
}

bool in_range(const ScalarSpec& spec, const ScalarValue& value) { return range_problem(spec, value).empty(); }

ScalarValue read_scalar(const ScalarSpec& spec, const Json& json, const std::string& path) {
  Reading read = read_value(spec, json);
  const bool typed = read.problem.empty();
  if (typed) read.problem = range_problem(spec, read.value);
  if (read.problem.empty()) return read.value;
  // A wrong type, and a name or value outside a list, need no words beyond what stands there.
  const bool obvious = read.problem == "which is of the wrong type" || read.problem == "which is no such name" ||
                       read.problem == "which is none of them";
  std::string expected = scalar_expected(spec);
  if (spec.kind == Kind::kEnum && json.is_string()) {
    if (const auto near = nearest(json.get<std::string>(), names_of(spec))) {
      expected = fmt::format("\"{}\" ({})", *near, expected);
    }
  }
  throw ConfigError(place_text(path), found_text(json) + (obvious ? "" : ", " + read.problem), expected);
}

Json write_scalar(const ScalarSpec& spec, const ScalarValue& value) {
  switch (spec.kind) {
    case Kind::kBool:
      return std::get<bool>(value);
    case Kind::kReal:
      return std::get<double>(value);
    case Kind::kString:
      return std::get<std::string>(value);
    case Kind::kQuantity:
      return quantity_text(*spec.dimension, std::get<Wide>(value));
    case Kind::kEnum: {
      const auto found = std::ranges::find(spec.names, std::get<Wide>(value), &std::pair<std::string, Wide>::second);
      DPUSIM_CHECK(found != spec.names.end(), "enumerator {} has no name", to_text(std::get<Wide>(value)));
      return found->first;
    }
    case Kind::kInteger:
      break;
  }
  const Wide whole = std::get<Wide>(value);
  if (whole < 0) return static_cast<std::int64_t>(whole);
  return static_cast<std::uint64_t>(whole);
}

std::string scalar_type_text(const ScalarSpec& spec) {
  switch (spec.kind) {
    case Kind::kBool:
      return "boolean";
    case Kind::kInteger:
      return "integer";
    case Kind::kReal:
      return "number";
    case Kind::kString:
      return "string";
    case Kind::kQuantity:
      return std::string(spec.dimension->name);
    case Kind::kEnum:
      return "name";
  }
  return "";
}

std::string scalar_range_text(const ScalarSpec& spec) {
  if (spec.kind == Kind::kEnum) {
    std::string list;
    for (const auto& [name, value] : spec.names) list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", name);
    return list;
  }
  std::string range;
  if (spec.bounded_below && spec.bounded_above) {
    range = fmt::format("{} to {}", limit_text(spec, false), limit_text(spec, true));
  } else if (spec.bounded_below) {
    range = "at least " + limit_text(spec, false);
  } else if (spec.bounded_above) {
    range = "at most " + limit_text(spec, true);
  }
  if (spec.power_of_two) range = "power of two, " + range;
  if (!spec.allowed.empty()) range = list_text(spec);
  return range;
}

std::string scalar_expected(const ScalarSpec& spec) {
  if (spec.kind == Kind::kBool) return noun(spec);
  if (spec.kind == Kind::kEnum) return "one of " + scalar_range_text(spec);
  if (!spec.allowed.empty()) return "one of " + list_text(spec);
  std::string text = noun(spec);
  if (spec.power_of_two) text = spec.kind == Kind::kQuantity ? text + " that is a power of two" : "a power of two";
  if (spec.kind == Kind::kInteger && !spec.bounded_below && !spec.bounded_above) {
    text += fmt::format(" from {} to {}", limit_text(spec, false), limit_text(spec, true));
  } else if (spec.bounded_below && spec.bounded_above) {
    text += fmt::format(" from {} to {}", limit_text(spec, false), limit_text(spec, true));
  } else if (spec.bounded_below) {
    text += " of at least " + limit_text(spec, false);
  } else if (spec.bounded_above) {
    text += " of at most " + limit_text(spec, true);
  }
  const bool example = spec.default_value && *spec.default_value != ScalarValue(std::string());
  if (example) text += ", such as " + write_scalar(spec, *spec.default_value).dump();
  return text;
}

void check_keys(const Json& json, const std::vector<std::string>& keys, const std::string& path) {
  if (!json.is_object()) throw ConfigError(place_text(path), found_text(json), "an object");
  for (const auto& [key, value] : json.items()) {
    if (std::ranges::find(keys, key) == keys.end()) {
      throw ConfigError(join_path(path, key), fmt::format("unknown key \"{}\"", key), nearest_or_list(key, keys));
    }
  }
}

void check_array(const Json& json, std::size_t min, std::size_t max, const std::string& path) {
  if (json.is_array() && json.size() >= min && json.size() <= max) return;
  std::string expected = "a list";
  if (min == max) {
    expected += fmt::format(" of {} elements", min);
  } else if (max != SIZE_MAX) {
    expected += fmt::format(" of {} to {} elements", min, max);
  } else if (min > 0) {
    expected += fmt::format(" of at least {} elements", min);
  }
  throw ConfigError(place_text(path), found_text(json), expected);
}

}  // namespace dpusim
