#include "accel/crypto/crypto_type.h"

#include "accel/crypto/crypto_function.h"
#include "accel/crypto/crypto_timing.h"

namespace dpusim::accel {

AcceleratorParts make_parts(const BlockContext& /*context*/, const CryptoConfig& config) {
  auto keys = std::make_unique<KeyTable>(config.keys);
  auto function = std::make_unique<CryptoFunction>(config, *keys);
  return {.type = ACCEL_TYPE_CRYPTO,
          .function = std::move(function),
          .timing = std::make_unique<CryptoTiming>(config),
          .keys = std::move(keys)};
}

}  // namespace dpusim::accel
