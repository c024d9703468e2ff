// Runs a sweep: one process of dpusim a point, several at a time; results as table, JSON and page.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sweep/measure.h"
#include "sweep/point.h"
#include "sweep/sweep_file.h"

namespace dpusim::sweep {

/// What the run of one point will read, as far as it is known before.
struct Inspection {
  std::string inputs;       ///< stands for all inputs: equal texts, equal results
  bool limited = false;     ///< the scenario ends runs by a limit, so that exit code 3 is a normal end
  bool functional = false;  ///< the run measures no time
  std::string seed;         ///< that the scenario sets; may be empty
};

/// The simulator that runs the points.
struct Simulator {
  std::string program;   ///< path of dpusim
  std::string version;   ///< as results name it
  std::string identity;  ///< changes with the program: results of another are not reused
  /// Reads the inputs of a point without running it; may be empty. @error ConfigError: what a run would end with exit
  /// code 2 for.
  std::function<Inspection(const std::vector<std::string>& settings)> inspect;
};

/// How a sweep is run.
struct SweepOptions {
  std::filesystem::path out;   ///< sweep directory
  unsigned jobs = 1;           ///< processes at a time
  bool resume = false;         ///< keep points of an earlier sweep in `out` whose inputs are the same
  std::vector<bool> selected;  ///< points to run; empty: all
  bool quiet = false;          ///< no progress and no summary
};

/// What came out of a point.
struct PointResult {
  enum class Status { kNotRun, kDone, kFailed };
  Status status = Status::kNotRun;
  int exit_code = 0;
  std::string reason;  ///< of a failure; of a normal end, what the run said
  Measured measured;
};

/// Runs a sweep and writes results.csv, results.json and index.html to its directory. Progress goes to standard error,
/// a summary to standard output.
/// @return 0; 1 when a point failed; 3 when the user interrupted it, in which case `resume` can go on.
/// @error ConfigError before a point is run, or when no point's configuration is right; OutputError.
int run_sweep(const SweepFile& sweep, const Simulator& simulator, const SweepOptions& options);

/// Checks before anything runs that each value of each axis has a point whose configuration is right. @error
/// ConfigError.
void check_axes(const SweepFile& sweep, const Simulator& simulator);

}  // namespace dpusim::sweep
