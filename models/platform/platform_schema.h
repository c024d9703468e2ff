// The JSON Schema of platform files, from the block types' tables.
#pragma once

#include <nlohmann/json.hpp>

namespace dpusim::platform {

/// Returns a JSON Schema (draft 2020-12) of a platform file: for editors and for checking files without running them.
nlohmann::ordered_json platform_schema();

}  // namespace dpusim::platform
