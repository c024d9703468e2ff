// A scenario: what is done with a platform. Firmware, traffic, programs of hosts, limits; read from JSON, as a platform
// is.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "net/capture/frame_generator.h"
#include "sim/units.h"

namespace dpusim::platform {

/// What comes into a port from the wire: a capture, or generated frames.
struct Traffic {
  std::string port;
  std::string capture;  ///< file; empty: generated
  bool line_rate = false;
  double speed = 1.0;
  std::uint64_t loops = 1;
  net::GeneratorConfig generate{};
  std::string place;  ///< option or JSON path, for messages
};

/// A scenario as read. What is not given has no value, and a run's own default holds.
struct Scenario {
  std::string name, text;
  std::vector<std::string> firmware;  ///< FILE or FILE@ADDRESS, found
  std::string arguments;
  std::vector<std::string> files;  ///< PATH or PATH=NAME, found
  std::vector<Traffic> receive;
  std::vector<std::pair<std::string, std::string>> transmit;             ///< port, file to record to
  std::vector<std::pair<std::string, nlohmann::ordered_json>> programs;  ///< block, list of programs
  std::vector<std::pair<std::string, std::string>> cables;               ///< two ports whose wires are joined
  Time cable_delay{0};
  std::vector<std::string> overrides;  ///< platform parameters that the scenario sets, as --set
  std::optional<Time> start, warmup, until, settle, grace, interval;
  std::optional<std::uint64_t> max_instructions, seed;
  std::optional<std::string> fidelity, window_of;
  nlohmann::ordered_json json;  ///< the whole after "extends" and overrides
};

/// Reads a scenario. @param file empty: none, so that overrides make it. @param overrides texts such as
/// "receive.p0.generate.size=1518B", without "scenario.". Files it names are looked for beside it, then as given;
/// firmware by its bare name
/// ("l3fwd") also where firmware is built or installed (firmware_dirs). @error ConfigError with JSON path.
Scenario read_scenario(const std::string& file, const std::vector<std::string>& overrides);

/// Returns where images are looked for by name: $DPUSIM_FIRMWARE, ../firmware beside the executable, the installed
/// folder.
std::vector<std::filesystem::path> firmware_dirs();

/// Returns the file that an image's name means, an @ADDRESS kept; the text itself when nothing is found. @param beside
/// folder looked at first.
std::string find_firmware(const std::string& name, const std::filesystem::path& beside = {});

}  // namespace dpusim::platform
