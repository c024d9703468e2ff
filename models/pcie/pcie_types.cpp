#include "pcie/pcie_types.h"

#include "pcie/pcie_endpoint.h"
#include "pcie/pcie_link.h"

namespace dpusim::pcie {

std::span<const BlockType> block_types() {
  static const BlockType types[] = {
      block_type<PcieLink, PcieLinkConfig>("pcie_link", "pcie",
                                           "PCI Express link: packets of both directions, splitting, tags, latency"),
      block_type<PcieEndpoint, PcieEndpointConfig>(
          "pcie_endpoint", "pcie", "PCI Express endpoint: BARs, MSI-X, the card's window onto host memory"),
  };
  return types;
}

}  // namespace dpusim::pcie
