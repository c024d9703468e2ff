// Rates of the cryptographic accelerator.
#pragma once

#include "accel/crypto/crypto_config.h"
#include "accel/timing.h"

namespace dpusim::accel {

/// Rates of the cryptographic accelerator.
class CryptoTiming : public Timing {
 public:
  explicit CryptoTiming(const CryptoConfig& config) : config_(config) {}
  [[nodiscard]] Time service(const AccelJob& job, std::uint64_t in, std::uint64_t out) const override;
  [[nodiscard]] bool streams(const AccelJob& job) const override;

 private:
  CryptoConfig config_;
};

}  // namespace dpusim::accel
