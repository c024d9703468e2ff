#include "sweep/digest.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <memory>

#include "sim/error.h"

namespace dpusim::sweep {
namespace {

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
    DPUSIM_CHECK(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1, "no SHA-256 in libcrypto");
  }
  void add(const char* octets, std::size_t count) { EVP_DigestUpdate(context_.get(), octets, count); }
  [[nodiscard]] std::string text() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
    unsigned length = 0;
    EVP_DigestFinal_ex(context_.get(), digest.data(), &length);
    std::string text;
    for (unsigned i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string text_digest(std::string_view text) {
  Sha256 sum;
  sum.add(text.data(), text.size());
  return sum.text();
}

std::string file_digest(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return "none";
  Sha256 sum;
  std::array<char, 65'536> piece;
  while (stream.read(piece.data(), piece.size()) || stream.gcount() > 0)
    sum.add(piece.data(), static_cast<std::size_t>(stream.gcount()));
  return sum.text();
}

}  // namespace dpusim::sweep
