// The progress line of a run on a terminal.
#pragma once

#include <chrono>
#include <optional>

#include "sim/units.h"

namespace dpusim::platform {

/// Shows simulated time, share done, speed and time to go on standard error, at most ten times a second; nothing when
/// that is no terminal. Host time goes nowhere else.
class Progress {
 public:
  explicit Progress(bool wanted);
  void update(Time now, std::optional<double> share);
  /// Wipes the line, before other output.
  void clear();

 private:
  using Host = std::chrono::steady_clock;
  bool shown_;
  bool dirty_ = false;
  Host::time_point begin_, last_;
};

}  // namespace dpusim::platform
