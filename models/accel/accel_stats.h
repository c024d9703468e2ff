// Statistics of an accelerator.
#pragma once

#include <deque>

#include "sim/stats.h"

namespace dpusim::accel {

/// Counters of one submission queue.
struct JobQueueStats {
  explicit JobQueueStats(StatGroup& group);
  Counter posted, completed, octets_in, octets_out;
};

struct AccelStats {
  AccelStats(StatGroup& group, unsigned queues, unsigned completion_queues);
  Counter posted, forgotten, jobs, jobs_reset;
  Counter completions, completions_lost, interrupts, queue_errors;
  std::deque<Counter> outcomes;  ///< by ACCEL_STATUS_*
  Counter octets_in, octets_out;
  Counter dma_reads, dma_read_octets, dma_writes, dma_write_octets;
  Counter setup_time, source_stall, destination_stall, completion_stall, completion_stalls;
  Histogram queue_time, service_time;
  Gauge waiting, held;
  std::deque<JobQueueStats> queue;
  std::deque<Counter> queue_interrupts;

 private:
  void add_laws(StatGroup& group);
};

}  // namespace dpusim::accel
