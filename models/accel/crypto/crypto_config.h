// Parameters of the cryptographic accelerator.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "accel/accel_config.h"

namespace dpusim::accel {

/// Opcodes that one kind of engine serves, at one rate.
enum class CryptoClass : std::uint8_t { kAesGcm, kAesXts, kSha, kHmac };

/// Returns the class of an opcode, if it is one of the cryptographic accelerator's.
[[nodiscard]] std::optional<CryptoClass> crypto_class(std::uint8_t opcode);

/// Algorithms, keys and rates, beyond what every accelerator has.
struct CryptoConfig : AccelConfig {
  std::vector<CryptoClass> functions = {CryptoClass::kAesGcm, CryptoClass::kAesXts, CryptoClass::kSha,
                                        CryptoClass::kHmac};
  unsigned keys = 256;
  double aes_gcm_octets_per_cycle = 12.5;
  double aes_xts_octets_per_cycle = 12.5;
  double sha256_octets_per_cycle = 1;
  double sha512_octets_per_cycle = 1.6;
  /// Says whether an instance has the opcodes of a class.
  [[nodiscard]] bool has(CryptoClass kind) const {
    return std::find(functions.begin(), functions.end(), kind) != functions.end();
  }
  static const ConfigTable<CryptoConfig>& table();
};

}  // namespace dpusim::accel
