// Loading, merging and overriding; parsing is in config_parse.cpp.
#include "sim/config_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

#include "sim/config_scalar.h"
#include "sim/error.h"
#include "sim/nearest.h"

namespace dpusim {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

std::vector<std::string> keys_of(const Json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

std::string chain_text(const std::vector<fs::path>& chain) {
  std::string text;
  for (const fs::path& file : chain) text += fmt::format("{}{}", text.empty() ? "" : " extends ", file.string());
  return text;
}

// Loads `chain.back()`, which the files before it extend, one another.
Json load_chain(std::vector<fs::path>& chain) {
  const fs::path file = chain.back();
  const std::string via = chain.size() > 1 ? fmt::format(" ({})", chain_text(chain)) : "";
  std::error_code error;
  if (!fs::is_regular_file(file, error)) {
    throw ConfigError(file.string(), fmt::format("no such file{}", via), "a JSON file");
  }
  Json json = load_json(file);
  if (!json.is_object()) throw ConfigError(file.string(), found_text(json), "an object");
  const auto extends = json.find("extends");
  if (extends == json.end()) return json;
  if (!extends->is_string()) {
    throw ConfigError(file.string() + ": extends", found_text(*extends),
                      "the path of a JSON file, relative to this one");
  }
  chain.push_back((file.parent_path() / extends->get<std::string>()).lexically_normal());
  json.erase("extends");
  const auto same = [&](const fs::path& other) { return fs::equivalent(other, chain.back(), error); };
  if (std::any_of(chain.begin(), chain.end() - 1, same)) {
    throw ConfigError(file.string() + ": extends", fmt::format("a cycle: {}", chain_text(chain)),
                      "files that end in one without");
  }
  Json base = load_chain(chain);
  try {
    merge_config(base, json, "");
  } catch (const ConfigError& problem) {
    throw ConfigError(fmt::format("{}: {}", file.string(), problem.what()));
  }
  return base;
}

// A copy of `over` as it is where the base has nothing: every null in it deletes nothing.
void check_no_nulls(const Json& json, const std::string& path) {
  if (!json.is_object()) return;
  for (const auto& [key, value] : json.items()) {
    const std::string at = join_path(path, key);
    if (value.is_null()) throw ConfigError(at, "null, which deletes a key", "a key that the extended file has");
    check_no_nulls(value, at);
  }
}

std::string step_text(const std::string& path, const PathStep& step) {
  if (const auto* index = std::get_if<std::size_t>(&step)) return fmt::format("{}[{}]", path, *index);
  return join_path(path, std::get<std::string>(step));
}

constexpr const char* kOverrideForm = "path=value, such as blocks.p0.rate=25Gb/s or blocks.ddr.ranks[0].size=8GiB";

[[noreturn]] void fail_override(std::string_view text, const std::string& found) {
  throw ConfigError(fmt::format("--set {}", text), found, kOverrideForm);
}

// Reads the path of an override up to its '='; returns where the value starts.
std::size_t read_path(std::string_view text, std::vector<PathStep>& steps) {
  std::size_t at = 0;
  const auto more = [&] { return at < text.size(); };
  while (true) {
    std::string key;
    if (more() && text[at] == '"') {
      const std::size_t end = text.find('"', at + 1);
      if (end == std::string_view::npos) fail_override(text, "a quote without its pair");
      key = text.substr(at + 1, end - at - 1);
      at = end + 1;
    } else {
      while (more() && text[at] != '.' && text[at] != '[' && text[at] != '=') key += text[at++];
    }
    if (key.empty()) fail_override(text, "an empty key");
    steps.emplace_back(std::move(key));
    while (more() && text[at] == '[') {
      const std::size_t end = text.find(']', at);
      const std::string_view digits = end == std::string_view::npos ? "" : text.substr(at + 1, end - at - 1);
      const bool number = !digits.empty() && digits.size() <= 9 &&
                          std::ranges::all_of(digits, [](unsigned char c) { return std::isdigit(c) != 0; });
      if (!number) fail_override(text, "a bad index");
      steps.emplace_back(static_cast<std::size_t>(std::stoul(std::string(digits))));
      at = end + 1;
    }
    if (!more()) fail_override(text, "no '='");
    if (text[at] == '=') return at + 1;
    if (text[at] != '.') fail_override(text, fmt::format("'{}' after a key", text[at]));
    ++at;
  }
}

// Joins the key at steps[i] with the indices after it while an object has the key so written ("tx[0]"); returns how
// many steps it takes.
std::size_t literal_key(const Json& json, const std::vector<PathStep>& steps, std::size_t i, std::string& key) {
  std::string written = std::get<std::string>(steps[i]);
  key = written;
  std::size_t taken = 1;
  for (std::size_t j = i + 1; j < steps.size() && std::holds_alternative<std::size_t>(steps[j]); ++j) {
    written += fmt::format("[{}]", std::get<std::size_t>(steps[j]));
    if (json.contains(written)) {
      key = written;
      taken = j + 1 - i;
    }
  }
  return taken;
}

}  // namespace

Json load_json(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  if (!stream || !(text << stream.rdbuf())) {
    std::error_code error;
    const bool empty = fs::is_regular_file(file, error) && fs::file_size(file, error) == 0;
    throw ConfigError(file.string(), empty ? "an empty file" : "no readable file", "a JSON file");
  }
  return parse_json(text.str(), file.string());
}

Json load_config(const fs::path& file) {
  std::vector<fs::path> chain{file};
  return load_chain(chain);
}

void merge_config(Json& base, const Json& over, const std::string& path) {
  if (!base.is_object() || !over.is_object() || is_annotated(base) || is_annotated(over)) {
    check_no_nulls(over, path);
    base = over;
    return;
  }
  for (const auto& [key, value] : over.items()) {
    const std::string at = join_path(path, key);
    const auto old = base.find(key);
    if (value.is_null()) {
      if (old == base.end()) {
        throw ConfigError(at, "null, which deletes a key",
                          fmt::format("a key that the extended file has: {}", nearest_or_list(key, keys_of(base))));
      }
      base.erase(key);
    } else if (old == base.end()) {
      check_no_nulls(value, at);
      base[key] = value;
    } else {
      merge_config(*old, value, at);
    }
  }
}

Override parse_override(std::string_view text) {
  Override result{{}, nullptr, std::string(text)};
  const std::string value(text.substr(read_path(text, result.steps)));
  if (Json::accept(value)) {
    result.value = parse_json(value, fmt::format("--set {}", text));
  } else {
    result.value = value;
  }
  return result;
}

void apply_override(Json& json, const Override& override_) {
  const std::vector<PathStep>& steps = override_.steps;
  Json* parent = nullptr;  // the object that holds `target`, when one does
  Json* target = &json;
  std::string path, key;
  const auto place = [&] { return fmt::format("--set {}: {}", override_.text, place_text(path)); };
  for (std::size_t i = 0; i < steps.size();) {
    if (const auto* index = std::get_if<std::size_t>(&steps[i])) {
      Json& list = is_annotated(*target) ? (*target)["value"] : *target;
      if (!list.is_array()) throw ConfigError(place(), found_text(list), "a list");
      if (*index >= list.size()) {
        throw ConfigError(place(), fmt::format("index {}", *index),
                          list.empty()
                              ? "no index, as the list is empty"
                              : fmt::format("0 to {}, as the list has {} elements", list.size() - 1, list.size()));
      }
      path = step_text(path, steps[i]);
      parent = nullptr;
      target = &list[*index];
      ++i;
      continue;
    }
    // "rate.value" of an annotated rate means the rate.
    if (is_annotated(*target) && i + 1 == steps.size() && steps[i] == PathStep("value")) break;
    if (target->is_null()) *target = Json::object();
    if (!target->is_object()) throw ConfigError(place(), found_text(*target), "an object");
    i += literal_key(*target, steps, i, key);
    path = join_path(path, key);
    parent = target;
    const bool index_follows = i < steps.size() && std::holds_alternative<std::size_t>(steps[i]);
    if (!parent->contains(key) && index_follows) {
      throw ConfigError(place(), "no such key", nearest_or_list(key, keys_of(*parent)));
    }
    target = &(*parent)[key];
  }
  if (override_.value.is_null()) {
    if (parent == nullptr) throw ConfigError(place(), "null, which deletes a key", "a value for a list's element");
    if (target->is_null()) {
      parent->erase(key);
      throw ConfigError(place(), "null, which deletes a key",
                        "a key that exists: " + nearest_or_list(key, keys_of(*parent)));
    }
    parent->erase(key);
  } else if (is_annotated(*target) && !is_annotated(override_.value)) {
    *target = {{"value", override_.value}, {"source", "--set"}};
  } else {
    *target = override_.value;
  }
}

}  // namespace dpusim
