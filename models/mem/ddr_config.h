// Parameters of a DDR memory and its controller.
#pragma once

#include "sim/config.h"

namespace dpusim::mem {

/// In which state an access is taken to find its row.
enum class RowState {
  kHit,       ///< open: tCL
  kClosed,    ///< precharged: tRCD + tCL
  kConflict,  ///< another row open: tRP + tRCD + tCL
};

/// Defaults: one channel of DDR4-3200AA, 64 bits, as BlueField-2 has (docs/accuracy rows A002 to A005, C001 to C003,
/// C018, C019).
struct DdrConfig {
  Bytes capacity{std::uint64_t{16} << 30};
  DataRate data_rate{3'200'000'000};
  unsigned bus_width = 64;
  unsigned burst_length = 8;
  unsigned channels = 1;
  Bytes interleave{256};
  Cycles tCL{22}, tRCD{22}, tRP{22};
  RowState row_state = RowState::kClosed;
  Time tRFC{350'000}, tREFI{7'800'000};
  Time controller_latency{10'000};
  double efficiency = 0.86;
  unsigned write_queue = 32;
  static const ConfigTable<DdrConfig>& table();
};

}  // namespace dpusim::mem
