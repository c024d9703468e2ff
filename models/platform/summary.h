// The table that a run prints: what came in, what left, what was dropped and why, how long it took, how busy the card
// was.
#pragma once

#include <string>

#include "platform/card.h"
#include "sim/simulation.h"
#include "sim/stats.h"

namespace dpusim::platform {

/// How a run ended.
struct Outcome {
  int code;
  std::string reason;
  Time time;
  Fidelity fidelity;
};

/// Returns the summary. Every number is also in stats.json, under the name in parentheses where it is not the same.
/// With functional fidelity there are no rates, latencies or utilisations, since they would be no measurements.
std::string summarise(const Card& card, const StatGroup& stats, const Outcome& outcome);

}  // namespace dpusim::platform
