#include "accel/crypto/crypto_config.h"

#include "accel/accel_job_desc.h"

namespace dpusim::accel {

std::optional<CryptoClass> crypto_class(std::uint8_t opcode) {
  switch (opcode) {
    case ACCEL_OP_AES_GCM_ENCRYPT:
    case ACCEL_OP_AES_GCM_DECRYPT:
      return CryptoClass::kAesGcm;
    case ACCEL_OP_AES_XTS_ENCRYPT:
    case ACCEL_OP_AES_XTS_DECRYPT:
      return CryptoClass::kAesXts;
    case ACCEL_OP_SHA256:
    case ACCEL_OP_SHA512:
      return CryptoClass::kSha;
    case ACCEL_OP_HMAC_SHA256:
    case ACCEL_OP_HMAC_SHA512:
      return CryptoClass::kHmac;
    default:
      return std::nullopt;
  }
}

const ConfigTable<CryptoConfig>& CryptoConfig::table() {
  const auto rate = between(0.125, 1024.0);
  static const ConfigTable<CryptoConfig> table =
      accel_table<CryptoConfig>("Cryptographic accelerator", {},
                                field("functions", &CryptoConfig::functions,
                                      items(1, 4,
                                            one_of({{"aes_gcm", CryptoClass::kAesGcm},
                                                    {"aes_xts", CryptoClass::kAesXts},
                                                    {"sha", CryptoClass::kSha},
                                                    {"hmac", CryptoClass::kHmac}})),
                                      "Classes of opcodes that the instance has; jobs of others are refused"),
                                field("keys", &CryptoConfig::keys, between(0U, 65'535U), "Slots of the key table"),
                                field("aes_gcm_octets_per_cycle", &CryptoConfig::aes_gcm_octets_per_cycle, rate,
                                      "Octets that an engine takes a cycle by AES-GCM"),
                                field("aes_xts_octets_per_cycle", &CryptoConfig::aes_xts_octets_per_cycle, rate,
                                      "Octets that an engine takes a cycle by AES-XTS"),
                                field("sha256_octets_per_cycle", &CryptoConfig::sha256_octets_per_cycle, rate,
                                      "Octets that an engine takes a cycle by SHA-256, plain or in HMAC"),
                                field("sha512_octets_per_cycle", &CryptoConfig::sha512_octets_per_cycle, rate,
                                      "Octets that an engine takes a cycle by SHA-512, plain or in HMAC"));
  return table;
}

}  // namespace dpusim::accel
