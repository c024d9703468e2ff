// The cryptographic accelerator's algorithms: AES-GCM, AES-XTS, SHA-2, HMAC.
#pragma once

#include <memory>
#include <vector>

#include "accel/crypto/aes_gcm.h"
#include "accel/crypto/aes_xts.h"
#include "accel/crypto/crypto_config.h"
#include "accel/crypto/digest.h"
#include "accel/function.h"
#include "accel/key_table.h"

namespace dpusim::accel {

/// Computes opcodes 0x10 to 0x17. A job of AES or HMAC uses the key that its slot holds when run() is called.
class CryptoFunction : public Function {
 public:
  /// @param keys the accelerator's, which outlives this. @error ConfigError when libcrypto lacks an algorithm.
  CryptoFunction(const CryptoConfig& config, const KeyTable& keys);
  [[nodiscard]] std::uint8_t check(const AccelJob& job) const override;
  FunctionResult run(const AccelJob& job, std::span<const std::uint8_t> source,
                     std::span<std::uint8_t> destination) override;
  [[nodiscard]] std::uint32_t most_produced(const AccelJob& job) const override;

 private:
  /// What was derived from a slot's key: made at first use, thrown away when the slot has another key.
  struct Slot {
    std::uint64_t version = 0;
    std::unique_ptr<AesGcm> gcm;
    std::unique_ptr<AesXts> xts;
    std::unique_ptr<Hmac> hmac_sha256, hmac_sha512;
  };
  [[nodiscard]] std::uint8_t check_key(const AccelJob& job) const;
  Slot& slot(const AccelJob& job);
  AesGcm& gcm(const AccelJob& job);
  AesXts& xts(const AccelJob& job);
  Hmac& hmac(const AccelJob& job);

  CryptoConfig config_;
  const KeyTable& keys_;
  OpensslPtr<EVP_CIPHER> gcm_128_, gcm_256_, xts_128_, xts_256_;
  OpensslPtr<EVP_MAC> hmac_;
  Digest sha256_, sha512_;
  std::vector<Slot> slots_;
};

}  // namespace dpusim::accel
