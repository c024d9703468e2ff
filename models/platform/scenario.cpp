#include "platform/scenario.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "sim/config.h"
#include "sim/config_json.h"
#include "sim/error.h"
#include "sim/nearest.h"
#include "sim/quantity_text.h"

namespace dpusim::platform {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

const std::vector<std::string> kKeys = {"name",     "description", "set",      "firmware",         "arguments",
                                        "files",    "receive",     "transmit", "cables",           "cable_delay",
                                        "programs", "start",       "warmup",   "window_of",        "until",
                                        "settle",   "grace",       "interval", "max_instructions", "seed",
                                        "fidelity"};
const std::vector<std::string> kReceiveKeys = {"capture", "speed", "loop", "generate"};

const Json& plain(const Json& value) {
  return value.is_object() && value.contains("value") ? value.at("value") : value;
}

void check_keys_of(const Json& json, const std::vector<std::string>& keys, const std::string& path) {
  if (!json.is_object()) throw ConfigError(path, json.dump(), "an object");
  for (const auto& item : json.items()) {
    if (std::find(keys.begin(), keys.end(), item.key()) == keys.end())
      throw ConfigError(path + "." + item.key(), "an unknown key", nearest_or_list(item.key(), keys));
  }
}

std::string text_of(const Json& json, const std::string& path) {
  const Json& value = plain(json);
  if (!value.is_string()) throw ConfigError(path, value.dump(), "a string");
  return value.get<std::string>();
}

std::vector<std::string> texts_of(const Json& json, const std::string& path) {
  const Json& value = plain(json);
  if (value.is_string()) return {value.get<std::string>()};
  if (!value.is_array()) throw ConfigError(path, value.dump(), "a string or a list of strings");
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < value.size(); ++i) texts.push_back(text_of(value[i], fmt::format("{}[{}]", path, i)));
  return texts;
}

template <class T, class Range = NoRange>
T value_of(const Json& json, const std::string& path, const Range& range = {}) {
  T value{};
  ConfigCodec<T>(range, "value").parse(value, json, path);
  return value;
}

/// Reads the keys of one scenario into the struct.
class Reader {
 public:
  Reader(const Json& json, fs::path beside) : json_(json), beside_(std::move(beside)) {}

  Scenario read() {
    using namespace literals;
    check_keys_of(json_, kKeys, "scenario");
    Scenario s;
    with("name", [&](const Json& v, const std::string& at) { s.name = text_of(v, at); });
    with("description", [&](const Json& v, const std::string& at) { s.text = text_of(v, at); });
    with("arguments", [&](const Json& v, const std::string& at) { s.arguments = text_of(v, at); });
    with("firmware", [&](const Json& v, const std::string& at) {
      for (const std::string& name : texts_of(v, at)) s.firmware.push_back(find_firmware(name, beside_));
    });
    with("files", [&](const Json& v, const std::string& at) {
      for (const std::string& name : texts_of(v, at)) s.files.push_back(beside(name));
    });
    with("set", [&](const Json& v, const std::string& at) { s.overrides = overrides(v, at); });
    with("receive", [&](const Json& v, const std::string& at) {
      each(v, at, [&](const std::string& port, const Json& t, const std::string& here) {
        s.receive.push_back(traffic(port, t, here));
      });
    });
    with("transmit", [&](const Json& v, const std::string& at) {
      each(v, at, [&](const std::string& port, const Json& t, const std::string& here) {
        s.transmit.emplace_back(port, text_of(t, here));
      });
    });
    with("programs", [&](const Json& v, const std::string& at) {
      each(v, at, [&](const std::string& block, const Json& t, const std::string& here) {
        if (!t.is_array()) throw ConfigError(here, t.dump(), "a list of programs");
        s.programs.emplace_back(block, t);
      });
    });
    with("cables", [&](const Json& v, const std::string& at) { s.cables = cables(v, at); });
    with("cable_delay",
         [&](const Json& v, const std::string& at) { s.cable_delay = value_of<Time>(v, at, between(0_ps, 1_ms)); });
    const auto time = [&](const char* key, std::optional<Time>& to, Time least) {
      with(key, [&](const Json& v, const std::string& at) {
        to = value_of<Time>(v, at, between(least, Time(INT64_MAX / 4)));
      });
    };
    time("start", s.start, 0_ps);
    with("window_of", [&](const Json& v, const std::string& at) { s.window_of = text_of(v, at); });
    time("warmup", s.warmup, 0_ps);
    time("until", s.until, 1_ps);
    time("settle", s.settle, 1_ps);
    time("grace", s.grace, 1_ps);
    time("interval", s.interval, 1_ps);
    with("max_instructions",
         [&](const Json& v, const std::string& at) { s.max_instructions = value_of<std::uint64_t>(v, at); });
    with("seed", [&](const Json& v, const std::string& at) { s.seed = value_of<std::uint64_t>(v, at); });
    with("fidelity", [&](const Json& v, const std::string& at) {
      s.fidelity = text_of(v, at);
      if (*s.fidelity != "functional" && *s.fidelity != "approximate")
        throw ConfigError(at, "\"" + *s.fidelity + "\"", "\"functional\" or \"approximate\"");
    });
    s.json = json_;
    return s;
  }

