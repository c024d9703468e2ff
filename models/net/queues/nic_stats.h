// Statistics of the NIC.
#pragma once

#include <array>
#include <deque>

#include "sim/stats.h"

namespace dpusim::net {

/// Why a received frame was dropped.
enum class NicDrop : unsigned {
  kDisabled,         ///< NIC or port's receive side off
  kBufferFull,       ///< frames came faster than memory took them
  kQueueNotReady,    ///< receive queue does not exist, is off or in error
  kNoDescriptor,     ///< software posted no buffer
  kCompletionQueue,  ///< completion queue full, off or in error
  kDescriptorError,  ///< descriptor fetch failed, or its length is out of range
  kBufferShort,      ///< buffer shorter than the frame
  kDataError,        ///< memory answered the data write with an error
  kCompletionError,  ///< data written, but the completion could not be
  kCount
};
inline constexpr unsigned kNicDrops = static_cast<unsigned>(NicDrop::kCount);

/// Counters of one queue.
struct NicQueueStats {
  NicQueueStats(StatGroup& group, bool receive);
  Counter frames, octets, dropped;
};

struct NicStats {
  /// @param held returns the received frames inside, for the law.
  NicStats(StatGroup& group, unsigned ports, unsigned receive_queues, unsigned transmit_queues,
           unsigned completion_queues);
  Counter received, received_octets, delivered;
  std::deque<Counter> drops;
  Counter sent, sent_octets, transmit_descriptors, transmit_errors;
  Counter completions, completions_lost, interrupts;
  Counter queue_errors;
  Counter dma_reads, dma_read_octets, dma_writes, dma_write_octets;
  Histogram receive_latency, transit_latency, transmit_latency;
  Gauge receive_buffer, held;
  std::deque<Counter> port_received, port_dropped;
  std::deque<NicQueueStats> receive, transmit;
  std::deque<Counter> queue_interrupts;
};

}  // namespace dpusim::net
