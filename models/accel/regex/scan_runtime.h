// The functions of Vectorscan that scan, the same on every machine.
#pragma once

#include <hs/hs.h>

namespace dpusim::accel {

/// Vectorscan holds its scanning code once for each set of instructions (SSE4.2, AVX2, AVX-512) and takes the widest.
/// The wider ones of 5.4.9 miss matches depending on where the octets lie in memory, so the one for SSE4.2 is taken
/// wherever there is a choice.
struct ScanRuntime {
  decltype(&hs_open_stream) open;
  decltype(&hs_scan_stream) scan;
  decltype(&hs_reset_stream) reset;
  decltype(&hs_close_stream) close;
};

/// Returns the functions to use.
[[nodiscard]] const ScanRuntime& scan_runtime();

}  // namespace dpusim::accel
