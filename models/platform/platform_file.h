// A platform file: which blocks a card has, where they are mapped, how they are connected, and their parameters.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/units.h"

namespace dpusim::platform {

/// One block of a platform file. Parameters are still JSON; the type's table judges them.
struct BlockDescription {
  std::string name, type, text;
  std::string bus;                             ///< the block that its memory ports attach to; may be empty
  std::map<std::string, Address> at;           ///< base address by target port; "" for the only one
  std::vector<std::pair<std::string, std::string>> connect;  ///< own port -> "block.port" or "block.port[n]"
  nlohmann::ordered_json parameters;           ///< all keys but type, bus, at, connect, description
  std::string path;                            ///< JSON path, "blocks.uart0"
};

/// A platform as read: file, then overrides, then references.
struct PlatformDescription {
  std::string name, text;
  std::vector<std::filesystem::path> plugins;  ///< absolute, those of extended files first
  std::vector<BlockDescription> blocks;        ///< in the file's order
  nlohmann::ordered_json json;           ///< the whole after "extends", overrides and references
};

/// Keys of a block that are not parameters.
inline constexpr const char* kReservedBlockKeys[] = {"type", "bus", "at", "connect", "description"};

/// Reads a platform. @param file a path, or the name of a platform that ships with dpusim ("bluefield2").
/// @param overrides texts such as "p0.rate=25Gb/s"; the first step names a block unless it is a key of the file's root.
/// A value "${block.key}" takes the value that stands at that place (after overrides).
/// @error ConfigError, with JSON path.
PlatformDescription read_platform(const std::string& file, const std::vector<std::string>& overrides);

/// Returns the file that `name` means. @error ConfigError that lists the shipped platforms.
std::filesystem::path find_platform(const std::string& name);

/// Returns the folder of shipped platforms: $DPUSIM_PLATFORMS, else the installed or the source tree's one.
std::filesystem::path platforms_dir();

}  // namespace dpusim::platform
