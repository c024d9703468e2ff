#include "accel/crypto/aes_xts.h"

#include <algorithm>
#include <array>

#include "sim/error.h"

namespace dpusim::accel {

namespace {

OpensslPtr<EVP_CIPHER_CTX> keyed(const EVP_CIPHER* cipher, std::span<const std::uint8_t> key, int encrypt) {
  DPUSIM_CHECK(static_cast<std::size_t>(EVP_CIPHER_get_key_length(cipher)) == key.size(), "a key of {} octets",
               key.size());
  OpensslPtr<EVP_CIPHER_CTX> context(EVP_CIPHER_CTX_new());
  DPUSIM_CHECK(context && EVP_CipherInit_ex2(context.get(), cipher, key.data(), nullptr, encrypt, nullptr) == 1,
               "libcrypto takes no AES-XTS key");
  return context;
}

void convert(EVP_CIPHER_CTX* context, int encrypt, std::span<const std::uint8_t, kXtsTweak> first, std::size_t unit,
             std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
  const ErrorQueueGuard guard;
  std::array<std::uint8_t, kXtsTweak> number{};
  std::copy(first.begin(), first.end(), number.begin());
  for (std::size_t at = 0; at < in.size(); at += unit) {
    const std::size_t size = std::min(unit, in.size() - at);
    int written = 0;
    const bool done = EVP_CipherInit_ex2(context, nullptr, nullptr, number.data(), encrypt, nullptr) == 1 &&
                      EVP_CipherUpdate(context, out.data() + at, &written, in.data() + at, static_cast<int>(size)) == 1;
    DPUSIM_CHECK(done && static_cast<std::size_t>(written) == size, "libcrypto fails to convert {} octets by AES-XTS",
                 size);
    for (std::uint8_t& octet : number) {
      if (++octet != 0) break;
    }
  }
}

}  // namespace

bool xts_keys_differ(std::span<const std::uint8_t> key) {
  const std::size_t half = key.size() / 2;
  return !std::equal(key.begin(), key.begin() + static_cast<std::ptrdiff_t>(half),
                     key.begin() + static_cast<std::ptrdiff_t>(half));
}

AesXts::AesXts(const EVP_CIPHER* cipher, std::span<const std::uint8_t> key)
    : encrypt_(keyed(cipher, key, 1)), decrypt_(keyed(cipher, key, 0)) {}

void AesXts::encrypt(std::span<const std::uint8_t, kXtsTweak> first, std::size_t unit, std::span<const std::uint8_t> in,
                     std::span<std::uint8_t> out) {
  convert(encrypt_.get(), 1, first, unit, in, out);
}
void AesXts::decrypt(std::span<const std::uint8_t, kXtsTweak> first, std::size_t unit, std::span<const std::uint8_t> in,
                     std::span<std::uint8_t> out) {
  convert(decrypt_.get(), 0, first, unit, in, out);
}

}  // namespace dpusim::accel
