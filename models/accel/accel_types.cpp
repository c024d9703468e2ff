#include "accel/accel_types.h"

namespace dpusim::accel {

std::span<const BlockType> block_types() { return {}; }

}  // namespace dpusim::accel
