// The block types of this family.
#pragma once

#include <span>

#include "tlm/block.h"

namespace dpusim::pcie {

/// Returns the rows for the type registry.
std::span<const BlockType> block_types();

}  // namespace dpusim::pcie
