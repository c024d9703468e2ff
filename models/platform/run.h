// One run: a platform, firmware, captures in and out, limits; results in a run directory.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/scenario.h"
#include "sim/log.h"
#include "sim/simulation.h"
#include "sim/units.h"

namespace dpusim::platform {

/// Exit codes of dpusim.
enum ExitCode {
  kExitDone = 0,     ///< the run ended as it should
  kExitFailure = 1,  ///< the guest or the scenario reported failure
  kExitUsage = 2,    ///< wrong use or configuration; nothing was run
  kExitLimit = 3,    ///< a limit, or the user, ended the run; results are written
  kExitDefect = 4,   ///< a defect of dpusim
};

/// What `dpusim run` was asked for.
struct RunOptions {
  std::string platform;
  std::vector<std::string> overrides;  ///< --set
  std::vector<std::string> firmware;   ///< --firmware, FILE or FILE@ADDRESS; the first is entered
  std::vector<Traffic> receive;        ///< --rx, and what a scenario has
  std::vector<std::pair<std::string, std::string>> transmit;  ///< --tx, port and file
  std::vector<std::pair<std::string, std::string>> cables;    ///< of a scenario: two ports
  Time cable_delay{0};
  std::vector<std::pair<std::string, nlohmann::ordered_json>> programs;  ///< of a scenario: block and list
  nlohmann::ordered_json scenario;                                       ///< as read; null without one
  Time start{20'000'000'000};  ///< --start: when the first frame of the captures is on the wire
  Time warmup{0};              ///< --warmup: traffic that flows before rates are measured
  std::string window_of;      ///< --window-of: a counter; rates are measured while it moves. Empty: while anything does
  std::optional<Time> until;  ///< limit of simulated time
  std::optional<Time> interval;  ///< between statistics snapshots
  Time settle{100'000'000};      ///< without a frame after the captures end, before firmware is asked to finish
  Time grace{100'000'000'000};   ///< that firmware has to finish when asked
  Fidelity fidelity = Fidelity::kApproximate;
  std::uint64_t seed = 1;
  std::filesystem::path out;                      ///< run directory; empty: run-<platform>
  std::vector<std::string> log;                   ///< "level" or "instance=level"
  std::vector<std::string> files;                 ///< --file, PATH or PATH=NAME: copied to where firmware reads files
  std::optional<std::uint64_t> max_instructions;  ///< limit of instructions retired by all cores
  std::string arguments;                          ///< command line that firmware reads by semihosting
  bool quiet = false;                             ///< no progress line and no summary
};

/// Runs. Messages go to standard error, the summary to standard output, results to the run directory.
/// @return an ExitCode. @error ConfigError before time starts, Defect.
int run(const RunOptions& options);

}  // namespace dpusim::platform
