// Parameters of a host.
#pragma once

#include "sim/config.h"
#include "sim/units.h"

namespace dpusim::host {

struct HostConfig {
  Bytes memory_size{std::uint64_t{16} << 30};
  Time read_latency{176'000};
  Time write_latency{100'000};
  BitRate memory_bandwidth{546'000'000'000};
  unsigned threads = 8;
  Frequency clock{3'000'000'000};
  Time mmio_write{50'000};
  Time interrupt_latency{1'000'000};
  Time interrupt_time{1'000'000};
  bool bus_master = true;
  static const ConfigTable<HostConfig>& table();
};

}  // namespace dpusim::host
