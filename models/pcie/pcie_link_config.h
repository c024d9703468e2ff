// Parameters of a link.
#pragma once

#include "pcie/pcie_packets.h"
#include "sim/config.h"

namespace dpusim::pcie {

struct PcieLinkConfig {
  unsigned generation = 4;
  unsigned lanes = 16;
  Bytes mps{256};
  Bytes mrrs{512};
  Bytes rcb{64};
  unsigned tags = 256;
  unsigned posted_credits = 508;
  Time latency{125'000};
  bool ecrc = false;
  double dllp_overhead = 0;
  [[nodiscard]] LinkShape shape() const { return {generation, lanes, mps, mrrs, rcb, ecrc, dllp_overhead}; }
  static const ConfigTable<PcieLinkConfig>& table();
};

}  // namespace dpusim::pcie
