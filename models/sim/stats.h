// Statistics of a run. A statistic registers itself in a group under its instance; unit and description are compulsory.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sim/histogram.h"
#include "sim/stats_group.h"
#include "sim/stats_value.h"

namespace dpusim {

/// Version of the layout of stats.json; raised when a reader of an older one would misread it.
inline constexpr int kStatsSchemaVersion = 1;

/// Returns the tree of `root` as JSON: {"schema": {"name": "dpusim-stats", "version": N}, "time_ps", "stats": {group:
/// {"frames": {"kind","unit","text","value"}}}}. Order is the order of registration, a group's statistics before its
/// sub-groups, so equal runs give equal bytes. Groups without statistics in them or below are left out.
nlohmann::ordered_json stats_to_json(const StatGroup& root, Time now);
/// Returns "path,kind,unit,field,value" lines, one a number (a histogram has several fields), with a header line. The
/// field of a single number is "value"; what is null in JSON is empty here.
std::string stats_to_csv(const StatGroup& root, Time now);
/// Returns the Markdown table of the statistics of `root` and below for a model's README: name (dotted path below
/// `root`), kind, unit and text.
std::string stats_markdown(const StatGroup& root);

/// Takes snapshots of all scalars at an interval: counters and histograms' counts as the difference since the last
/// snapshot, time averages over the time since the last snapshot, formulas by their FormulaKind, gauges as they stand.
class StatSnapshots {
 public:
  explicit StatSnapshots(const StatGroup& root) : root_(&root) {}
  /// Adds a row. The first call fixes the columns. @param now after the last call's. @error Defect when statistics came
  /// or went between two calls.
  void take(Time now);
  /// Returns CSV: "time_ps" and then one column a statistic (dotted path), a row a snapshot.
  [[nodiscard]] std::string to_csv() const;

 private:
  const StatGroup* root_;
  std::vector<std::string> columns_;
  std::vector<double> last_;  // cumulative values (counts, areas) at the last snapshot
  std::vector<std::pair<Time, std::vector<double>>> rows_;
};

}  // namespace dpusim
