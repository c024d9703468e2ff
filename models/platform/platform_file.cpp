#include "platform/platform_file.h"

#include <algorithm>
#include <cstdlib>

#include "sim/config_json.h"
#include "sim/error.h"
#include "sim/config.h"
#include "sim/nearest.h"

namespace dpusim::platform {
namespace {

using Json = nlohmann::ordered_json;

// "run" is what effective.json adds; it is no part of the platform.
const std::vector<std::string> kRootKeys = {"name", "description", "plugins", "blocks", "run"};

const Json& plain(const Json& value) {
  return value.is_object() && value.contains("value") ? value.at("value") : value;
}

std::string text_of(const Json& json, const std::string& path) {
  const Json& value = plain(json);
  if (!value.is_string()) throw ConfigError(path, value.dump(), "a string");
  return value.get<std::string>();
}

Address address_of(const Json& json, const std::string& path) {
  Address address;
  ConfigCodec<Address>(NoRange{}, "at").parse(address, json, path);
  return address;
}

// Finds what "${block.key.key[2]}" names.
const Json& referenced(const Json& root, const std::string& reference, const std::string& path) {
  const Override parsed = parse_override(reference + "=0");
  const Json* at = &root.at("blocks");
  for (const PathStep& step : parsed.steps) {
    const Json& here = plain(*at);
    if (const auto* key = std::get_if<std::string>(&step); key != nullptr && here.is_object() && here.contains(*key)) {
      at = &here.at(*key);
    } else if (const auto* index = std::get_if<std::size_t>(&step);
               index != nullptr && here.is_array() && *index < here.size()) {
      at = &here.at(*index);
    } else {
      throw ConfigError(path, fmt::format("\"${{{}}}\"", reference), "the path of a value under \"blocks\" that the file sets");
    }
  }
  return plain(*at);
}

void resolve_references(Json& json, const Json& root, const std::string& path) {
  if (json.is_structured()) {
    for (auto item = json.begin(); item != json.end(); ++item) {
      const std::string step = json.is_object() ? "." + item.key() : fmt::format("[{}]", item - json.begin());
      resolve_references(*item, root, path + step);
    }
    return;
  }
  if (!json.is_string()) return;
  const std::string text = json.get<std::string>();
  if (!text.starts_with("${") || !text.ends_with("}")) return;
  const Json& value = referenced(root, text.substr(2, text.size() - 3), path);
  if (value.is_string() && value.get<std::string>().starts_with("${")) {
    throw ConfigError(path, "\"" + text + "\"", "a reference to a value, not to another reference");
  }
  json = Json(value);
}

// Collects the plugins of a file and of those that it extends, which come first, each relative to the file that names it. Unlike other
// lists they add up, since a file cannot do without the types of the blocks that it inherits. The chain was loaded once, so is sound.
Json collect_plugins(const std::filesystem::path& file) {
  const Json json = load_json(file);
  Json all = Json::array();
  if (json.contains("extends")) all = collect_plugins(file.parent_path() / json.at("extends").get<std::string>());
  if (!json.contains("plugins")) return all;
  const Json& own = json.at("plugins");
  if (own.is_null()) return Json::array();
  if (!own.is_array()) throw ConfigError("plugins", own.dump(), "a list of shared libraries, such as [\"./libmy_accel.so\"]");
  for (std::size_t i = 0; i < own.size(); ++i) {
    const std::filesystem::path library = file.parent_path() / text_of(own[i], fmt::format("plugins[{}]", i));
    const std::string text = std::filesystem::absolute(library).lexically_normal();
    if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(text);
  }
  return all;
}

BlockDescription read_block(const std::string& name, const Json& json, const std::string& path) {
  if (!json.is_object()) throw ConfigError(path, json.dump(), "an object with \"type\"");
  if (name.empty() || name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != std::string::npos)
    throw ConfigError(path, fmt::format("the name \"{}\"", name), "a name of letters, digits and _");
  BlockDescription block;
  block.name = name;
  block.path = path;
  block.parameters = Json::object();
  for (const auto& [key, value] : json.items()) {
    const std::string here = path + "." + key;
    if (key == "type") {
      block.type = text_of(value, here);
    } else if (key == "description") {
      block.text = text_of(value, here);
    } else if (key == "bus") {
      block.bus = text_of(value, here);
    } else if (key == "at") {
      const Json& at = plain(value);
      if (at.is_object()) {
        for (const auto& [port, address] : at.items()) block.at[port] = address_of(address, here + "." + port);
      } else {
        block.at[""] = address_of(value, here);
      }
    } else if (key == "connect") {
      if (!value.is_object()) throw ConfigError(here, value.dump(), "an object: own port to \"block.port\"");
      for (const auto& [port, peer] : value.items()) block.connect.emplace_back(port, text_of(peer, here + "." + port));
    } else {
      block.parameters[key] = value;
    }
  }
  if (block.type.empty()) throw ConfigError(path, "no \"type\"", "the block's type (see `dpusim schema`)");
  return block;
}

}  // namespace

std::filesystem::path platforms_dir() {
  if (const char* set = std::getenv("DPUSIM_PLATFORMS"); set != nullptr) return set;
  for (const char* dir : {DPUSIM_PLATFORMS_SOURCE, DPUSIM_PLATFORMS_INSTALLED}) {
    if (std::filesystem::is_directory(dir)) return dir;
  }
  return DPUSIM_PLATFORMS_INSTALLED;
}

std::filesystem::path find_platform(const std::string& name) {
  if (std::filesystem::is_regular_file(name)) return name;
  const std::filesystem::path shipped = platforms_dir() / (name + ".json");
  if (name.find('/') == std::string::npos && std::filesystem::is_regular_file(shipped)) return shipped;
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(platforms_dir(), ignored)) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  throw ConfigError("PLATFORM", fmt::format("\"{}\", which is no file", name),
                    fmt::format("a platform file, or {}", nearest_or_list(name, names)));
}

