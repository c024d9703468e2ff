// SHA-256 of texts and files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace dpusim::sweep {

/// Returns the SHA-256 of octets in hexadecimal (FIPS 180-4, by OpenSSL).
std::string text_digest(std::string_view text);
/// Returns that of a file's content; "none" when it cannot be read.
std::string file_digest(const std::filesystem::path& file);

}  // namespace dpusim::sweep
