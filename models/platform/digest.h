// Digests of a run's input files, and the --file option's text.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

namespace dpusim::platform {

/// Returns a file's SHA-256 in hexadecimal (FIPS 180-4, by OpenSSL). @error ConfigError when it cannot be read.
std::string sha256(const std::filesystem::path& file);

/// Splits "PATH" or "PATH=NAME" into the file and the name under which guests find it. @error ConfigError: no such
/// file, or a name with a '/' in it.
std::pair<std::filesystem::path, std::string> guest_file(const std::string& argument);

}  // namespace dpusim::platform
