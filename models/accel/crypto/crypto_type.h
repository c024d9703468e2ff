// The type `crypto`, put together.
#pragma once

#include "accel/accelerator_parts.h"
#include "accel/crypto/crypto_config.h"
#include "sim/simulation.h"

namespace dpusim::accel {

/// Returns what the accelerator is made of.
[[nodiscard]] AcceleratorParts make_parts(const BlockContext& context, const CryptoConfig& config);

}  // namespace dpusim::accel
