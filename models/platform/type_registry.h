// All model types that a platform file may name: the families' tables and plugins', put together in one place.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tlm/block.h"

namespace dpusim::platform {

/// Returns all types, family by family, then plugins' in the order of loading.
const std::vector<const BlockType*>& block_types();

/// Adds the types of a plugin; a second time for the same file does nothing. @param place of its name, for messages.
/// @error ConfigError: as of load_plugin; a type of this name exists.
void add_plugin(const std::filesystem::path& file, const std::string& place);

/// Returns the type of this name. @param path JSON path of the name, for the message. @error ConfigError with the nearest name.
const BlockType& find_type(const std::string& name, const std::string& path);

}  // namespace dpusim::platform
