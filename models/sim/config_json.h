// Configuration files: JSON with comments, "extends", and overrides such as those of --set.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

namespace dpusim {

/// Parses JSON text; // and /* */ comments count as white space. @param name stands before line and column in messages.
/// @error ConfigError "name:line:column: found ..., expected ...": syntax, a key twice in one object, nesting beyond 64
/// levels.
nlohmann::ordered_json parse_json(std::string_view text, const std::string& name);

/// Loads one file as it stands. @error ConfigError: unreadable, or as parse_json.
nlohmann::ordered_json load_json(const std::filesystem::path& file);

/// Loads a file whose root is an object, merged over the file that its "extends" names (relative to its own folder),
/// and so on. The result has no "extends". @error ConfigError: as load_json; a cycle, which the message spells out; a
/// null where there is nothing to delete.
nlohmann::ordered_json load_config(const std::filesystem::path& file);

/// Lays `over` on `base`: objects merge key by key, null deletes a key, anything else replaces. An annotated scalar
/// {"value": ...} is one value: it replaces and is replaced as a whole.
/// @param path JSON path of both, for messages. @error ConfigError: null for a key that `base` does not have.
void merge_config(nlohmann::ordered_json& base, const nlohmann::ordered_json& over, const std::string& path);

/// A step into JSON: an object's key or a list's index.
using PathStep = std::variant<std::string, std::size_t>;

/// One override: where, and the new value.
struct Override {
  std::vector<PathStep> steps;
  nlohmann::ordered_json value;
  std::string text;  ///< as the user wrote it
};

/// Parses "a.b[2].c=value". A key with '.', '[' or '=' in it is written in double quotes. The value is JSON when it
/// parses as JSON, else a string, so that quotes are needed only to force a string. @error ConfigError.
Override parse_override(std::string_view text);

/// Sets the value. Objects on the way that do not exist are made (the tables then judge their keys); list elements must
/// exist. A key that is written with its index in the file ("tx[0]") is found as well. An annotated scalar becomes
/// {"value": V, "source": "--set"}; null deletes the key. @error ConfigError: an index beyond the list (with its
/// length), a step into a scalar.
void apply_override(nlohmann::ordered_json& json, const Override& override_);

}  // namespace dpusim
