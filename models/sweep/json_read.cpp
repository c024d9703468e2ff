#include "sweep/json_read.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "sim/config_json.h"
#include "sim/config_scalar.h"
#include "sim/error.h"
#include "sim/nearest.h"

namespace dpusim::sweep {
namespace {

using Json = nlohmann::ordered_json;

std::string path_part(const std::string& text, const std::string& place) {
  const Override parsed = parse_override(text);  // throws when `text` is none
  std::size_t length = 0;
  bool quoted = false;
  while (length < text.size() && (quoted || text[length] != '=')) {
    if (text[length] == '"') quoted = !quoted;
    ++length;
  }
  DPUSIM_CHECK(length < text.size(), "{}: an override without '='", place);
  return text.substr(0, length);
}

}  // namespace

std::string read_text(const Json& json, std::string path, bool empty) {
  const Json& value = strip_annotation(json, path);
  if (!value.is_string()) throw ConfigError(path, found_text(value), "a string");
  if (!empty && value.get<std::string>().empty()) throw ConfigError(path, "an empty string", "a text");
  return value.get<std::string>();
}

std::vector<std::string> read_texts(const Json& json, std::string path) {
  const Json& value = strip_annotation(json, path);
  if (value.is_string()) return {read_text(value, path)};
  if (!value.is_array() || value.empty())
    throw ConfigError(path, found_text(value), "a string or a list of strings, not empty");
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < value.size(); ++i) texts.push_back(read_text(value[i], fmt::format("{}[{}]", path, i)));
  return texts;
}

double read_number(const Json& json, std::string path) {
  const Json& value = strip_annotation(json, path);
  if (!value.is_number() || !std::isfinite(value.get<double>()))
    throw ConfigError(path, found_text(value), "a number, such as 8e-9");
  return value.get<double>();
}

std::size_t read_name(const Json& json, std::string path, const std::vector<std::string>& names) {
  const std::string text = read_text(json, path);
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) throw ConfigError(path, fmt::format("\"{}\"", text), nearest_or_list(text, names));
  return static_cast<std::size_t>(found - names.begin());
}

void check_unique(const std::vector<std::string>& names, const std::string& path, const char* what) {
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second)
      throw ConfigError(path, fmt::format("\"{}\" twice", name), fmt::format("each name of {} once", what));
  }
}

std::string setting(const std::string& path, const Json& value, const std::string& place) {
  const bool text = value.is_string() && !Json::accept(value.get<std::string>());
  const std::string whole = path + "=" + (text ? value.get<std::string>() : value.dump());
  if (path_part(whole, place) != path)
    throw ConfigError(place, fmt::format("\"{}\"", path), "the path of a parameter, such as p0.rate");
  return whole;
}

std::vector<std::string> read_settings(const Json& json, std::string path) {
  if (json.is_object()) {
    std::vector<std::string> settings;
    for (const auto& [key, value] : json.items()) {
      std::string here = join_path(path, key);
      const Json& plain = is_annotated(value) ? strip_annotation(value, here) : value;
      settings.push_back(setting(key, plain, here));
    }
    return settings;
  }
  if (!json.is_array() && !json.is_string())
    throw ConfigError(path, found_text(json), R"(an object {"PATH": VALUE}, or a list of "PATH=VALUE")");
  std::vector<std::string> settings = read_texts(json, path);
  for (const std::string& text : settings) path_part(text, path);
  return settings;
}

std::string setting_path(const std::string& setting) { return path_part(setting, "setting"); }

double rounded(double value) { return std::strtod(fmt::format("{:.12g}", value).c_str(), nullptr); }

bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, after = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++after;
    } else {
      return false;
    }
  }
  return std::all_of(pattern.begin() + static_cast<std::ptrdiff_t>(p), pattern.end(), [](char c) { return c == '*'; });
}

}  // namespace dpusim::sweep