PlatformDescription read_platform(const std::string& file, const std::vector<std::string>& overrides) {
  PlatformDescription platform;
  Json& json = platform.json;
  const std::filesystem::path found = find_platform(file);
  json = load_config(found);
  if (json.contains("plugins")) json["plugins"] = collect_plugins(found);
  const std::string name = std::filesystem::path(file).filename();
  for (const auto& [key, value] : json.items()) {
    if (std::find(kRootKeys.begin(), kRootKeys.end(), key) == kRootKeys.end())
      throw ConfigError(key, fmt::format("unknown key \"{}\" in {}", key, name), nearest_or_list(key, kRootKeys));
  }
  json.erase("run");
  if (!json.contains("blocks") || !json.at("blocks").is_object() || json.at("blocks").empty())
    throw ConfigError("blocks", "none in " + name, "an object with at least one block");
  for (const std::string& text : overrides) {
    Override parsed = parse_override(text);
    const auto* first = std::get_if<std::string>(&parsed.steps.front());
    if (first != nullptr && std::find(kRootKeys.begin(), kRootKeys.end(), *first) == kRootKeys.end()) {
      std::vector<std::string> names;
      for (const auto& [block, ignored] : json.at("blocks").items()) names.push_back(block);
      if (std::find(names.begin(), names.end(), *first) == names.end())
        throw ConfigError("--set " + text, fmt::format("no block \"{}\"", *first), nearest_or_list(*first, names));
      parsed.steps.insert(parsed.steps.begin(), std::string("blocks"));
    }
    apply_override(json, parsed);
  }
  const Json unresolved = json;
  resolve_references(json.at("blocks"), unresolved, "blocks");
  platform.name = json.contains("name") ? text_of(json.at("name"), "name") : std::filesystem::path(file).stem().string();
  if (json.contains("description")) platform.text = text_of(json.at("description"), "description");
  if (json.contains("plugins") && !json.at("plugins").is_array()) throw ConfigError("plugins", json.at("plugins").dump(), "a list");
  for (std::size_t i = 0; json.contains("plugins") && i < json.at("plugins").size(); ++i)
    platform.plugins.emplace_back(text_of(json.at("plugins")[i], fmt::format("plugins[{}]", i)));
  for (const auto& [block, value] : json.at("blocks").items())
    platform.blocks.push_back(read_block(block, value, "blocks." + block));
  return platform;
}

}  // namespace dpusim::platform
