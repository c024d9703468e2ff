// The type `compress`, put together.
#pragma once

#include "accel/accelerator_parts.h"
#include "accel/compress/compress_config.h"
#include "sim/simulation.h"

namespace dpusim::accel {

/// Returns what the accelerator is made of.
[[nodiscard]] AcceleratorParts make_parts(const BlockContext& context, const CompressConfig& config);

}  // namespace dpusim::accel
