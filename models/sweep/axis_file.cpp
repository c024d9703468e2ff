// Axes of a sweep file: lists, ranges, labels, and the place of each value on a chart.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "sim/config_scalar.h"
#include "sim/error.h"
#include "sim/nearest.h"
#include "sim/quantity_text.h"
#include "sweep/json_read.h"
#include "sweep/sweep_file.h"

namespace dpusim::sweep {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> kAxisKeys = {"name", "path", "values", "range", "format", "labels", "unit"};
const std::vector<std::string> kRangeKeys = {"from", "to", "step", "factor"};
const std::vector<std::string> kValueKeys = {"label", "value", "set"};

// Numbers from..to: whole as long as all that makes them is whole.
std::vector<Json> expand_range(const Json& json, const std::string& path) {
  check_keys(json, kRangeKeys, path);
  for (const char* key : {"from", "to"}) {
    if (!json.contains(key))
      throw ConfigError(path, fmt::format("no \"{}\"", key), "\"from\", \"to\", and \"step\" or \"factor\"");
  }
  if (json.contains("step") == json.contains("factor"))
    throw ConfigError(path, json.contains("step") ? "both \"step\" and \"factor\"" : "neither \"step\" nor \"factor\"",
                      "one of them");
  const double from = read_number(json["from"], join_path(path, "from"));
  const double to = read_number(json["to"], join_path(path, "to"));
  const char* kind = json.contains("step") ? "step" : "factor";
  const bool factor = kind == std::string("factor");
  const std::string place = join_path(path, kind);
  const double by = read_number(json[kind], place);
  if (factor && (!(by > 0) || by == 1 || from == 0))
    throw ConfigError(from == 0 ? join_path(path, "from") : place, fmt::format("{}", from == 0 ? from : by),
                      from == 0 ? "a number other than 0, since it is multiplied" : "a number above 0 other than 1");
  if (!factor && by == 0) throw ConfigError(place, "0", "a number other than 0");
  const bool up = factor ? (by > 1) == (from > 0) : by > 0;
  if (from != to && (to > from) != up)
    throw ConfigError(place, fmt::format("{}, which leads away from {}", by, to),
                      fmt::format("a {} that leads from {} to {}", kind, from, to));
  std::vector<Json> values;
  const double slack = 1e-9 * std::max(std::fabs(to), std::fabs(from));
  for (std::uint64_t i = 0;; ++i) {
    const double exact = factor ? from * std::pow(by, static_cast<double>(i)) : from + static_cast<double>(i) * by;
    if (up ? exact > to + slack : exact < to - slack) return values;
    if (values.size() >= kMaxPoints) throw ConfigError(path, "too many values", fmt::format("at most {}", kMaxPoints));
    const double value = rounded(exact);
    const bool whole = value == std::floor(value) && std::fabs(value) < 1e12;
    values.push_back(whole ? Json(static_cast<std::int64_t>(value)) : Json(value));
    if (from == to) return values;
  }
}

std::string plain_label(const Json& value) {
  if (value.is_number_float()) return fmt::format("{:.15g}", value.get<double>());  // 1e9 is 1000000000
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// Puts a number into a text such as "{}MT/s".
Json formatted(const Json& number, const std::string& format, const std::string& path) {
  if (!number.is_number()) throw ConfigError(path, found_text(number), "a number, as the axis has a \"format\"");
  const std::size_t at = format.find("{}");
  return format.substr(0, at) + number.dump() + format.substr(at + 2);
}

void check_format(const std::string& format, const std::string& path) {
  const std::size_t at = format.find("{}");
  if (at == std::string::npos || format.find("{}", at + 1) != std::string::npos)
    throw ConfigError(path, fmt::format("\"{}\"", format), "a text with one \"{}\" for the number, such as \"{}MT/s\"");
}

/// Dimensions whose texts are placed on a numeric axis.
const std::vector<const Dimension*>& dimensions() {
  static const std::vector<const Dimension*> all = {&dimension<Time>(), &dimension<Bytes>(), &dimension<BitRate>(),
                                                    &dimension<Frequency>(), &dimension<DataRate>()};
  return all;
}

/// Returns base units of each value, or nothing when one is no such quantity.
std::vector<double> as_quantities(const std::vector<Json>& values, const Dimension& dimension) {
  std::vector<double> numbers;
  for (const Json& value : values) {
    const TextValue read = read_quantity(dimension, value.is_string() ? value.get<std::string>() : value.dump());
    if (!read.problem.empty()) return {};
    numbers.push_back(static_cast<double>(read.value));
  }
  return numbers;
}

bool is_number_text(const Json& value) {
  return value.is_number() || (value.is_string() && Json::accept(value.get<std::string>()) &&
                               Json::parse(value.get<std::string>()).is_number());
}

const Unit& largest_fitting(const Dimension& dimension, const std::vector<double>& numbers) {
  double least = INFINITY;
  for (const double number : numbers) {
    if (number > 0) least = std::min(least, number);
  }
  const Unit* best = &dimension.units.front();
  for (const Unit& unit : dimension.units) {
    if (unit.print && static_cast<double>(unit.factor) <= least) best = &unit;
  }
  return *best;
}

// Gives the values their places: plain numbers as they are, quantities in the axis's unit.
void place_values(Axis& axis, const std::vector<Json>& values, const std::string& unit_path) {
  if (values.size() != axis.values.size()) return;
  std::vector<double> numbers;
  if (std::all_of(values.begin(), values.end(), is_number_text)) {
    for (const Json& value : values)
      numbers.push_back(value.is_string() ? Json::parse(value.get<std::string>()).get<double>() : value.get<double>());
  }
  for (const Dimension* dimension : dimensions()) {
    if (!numbers.empty()) break;
    numbers = as_quantities(values, *dimension);
    if (numbers.empty()) continue;
    const Unit* unit = &largest_fitting(*dimension, numbers);
    if (!axis.unit.empty()) {
      const std::string written = dimension == &dpusim::dimension<Bytes>() && axis.unit == "octets" ? "B" : axis.unit;
      const auto found = std::find_if(dimension->units.begin(), dimension->units.end(),
                                      [&](const Unit& u) { return u.name == written; });
      std::vector<std::string> names;
      for (const Unit& known : dimension->units) names.emplace_back(known.name);
      if (found == dimension->units.end())
        throw ConfigError(unit_path, fmt::format("\"{}\" for values that are {}", axis.unit, dimension->noun),
                          nearest_or_list(axis.unit, names));
      unit = &*found;
    } else {
      axis.unit = unit->name;
    }
    for (double& number : numbers) number = rounded(number / static_cast<double>(unit->factor));
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) axis.values[i].number = numbers[i];
}

// A number in the midst of a text, such as a guest's command line: the number is the value's place and its label.
void place_formatted(Axis& axis, const std::vector<Json>& numbers, const std::vector<Json>& texts) {
  if (numbers.size() != axis.values.size()) return;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    AxisValue& value = axis.values[i];
    value.number = numbers[i].get<double>();
    if (value.label == plain_label(texts[i])) value.label = plain_label(numbers[i]);
  }
}

void add_labels(Axis& axis, const Json& json, const std::string& path) {
  const std::vector<std::string> labels = read_texts(json, path);
  if (labels.size() != axis.values.size())
    throw ConfigError(path, fmt::format("{} labels", labels.size()),
                      fmt::format("{}, one a value", axis.values.size()));
  for (std::size_t i = 0; i < labels.size(); ++i) axis.values[i].label = labels[i];
}

Axis parse_axis(const Json& json, const std::string& path) {
  check_keys(json, kAxisKeys, path);
  Axis axis;
  if (!json.contains("name")) throw ConfigError(path, "no \"name\"", "the axis's name, such as \"Port speed\"");
  axis.name = read_text(json["name"], join_path(path, "name"));
  std::vector<std::string> paths;
  if (json.contains("path")) paths = read_texts(json["path"], join_path(path, "path"));
  if (json.contains("unit")) axis.unit = read_text(json["unit"], join_path(path, "unit"));
  if (json.contains("values") == json.contains("range"))
    throw ConfigError(path,
                      json.contains("values") ? "both \"values\" and \"range\"" : "neither \"values\" nor \"range\"",
                      "one of them");
  const bool range = json.contains("range");
  const std::string list_path = join_path(path, range ? "range" : "values");
  std::vector<Json> given;
  if (range) {
    given = expand_range(json["range"], list_path);
  } else {
    if (!json["values"].is_array() || json["values"].empty())
      throw ConfigError(list_path, found_text(json["values"]), "a list of at least one value");
    given.assign(json["values"].begin(), json["values"].end());
  }
  const std::string format = json.contains("format") ? read_text(json["format"], join_path(path, "format")) : "";
  if (!format.empty()) check_format(format, join_path(path, "format"));

  std::vector<Json> plain_values, numbers;  // as set, and what a format was made text of
  for (std::size_t i = 0; i < given.size(); ++i) {
    std::string here = range ? list_path : fmt::format("{}[{}]", list_path, i);
    AxisValue value;
    const bool detailed = given[i].is_object() && !is_annotated(given[i]);
    if (detailed) check_keys(given[i], kValueKeys, here);
    const bool has_value = !detailed || given[i].contains("value");
    if (has_value) {
      Json plain = detailed ? given[i]["value"] : strip_annotation(given[i], here);
      if (paths.empty()) throw ConfigError(path, "no \"path\"", "what the values are for, such as \"p0.rate\"");
      if (!format.empty()) {
        numbers.push_back(plain);
        plain = formatted(plain, format, here);
      }
      for (const std::string& to : paths) value.settings.push_back(setting(to, plain, join_path(path, "path")));
      value.label = plain_label(plain);
      plain_values.push_back(plain);
    }
    if (detailed) {
      if (given[i].contains("set")) {
        for (std::string& text : read_settings(given[i]["set"], join_path(here, "set")))
          value.settings.push_back(std::move(text));
      } else if (!has_value) {
        throw ConfigError(here, "an object without \"value\" and \"set\"",
                          R"({"label": "...", "set": {"PATH": VALUE}})");
      }
      if (given[i].contains("label"))
        value.label = read_text(given[i]["label"], join_path(here, "label"));
      else if (!has_value && !json.contains("labels"))
        throw ConfigError(here, "no \"label\"", "a name for this set of parameters");
    }
    axis.values.push_back(std::move(value));
  }
  place_values(axis, plain_values, join_path(path, "unit"));
  if (!numbers.empty() && !axis.values.front().number) place_formatted(axis, numbers, plain_values);
  if (json.contains("labels")) add_labels(axis, json["labels"], join_path(path, "labels"));
  std::vector<std::string> labels;
  for (const AxisValue& value : axis.values) labels.push_back(value.label);
  check_unique(labels, list_path, "a value");
  return axis;
}

}  // namespace

std::vector<Axis> parse_axes(const Json& json, const std::string& path) {
  if (!json.is_array() || json.empty()) throw ConfigError(path, found_text(json), "a list of at least one axis");
  std::vector<Axis> axes;
  std::vector<std::string> names;
  std::map<std::string, std::string> owners;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string here = fmt::format("{}[{}]", path, i);
    axes.push_back(parse_axis(json[i], here));
    names.push_back(axes.back().name);
    for (const AxisValue& value : axes.back().values) {
      for (const std::string& text : value.settings) {
        const auto [owner, fresh] = owners.emplace(setting_path(text), axes.back().name);
        if (!fresh && owner->second != axes.back().name)
          throw ConfigError(here, fmt::format("\"{}\", which axis \"{}\" sets as well", owner->first, owner->second),
                            "each parameter on one axis");
      }
    }
  }
  check_unique(names, path, "an axis");
  std::uint64_t points = 1;
  for (const Axis& axis : axes) {
    points *= axis.values.size();  // both factors are at most kMaxPoints
    if (points > kMaxPoints)
      throw ConfigError(path, "more points than a sweep may have (the product of the axes' values)",
                        fmt::format("at most {}", kMaxPoints));
  }
  return axes;
}

}  // namespace dpusim::sweep
