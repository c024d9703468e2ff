#include "host/host_types.h"

#include "host/host.h"

namespace dpusim::host {

std::span<const BlockType> block_types() {
  static const BlockType types[] = {
      block_type<Host, HostConfig>("host", "host",
                                   "Server behind a PCIe link: root complex, memory, and programs that use the card"),
  };
  return types;
}

}  // namespace dpusim::host
