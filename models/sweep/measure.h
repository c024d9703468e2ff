// Takes measures and the bottleneck from a run's results.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sweep/sweep_file.h"

namespace dpusim::sweep {

/// The resource that limited a run.
struct Bottleneck {
  std::string resource;  ///< empty: none was found
  double occupancy = 0;
  bool saturated = false;
  std::string text;
};

/// What a sweep keeps of a run.
struct Measured {
  std::vector<std::optional<double>> values;  ///< one a measure; nothing: no samples
  Bottleneck bottleneck;
};

/// Returns a run's statistics (stats.json), which tell a counter that did not move from one that does not exist.
using LoadStats = std::function<nlohmann::ordered_json()>;

/// Takes all measures from `results` (results.json). @error ConfigError: a name that the run does not have, with the
/// nearest; a measure of time from a functional run.
Measured measure(const std::vector<Measure>& measures, const nlohmann::ordered_json& results, const LoadStats& stats);

}  // namespace dpusim::sweep