 private:
  template <class Use>
  void with(const std::string& key, const Use& use) const {
    if (json_.contains(key)) use(json_.at(key), "scenario." + key);
  }
  template <class Use>
  void each(const Json& json, const std::string& path, const Use& use) const {
    if (!json.is_object()) throw ConfigError(path, json.dump(), "an object");
    for (const auto& item : json.items()) use(item.key(), item.value(), path + "." + item.key());
  }
  [[nodiscard]] std::string beside(const std::string& name) const {
    std::error_code ignored;
    const std::size_t equals = name.find('=');
    const std::string file = name.substr(0, equals);
    const fs::path near = beside_ / file;
    if (beside_.empty() || fs::path(file).is_absolute() || !fs::exists(near, ignored)) return name;
    return near.string() + (equals == std::string::npos ? "" : name.substr(equals));
  }

  static std::vector<std::string> overrides(const Json& json, const std::string& path) {
    if (!json.is_object()) return texts_of(json, path);
    std::vector<std::string> texts;
    for (const auto& item : json.items()) {
      const Json& value = plain(item.value());
      texts.push_back(item.key() + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
    }
    return texts;
  }

  static std::vector<std::pair<std::string, std::string>> cables(const Json& json, const std::string& path) {
    if (!json.is_array()) throw ConfigError(path, json.dump(), "a list of pairs of ports, such as [[\"p0\", \"p1\"]]");
    std::vector<std::pair<std::string, std::string>> pairs;
    for (std::size_t i = 0; i < json.size(); ++i) {
      const std::string here = fmt::format("{}[{}]", path, i);
      const std::vector<std::string> ends = texts_of(json[i], here);
      if (ends.size() != 2 || ends[0] == ends[1]) throw ConfigError(here, json[i].dump(), "two different ports");
      pairs.emplace_back(ends[0], ends[1]);
    }
    return pairs;
  }

  [[nodiscard]] Traffic traffic(const std::string& port, const Json& json, const std::string& path) const {
    check_keys_of(json, kReceiveKeys, path);
    Traffic traffic;
    traffic.port = port;
    traffic.place = path;
    if (json.contains("capture") == json.contains("generate"))
      throw ConfigError(
          path, json.contains("capture") ? "both \"capture\" and \"generate\"" : "neither \"capture\" nor \"generate\"",
          "one of them");
    if (json.contains("generate")) {
      for (const char* key : {"speed", "loop"}) {
        if (json.contains(key))
          throw ConfigError(path + "." + key, "a key of captures", "\"load\" and \"frames\" of \"generate\"");
      }
      traffic.generate = net::GeneratorConfig::table().parse(json.at("generate"), path + ".generate");
      return traffic;
    }
    traffic.capture = beside(text_of(json.at("capture"), path + ".capture"));
    if (json.contains("loop")) traffic.loops = value_of<std::uint64_t>(json.at("loop"), path + ".loop");
    if (json.contains("speed")) {
      const Json& speed = plain(json.at("speed"));
      traffic.line_rate = speed == "line-rate";
      if (!traffic.line_rate) traffic.speed = value_of<double>(speed, path + ".speed", between(1e-9, 1e9));
    }
    return traffic;
  }

  const Json& json_;
  fs::path beside_;
};

}  // namespace

std::vector<fs::path> firmware_dirs() {
  std::vector<fs::path> dirs;
  if (const char* set = std::getenv("DPUSIM_FIRMWARE"); set != nullptr) dirs.emplace_back(set);
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (!error) dirs.push_back(self.parent_path().parent_path() / "firmware");
  dirs.emplace_back(DPUSIM_FIRMWARE_INSTALLED);
  return dirs;
}

std::string find_firmware(const std::string& name, const fs::path& beside) {
  std::error_code ignored;
  const std::size_t at = name.rfind("@0x");
  const std::string file = name.substr(0, at), address = at == std::string::npos ? "" : name.substr(at);
  if (!beside.empty() && fs::is_regular_file(beside / file, ignored)) return (beside / file).string() + address;
  if (fs::exists(file, ignored) || file.find('/') != std::string::npos) return name;
  for (const fs::path& dir : firmware_dirs()) {
    for (const std::string& candidate : {file, file + ".elf"}) {
      if (fs::is_regular_file(dir / candidate, ignored)) return (dir / candidate).lexically_normal().string() + address;
    }
  }
  return name;
}

Scenario read_scenario(const std::string& file, const std::vector<std::string>& overrides) {
  Json json = file.empty() ? Json::object() : load_config(file);
  for (const std::string& text : overrides) {
    Override parsed = parse_override(text);
    parsed.text = "scenario." + text;
    apply_override(json, parsed);
  }
  return Reader(json, file.empty() ? fs::path() : fs::absolute(file).parent_path()).read();
}

}  // namespace dpusim::platform
