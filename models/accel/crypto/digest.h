// Message digests and their keyed codes.
#pragma once

#include <cstdint>
#include <span>

#include "accel/crypto/openssl.h"

namespace dpusim::accel {

/// Octets of the digests.
inline constexpr std::size_t kSha256Octets = 32, kSha512Octets = 64;

/// Computes one kind of digest, again and again. @spec FIPS 180-4.
class Digest {
 public:
  /// @param name OpenSSL's, such as "SHA2-256".
  explicit Digest(const char* name);
  /// @param out octets of the digest.
  void compute(std::span<const std::uint8_t> in, std::span<std::uint8_t> out);

 private:
  OpensslPtr<EVP_MD> algorithm_;
  OpensslPtr<EVP_MD_CTX> context_;
};

/// Computes message authentication codes under one key, whose inner and outer start states are kept. @spec RFC 2104.
class Hmac {
 public:
  /// @param algorithm fetched HMAC. @param digest OpenSSL's name. @param key at least one octet.
  Hmac(EVP_MAC* algorithm, const char* digest, std::span<const std::uint8_t> key);
  /// @param out octets of the digest.
  void compute(std::span<const std::uint8_t> in, std::span<std::uint8_t> out);

 private:
  OpensslPtr<EVP_MAC_CTX> context_;
};

}  // namespace dpusim::accel
