// AES-GCM with one key.
#pragma once

#include <cstdint>
#include <span>

#include "accel/crypto/openssl.h"

namespace dpusim::accel {

/// Octets of AES-GCM's initialisation vector and tag here.
inline constexpr std::size_t kGcmIv = 12, kGcmTag = 16;

/// Encrypts and decrypts with authentication under one key, whose expansion is kept. @spec NIST SP 800-38D.
class AesGcm {
 public:
  /// @param cipher fetched AES-128-GCM or AES-256-GCM. @param key of the cipher's length.
  AesGcm(const EVP_CIPHER* cipher, std::span<const std::uint8_t> key);
  /// Writes ciphertext and then the tag. @param out octets of `plain` and kGcmTag; does not overlap the inputs.
  void encrypt(std::span<const std::uint8_t, kGcmIv> iv, std::span<const std::uint8_t> aad,
               std::span<const std::uint8_t> plain, std::span<std::uint8_t> out);
  /// Writes the plaintext if the tag is right; else `out` is all 0. @return whether the tag is right. @param out octets
  /// of `cipher`; does not overlap the inputs.
  [[nodiscard]] bool decrypt(std::span<const std::uint8_t, kGcmIv> iv, std::span<const std::uint8_t> aad,
                             std::span<const std::uint8_t> cipher, std::span<const std::uint8_t, kGcmTag> tag,
                             std::span<std::uint8_t> out);

 private:
  OpensslPtr<EVP_CIPHER_CTX> encrypt_, decrypt_;
};

}  // namespace dpusim::accel
