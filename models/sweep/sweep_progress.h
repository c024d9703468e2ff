// Tells the user how far a sweep is.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace dpusim::sweep {

/// A bar with points done, failures and time to go on a terminal; elsewhere a line a point. Writes to standard error.
class SweepProgress {
 public:
  /// @param done points that an earlier sweep has done.
  SweepProgress(bool wanted, std::uint64_t points, std::uint64_t done);
  ~SweepProgress();
  SweepProgress(const SweepProgress&) = delete;
  SweepProgress& operator=(const SweepProgress&) = delete;
  /// Reports a point that has ended. @param reason of its failure; empty when it is done.
  void ended(std::uint64_t number, const std::string& point, const std::string& reason);
  /// Draws the bar anew, at most ten times a second.
  void refresh();

 private:
  using Host = std::chrono::steady_clock;
  void draw();
  void clear();
  bool shown_, terminal_;
  std::uint64_t points_, before_, ended_ = 0, failed_ = 0;
  Host::time_point begin_, last_;
  bool dirty_ = false;
};

/// Returns a bar of `width` characters, "[####......]".
std::string bar(double share, unsigned width);
/// Returns "40 s", "12 min" or "3 h 05 min".
std::string short_time(double seconds);

}  // namespace dpusim::sweep
