// Parameters of the coherent crossbar.
#pragma once

#include "sim/config.h"

namespace dpusim::interconnect {

struct CrossbarConfig {
  Time hop_latency{3'000};
  Frequency clock{1'250'000'000};
  Bytes port_width{32};
  Bytes l3_size{6 * 1024 * 1024};
  unsigned l3_ways = 16;
  Bytes line{64};
  Time l3_latency{12'000};
  Time l3_lookup{4'000};
  Bytes l3_width{256};
  bool ddio = true;
  static const ConfigTable<CrossbarConfig>& table();
};

}  // namespace dpusim::interconnect
