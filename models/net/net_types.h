// The block types of this family.
#pragma once

#include <span>

#include "tlm/block.h"

namespace dpusim::net {

/// Returns the rows for the type registry: "ethernet_port" and "nic".
std::span<const BlockType> block_types();

}  // namespace dpusim::net
