// The points of a sweep: the full product of its axes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sweep/sweep_file.h"

namespace dpusim::sweep {

/// One combination of axis values.
struct Point {
  std::uint64_t number = 0;         ///< from 0, in the order of the product: the last axis changes fastest
  std::vector<std::size_t> values;  ///< index into each axis's values
};

/// Returns point `number` of the product.
Point point_at(const SweepFile& sweep, std::uint64_t number);
/// Returns the number of a combination.
std::uint64_t number_of(const SweepFile& sweep, const std::vector<std::size_t>& values);
/// Returns the overrides of a point: the sweep's, then those of each axis.
std::vector<std::string> settings_of(const SweepFile& sweep, const Point& point);
/// Returns the arguments of `dpusim`: "run", platform, scenario, run options and overrides; without --out and --quiet.
std::vector<std::string> arguments_of(const SweepFile& sweep, const Point& point);
/// Returns "Port speed 25Gb/s, Memory DDR4-3200".
std::string point_text(const SweepFile& sweep, const Point& point);
/// Returns the name of a point's folder: its number from 1 on with at least four digits, and as many for all points.
std::string folder_name(const SweepFile& sweep, std::uint64_t number);

/// Reads "1-4,7": numbers from 1 on. @return one flag a point. @error ConfigError.
std::vector<bool> parse_selection(const std::string& text, std::uint64_t points);

}  // namespace dpusim::sweep
