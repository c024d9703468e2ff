// The interconnects that a platform file can name.
#pragma once

#include <span>

#include "tlm/block.h"

namespace dpusim::interconnect {

/// Returns the rows of this family: "crossbar".
std::span<const BlockType> block_types();

}  // namespace dpusim::interconnect
