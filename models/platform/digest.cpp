#include "platform/digest.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <memory>

#include "sim/error.h"

namespace dpusim::platform {

std::string sha256(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw ConfigError(file.string(), "no readable file", "a file that can be read");
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  std::array<char, 65'536> piece;
  while (stream.read(piece.data(), piece.size()) || stream.gcount() > 0) {
    EVP_DigestUpdate(context.get(), piece.data(), static_cast<std::size_t>(stream.gcount()));
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned length = 0;
  EVP_DigestFinal_ex(context.get(), digest.data(), &length);
  std::string text;
  for (unsigned i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::pair<std::filesystem::path, std::string> guest_file(const std::string& argument) {
  const std::size_t equals = argument.rfind('=');
  const std::filesystem::path file = argument.substr(0, equals);
  const std::string name = equals == std::string::npos ? file.filename().string() : argument.substr(equals + 1);
  if (!std::filesystem::is_regular_file(file))
    throw ConfigError("--file " + argument, "no such file", "PATH or PATH=NAME");
  if (name.empty() || name.find('/') != std::string::npos || name == "." || name == "..")
    throw ConfigError("--file " + argument, fmt::format("the name \"{}\"", name), "a file name without a folder");
  return {file, name};
}

}  // namespace dpusim::platform
