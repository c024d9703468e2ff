// Advances time until something ends the run: firmware, traffic, a limit, the user.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/scenario_user.h"
#include "platform/card.h"
#include "platform/measurement.h"
#include "platform/progress.h"
#include "platform/run.h"
#include "platform/wires.h"
#include "sim/simulation.h"
#include "sim/systemc_time.h"

namespace dpusim::platform {

/// Advances time until something ends the run, and says what.
class Loop {
 public:
  Loop(const RunOptions& options, Simulation& simulation, Card& card, Wires& wires, StatSnapshots& snapshots,
       Measurement& measurement, Progress& progress)
      : options_(options),
        simulation_(simulation),
        card_(card),
        wires_(wires),
        snapshots_(snapshots),
        measurement_(measurement),
        progress_(progress),
        users_(card.all<host::ScenarioUser>()) {}

  /// Lets blocks prepare, and does what is due at time 0. @error ConfigError: what only prepared blocks can tell.
  void start();
  /// Runs to the end.
  void operator()();
  [[nodiscard]] int code() const { return code_; }
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  std::optional<double> share() const;

  // Looks whether there was work since the last slice.
  void measure();

  // The window lasts while the counter moves, and begins some time after it first has.
  void measure_counter();

  // Returns when the window begins: some time after the first frame, or after the first other work.
  [[nodiscard]] Time window_start() const;

  [[nodiscard]] bool programs_done() const;
  [[nodiscard]] bool any_program() const;
  /// Tells whether all that drives the card from outside has ended.
  [[nodiscard]] bool drivers_done() const { return wires_.sources_done(now()) && programs_done(); }
  [[nodiscard]] bool any_driver() const { return wires_.any_source() || any_program(); }

  bool end(int code, std::string reason);

  bool ended();

  // Returns what all cores have retired.
  [[nodiscard]] double instructions() const;

  // Asks firmware to finish, once. @return whether somebody was asked.
  bool ask_to_finish();

  Time next_stop() const;

  const RunOptions& options_;
  Simulation& simulation_;
  Card& card_;
  Wires& wires_;
  StatSnapshots& snapshots_;
  Measurement& measurement_;
  Progress& progress_;
  std::vector<std::pair<std::string, host::ScenarioUser*>> users_;
  Time worked_{0};
  bool drivers_ended_ = false;
  const Statistic* counter_ = nullptr;
  double counted_ = 0;
  std::optional<Time> counting_since_;
  Time next_snapshot_{options_.interval.value_or(Time(0))};
  std::uint64_t sent_ = 0;
  Time quiet_since_{0};
  std::optional<Time> asked_;
  int code_ = kExitDone;
  std::string reason_;
};

/// Makes SIGINT and SIGTERM end the run in order; a second one ends it at once.
void catch_signals();

}  // namespace dpusim::platform
