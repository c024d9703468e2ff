// What an endpoint counts.
#pragma once

#include "sim/stats.h"

namespace dpusim::pcie {

struct PcieEndpointStats {
  explicit PcieEndpointStats(StatGroup& group);
  Counter outbound_reads, outbound_read_octets, outbound_writes, outbound_write_octets, outbound_refused,
      outbound_errors;
  Counter inbound_reads, inbound_read_octets, inbound_writes, inbound_write_octets, inbound_unsupported,
      inbound_aborted, loops;
  Counter configuration_reads, configuration_writes, doorbells;
  Counter msix_events, msix_messages, msix_merged, msix_withdrawn, msix_disabled, msix_errors;
  Gauge msix_pending;
  Histogram outbound_read_latency, outbound_write_latency;
};

}  // namespace dpusim::pcie
