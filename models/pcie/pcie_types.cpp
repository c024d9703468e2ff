#include "pcie/pcie_types.h"

#include "pcie/pcie_link.h"

namespace dpusim::pcie {

std::span<const BlockType> block_types() {
  static const BlockType types[] = {
      block_type<PcieLink, PcieLinkConfig>("pcie_link", "pcie",
                                           "PCI Express link: packets of both directions, splitting, tags, latency"),
  };
  return types;
}

}  // namespace dpusim::pcie
