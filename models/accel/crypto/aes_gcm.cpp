#include "accel/crypto/aes_gcm.h"

#include <algorithm>

#include "sim/error.h"

namespace dpusim::accel {

namespace {

OpensslPtr<EVP_CIPHER_CTX> keyed(const EVP_CIPHER* cipher, std::span<const std::uint8_t> key, int encrypt) {
  DPUSIM_CHECK(static_cast<std::size_t>(EVP_CIPHER_get_key_length(cipher)) == key.size(), "a key of {} octets",
               key.size());
  OpensslPtr<EVP_CIPHER_CTX> context(EVP_CIPHER_CTX_new());
  DPUSIM_CHECK(context && EVP_CipherInit_ex2(context.get(), cipher, key.data(), nullptr, encrypt, nullptr) == 1,
               "libcrypto takes no AES-GCM key");
  return context;
}

/// Feeds `in`; a null `out` makes it additional data.
bool update(EVP_CIPHER_CTX* context, std::uint8_t* out, std::span<const std::uint8_t> in) {
  int written = 0;
  return in.empty() || EVP_CipherUpdate(context, out, &written, in.data(), static_cast<int>(in.size())) == 1;
}

}  // namespace

AesGcm::AesGcm(const EVP_CIPHER* cipher, std::span<const std::uint8_t> key)
    : encrypt_(keyed(cipher, key, 1)), decrypt_(keyed(cipher, key, 0)) {}

void AesGcm::encrypt(std::span<const std::uint8_t, kGcmIv> iv, std::span<const std::uint8_t> aad,
                     std::span<const std::uint8_t> plain, std::span<std::uint8_t> out) {
  const ErrorQueueGuard guard;
  EVP_CIPHER_CTX* const context = encrypt_.get();
  std::uint8_t* const tag = out.data() + plain.size();
  int written = 0;
  const bool done = EVP_CipherInit_ex2(context, nullptr, nullptr, iv.data(), 1, nullptr) == 1 &&
                    update(context, nullptr, aad) && update(context, out.data(), plain) &&
                    EVP_CipherFinal_ex(context, tag, &written) == 1 &&
                    EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, kGcmTag, tag) == 1;
  DPUSIM_CHECK(done, "libcrypto fails to encrypt {} octets by AES-GCM", plain.size());
}

bool AesGcm::decrypt(std::span<const std::uint8_t, kGcmIv> iv, std::span<const std::uint8_t> aad,
                     std::span<const std::uint8_t> cipher, std::span<const std::uint8_t, kGcmTag> tag,
                     std::span<std::uint8_t> out) {
  const ErrorQueueGuard guard;
  EVP_CIPHER_CTX* const context = decrypt_.get();
  std::uint8_t expected[kGcmTag];  // OpenSSL's parameter is not const
  std::copy(tag.begin(), tag.end(), expected);
  const bool fed = EVP_CipherInit_ex2(context, nullptr, nullptr, iv.data(), 0, nullptr) == 1 &&
                   EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, kGcmTag, expected) == 1 &&
                   update(context, nullptr, aad) && update(context, out.data(), cipher);
  DPUSIM_CHECK(fed, "libcrypto fails to decrypt {} octets by AES-GCM", cipher.size());
  std::uint8_t none[kGcmTag];
  int written = 0;
  if (EVP_CipherFinal_ex(context, none, &written) == 1) return true;
  std::fill_n(out.begin(), cipher.size(), std::uint8_t{0});
  return false;
}

}  // namespace dpusim::accel
