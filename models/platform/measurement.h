// The window of a run in which rates and occupancies are measured, and the results as JSON.
#pragma once

#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "platform/bottleneck.h"
#include "platform/card.h"
#include "platform/summary.h"
#include "sim/stats.h"

namespace dpusim::platform {

/// Version of the layout of results.json; raised when a reader of an older one would misread it.
inline constexpr int kResultsSchemaVersion = 1;

/// Measures from the first work of the data path to the last (Simulation::note_work), so that neither firmware's start
/// nor the quiet end dilutes a rate. Looks at the counters between slices of time only, so the window is whole slices:
/// it begins no later than one slice after the first work (exactly there when that is known beforehand) and ends within
/// one slice of the last.
class Measurement {
 public:
  Measurement(const Card& card, const StatGroup& root) : card_(card), root_(root) {}
  [[nodiscard]] bool begun() const { return begin_.has_value(); }
  /// Tells whether the window has a length.
  [[nodiscard]] bool measured() const { return end_.has_value(); }
  /// Notes the counters as the window's begin. Once.
  void begin(Time now);
  /// Notes the counters as the window's end so far. @param now after begin()'s.
  void extend(Time now);
  /// Returns the length of a slice that keeps the window's edges sharp against its length so far.
  [[nodiscard]] Time slice(Time now) const;

  /// Returns the resources, most occupied first; none without a window.
  [[nodiscard]] std::vector<Resource> resources() const;
  /// Returns the shares of received frames that were dropped within the window: ports' ifInDiscards and NICs'
  /// dropped_*, but not those that software asked to drop (dropped_disabled).
  [[nodiscard]] Losses losses() const;
  /// Returns results.json. Functional fidelity: totals and counts only, since rates would be no measurements.
  [[nodiscard]] nlohmann::ordered_json results(const Outcome& outcome) const;

 private:
  struct Column {
    std::string path;
    const Statistic* statistic;
    bool port;  // of an Ethernet port
  };
  struct Snapshot {
    Time when;
    std::vector<double> values;  // cumulative: counts, and time means times the time
  };
  void collect(const StatGroup& group, const std::string& prefix, bool port);
  [[nodiscard]] Snapshot take(Time now) const;
  [[nodiscard]] double difference(std::size_t column) const { return end_->values[column] - begin_->values[column]; }

  const Card& card_;
  const StatGroup& root_;
  std::vector<Column> columns_;
  std::optional<Snapshot> begin_, end_;
};

}  // namespace dpusim::platform
