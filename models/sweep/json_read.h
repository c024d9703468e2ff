// Reading JSON values of several forms, which the tables of sim/config.h do not cover.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace dpusim::sweep {

/// Returns the text. @error ConfigError: no string, or an empty one where `empty` is false.
std::string read_text(const nlohmann::ordered_json& json, std::string path, bool empty = false);
/// Returns one text or a list of at least one. @error ConfigError.
std::vector<std::string> read_texts(const nlohmann::ordered_json& json, std::string path);
/// Returns a finite number. @error ConfigError.
double read_number(const nlohmann::ordered_json& json, std::string path);
/// Returns the index of `text` among `names`. @error ConfigError with the nearest.
std::size_t read_name(const nlohmann::ordered_json& json, std::string path, const std::vector<std::string>& names);
/// Checks that no two of `names` are equal. @param what "an axis", @param path of the list. @error ConfigError.
void check_unique(const std::vector<std::string>& names, const std::string& path, const char* what);

/// Returns the override "path=value" of which the parser of --set makes this very JSON value. @error ConfigError: no
/// path.
std::string setting(const std::string& path, const nlohmann::ordered_json& value, const std::string& place);
/// Returns the overrides of an object {"path": value} or of a list of "path=value". @error ConfigError.
std::vector<std::string> read_settings(const nlohmann::ordered_json& json, std::string path);

/// Returns the path of an override: what stands before its '='.
std::string setting_path(const std::string& setting);
/// Returns `value` with 12 significant digits, so that 8e-9 x 1.2e9 is 9.6.
double rounded(double value);
/// Tells whether `text` matches `pattern`, in which '*' stands for any characters.
bool matches(std::string_view pattern, std::string_view text);

}  // namespace dpusim::sweep
