// A sweep file: which parameters are varied, what is measured at each point, and which charts are drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace dpusim::sweep {

/// Most points of a sweep.
inline constexpr std::uint64_t kMaxPoints = 100'000;

/// One position on an axis.
struct AxisValue {
  std::string label;
  std::optional<double> number;       ///< place on a numeric axis, in Axis::unit; all values have one, or none
  std::vector<std::string> settings;  ///< overrides as of --set, "p0.rate=25Gb/s"
};

/// What is varied. Axes are crossed with one another.
struct Axis {
  std::string name;
  std::string unit;  ///< of the values' numbers, for the chart; may be empty
  std::vector<AxisValue> values;
};

/// A number taken from each point's results.
struct Measure {
  enum class Kind { kRate, kTotal, kHistogram, kLevel, kOccupancy };
  std::string name, unit;
  Kind kind = Kind::kRate;
  std::vector<std::string>
      sources;         ///< names in results.json; kRate, kTotal: patterns with '*', summed; kOccupancy: most
  std::string field;   ///< kHistogram: "p99"
  double scale = 1.0;  ///< result = scale x what results.json has
  std::string path;    ///< JSON path, "measures[0]"
};

/// A chart: measures over one axis, a curve for each value of another, a panel for each value of the rest.
struct Chart {
  enum class Scale { kAuto, kLinear, kLog, kCategory };
  std::string title;
  std::size_t x = 0;                  ///< axis
  std::vector<std::size_t> measures;  ///< of one unit
  std::optional<std::size_t> series;  ///< axis
  std::vector<std::size_t> panels;    ///< axes; together with x and series these are all axes
  bool log_y = false;
  Scale x_scale = Scale::kAuto;
};

/// A sweep as read.
struct SweepFile {
  std::string name, description;
  std::string platform;                ///< as written
  std::string scenario;                ///< as written; may be empty
  std::vector<std::string> settings;   ///< of all points
  nlohmann::ordered_json run;          ///< run options as written
  std::vector<std::string> arguments;  ///< the same as arguments of `dpusim run`
  bool limited = false;                ///< a run option ends runs, so that exit code 3 is a normal end
  bool functional = false;             ///< the run options ask for functional fidelity
  std::vector<Axis> axes;
  std::vector<Measure> measures;
  std::vector<Chart> charts;
  std::filesystem::path folder;  ///< of the file, absolute; paths in the file are relative to it
  /// Returns how many points there are.
  [[nodiscard]] std::uint64_t points() const;
};

/// Reads a sweep file. @error ConfigError with JSON path: unknown keys (with the nearest), types, ranges, names that
/// occur twice or not at all, more than kMaxPoints points, measures of time with functional fidelity.
SweepFile read_sweep(const std::filesystem::path& file);

/// Reads what read_sweep has loaded. @param stem the name of a sweep without "name".
SweepFile parse_sweep(const nlohmann::ordered_json& json, const std::string& stem, const std::filesystem::path& folder);

/// Reads the key "axes". @error ConfigError.
std::vector<Axis> parse_axes(const nlohmann::ordered_json& json, const std::string& path);
/// Reads the key "measures". @error ConfigError.
std::vector<Measure> parse_measures(const nlohmann::ordered_json& json, const std::string& path);
/// Reads the key "charts"; null gives one chart a measure. @error ConfigError.
std::vector<Chart> parse_charts(const nlohmann::ordered_json& json, const std::string& path, const SweepFile& sweep);

}  // namespace dpusim::sweep
