// Parameters of the NIC.
#pragma once

#include "sim/config.h"
#include "sim/units.h"

namespace dpusim::net {

inline constexpr unsigned kMaxNicPorts = 4, kMaxNicReceiveQueues = 32, kMaxNicTransmitQueues = 32,
                          kMaxNicCompletionQueues = 64;

/// Most descriptors fetched ahead; octets that a receive descriptor may offer; least octets of a frame to send.
inline constexpr unsigned kMaxPrefetch = 128;
inline constexpr std::uint32_t kMaxBuffer = 65'535, kLeastFrame = 14;

struct NicConfig {
  unsigned ports = 2;
  unsigned receive_queues = 32;
  unsigned transmit_queues = 32;
  unsigned completion_queues = 64;
  Bytes max_frame{9216};
  Bytes receive_buffer{1'048'576};
  unsigned transmit_buffer = 64;
  unsigned prefetch = 32;
  BitRate dma_rate{512'000'000'000};
  unsigned outstanding = 64;
  Bytes burst{4096};
  bool allocate = true;
  Time packet_interval{4'651};
  Time receive_latency{150'000};
  Time transmit_latency{150'000};
  Time doorbell_latency{50'000};
  Time interrupt_latency{50'000};
  Time access{40'000};
  Time look_ahead{0};
  static const ConfigTable<NicConfig>& table();
};

}  // namespace dpusim::net
