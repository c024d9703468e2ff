#include "accel/crypto/crypto_timing.h"

#include <algorithm>

namespace dpusim::accel {

namespace {

double octets_per_cycle(const CryptoConfig& config, std::uint8_t opcode) {
  switch (opcode) {
    case ACCEL_OP_SHA256:
    case ACCEL_OP_HMAC_SHA256:
      return config.sha256_octets_per_cycle;
    case ACCEL_OP_SHA512:
    case ACCEL_OP_HMAC_SHA512:
      return config.sha512_octets_per_cycle;
    case ACCEL_OP_AES_GCM_ENCRYPT:
    case ACCEL_OP_AES_GCM_DECRYPT:
      return config.aes_gcm_octets_per_cycle;
    default:
      return config.aes_xts_octets_per_cycle;
  }
}

}  // namespace

Time CryptoTiming::service(const AccelJob& job, std::uint64_t in, std::uint64_t out) const {
  return cycle_time(Clock(config_.clock), std::max(in, out), octets_per_cycle(config_, job.opcode));
}

bool CryptoTiming::streams(const AccelJob& job) const {
  return job.opcode == ACCEL_OP_AES_GCM_ENCRYPT || crypto_class(job.opcode) == CryptoClass::kAesXts;
}

}  // namespace dpusim::accel
