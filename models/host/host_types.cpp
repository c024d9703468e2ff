#include "host/host_types.h"

namespace dpusim::host {

std::span<const BlockType> block_types() { return {}; }

}  // namespace dpusim::host
