// Parameters of the cryptographic accelerator.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/config.h"
#include "sim/units.h"

namespace dpusim::accel {

/// Opcodes that one kind of engine serves, at one rate.
enum class CryptoClass : std::uint8_t { kAesGcm, kAesXts, kSha, kHmac };

/// Returns the class of an opcode, if it is one of the cryptographic accelerator's.
[[nodiscard]] std::optional<CryptoClass> crypto_class(std::uint8_t opcode);

/// What the algorithms are; queues, engines and buses are the accelerator's.
struct CryptoConfig {
  std::vector<CryptoClass> functions = {CryptoClass::kAesGcm, CryptoClass::kAesXts, CryptoClass::kSha,
                                        CryptoClass::kHmac};
  /// Says whether an instance has the opcodes of a class.
  [[nodiscard]] bool has(CryptoClass kind) const {
    return std::find(functions.begin(), functions.end(), kind) != functions.end();
  }
  static const ConfigTable<CryptoConfig>& table();
};

}  // namespace dpusim::accel
