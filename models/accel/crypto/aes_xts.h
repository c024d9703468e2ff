// AES-XTS with one pair of keys.
#pragma once

#include <cstdint>
#include <span>

#include "accel/crypto/openssl.h"

namespace dpusim::accel {

/// Octets of AES-XTS's tweak; fewest and most octets of a data unit (IEEE 1619: 2^20 blocks).
inline constexpr std::size_t kXtsTweak = 16, kLeastXtsUnit = 16, kMostXtsUnit = std::size_t{16} << 20;

/// Says whether a data key and a tweak key, one behind the other, differ, as IEEE 1619 and FIPS 140 ask for.
[[nodiscard]] bool xts_keys_differ(std::span<const std::uint8_t> key);

/// Encrypts and decrypts data units under one pair of keys, whose expansion is kept. @spec IEEE 1619-2007, NIST SP
/// 800-38E.
class AesXts {
 public:
  /// @param cipher fetched AES-128-XTS or AES-256-XTS. @param key data key, tweak key, which differ.
  AesXts(const EVP_CIPHER* cipher, std::span<const std::uint8_t> key);
  /// Converts consecutive data units. @param first number of the first unit, little-endian; the others count up modulo
  /// 2^128. @param unit octets of a unit, the last one may be shorter, none below kLeastXtsUnit. @param out octets of
  /// `in`; does not overlap it.
  void encrypt(std::span<const std::uint8_t, kXtsTweak> first, std::size_t unit, std::span<const std::uint8_t> in,
               std::span<std::uint8_t> out);
  void decrypt(std::span<const std::uint8_t, kXtsTweak> first, std::size_t unit, std::span<const std::uint8_t> in,
               std::span<std::uint8_t> out);

 private:
  OpensslPtr<EVP_CIPHER_CTX> encrypt_, decrypt_;
};

}  // namespace dpusim::accel
