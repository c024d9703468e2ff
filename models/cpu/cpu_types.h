// The block types of family cpu.
#pragma once

#include <span>

#include "tlm/block.h"

namespace dpusim::cpu {

/// Returns the rows of this family for the type registry.
std::span<const BlockType> block_types();

}  // namespace dpusim::cpu
