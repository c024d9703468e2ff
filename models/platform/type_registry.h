// All model types that a platform file may name: the families' tables, put together in one place.
#pragma once

#include <string>
#include <vector>

#include "tlm/block.h"

namespace dpusim::platform {

/// Returns all types, family by family.
const std::vector<const BlockType*>& block_types();

/// Returns the type of this name. @param path JSON path of the name, for the message. @error ConfigError with the nearest name.
const BlockType& find_type(const std::string& name, const std::string& path);

}  // namespace dpusim::platform
