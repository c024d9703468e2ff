#include "net/net_types.h"

#include "net/mac/ethernet_port.h"
#include "net/queues/nic.h"

namespace dpusim::net {

std::span<const BlockType> block_types() {
  static const BlockType types[] = {
      block_type<EthernetPort, EthernetPortConfig>("ethernet_port", "net",
                                                   "Ethernet port: PHY and MAC with RMON counters"),
      block_type<Nic, NicConfig>(
          "nic", "net", "NIC work queues: receive, transmit and completion rings in memory, RSS, checksum offload"),
  };
  return types;
}

}  // namespace dpusim::net
