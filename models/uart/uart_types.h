// The uart family's block types.
#pragma once

#include <span>

#include "tlm/block.h"

namespace dpusim::uart {

/// Returns the types that a platform file may name.
std::span<const BlockType> block_types();

}  // namespace dpusim::uart
