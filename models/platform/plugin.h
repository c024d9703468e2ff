// Loads block types from users' shared libraries.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "tlm/block.h"

namespace dpusim::platform {

/// Loads a library for the rest of the process and returns its types. Its static initialisers run before anything of it
/// can be judged.
/// @param place of the name, for messages: "plugins[0]".
/// @error ConfigError: no such file, no library, a symbol that this dpusim has not, no entry point, another version.
std::span<const BlockType> load_plugin(const std::filesystem::path& file, const std::string& place);

}  // namespace dpusim::platform
