// Results of a sweep as JSON and as a table. Neither has host times or host paths: the same sweep gives the same bytes.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sweep/sweep.h"

namespace dpusim::sweep {

/// What all points of a sweep have in common.
struct SweepFacts {
  std::string version, seed, fidelity;
};

/// Returns results.json. @param results one a point, in the order of the product.
nlohmann::ordered_json results_json(const SweepFile& sweep, const SweepFacts& facts,
                                    const std::vector<PointResult>& results);
/// Returns results.csv (RFC 4180): one row a point.
std::string results_csv(const SweepFile& sweep, const std::vector<PointResult>& results);
/// Returns "done", "failed" or "not run".
const char* status_text(PointResult::Status status);
/// Returns a measure's name with its unit, "Forwarded (Gb/s)".
std::string with_unit(const std::string& name, const std::string& unit);

}  // namespace dpusim::sweep
