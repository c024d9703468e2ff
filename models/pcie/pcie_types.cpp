#include "pcie/pcie_types.h"

namespace dpusim::pcie {

std::span<const BlockType> block_types() { return {}; }

}  // namespace dpusim::pcie
