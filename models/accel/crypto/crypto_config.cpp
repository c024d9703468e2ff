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
  static const ConfigTable<CryptoConfig> table(
      "Cryptographic functions", {field("functions", &CryptoConfig::functions,
                                        items(1, 4,
                                              one_of({{"aes_gcm", CryptoClass::kAesGcm},
                                                      {"aes_xts", CryptoClass::kAesXts},
                                                      {"sha", CryptoClass::kSha},
                                                      {"hmac", CryptoClass::kHmac}})),
                                        "Classes of opcodes that the instance has; jobs of others are refused")});
  return table;
}

}  // namespace dpusim::accel
