// The memory models that a platform file can name.
#pragma once

#include <span>

#include "tlm/block.h"

namespace dpusim::mem {

/// Returns the rows of this family: "ram" and "ddr".
std::span<const BlockType> block_types();

}  // namespace dpusim::mem
