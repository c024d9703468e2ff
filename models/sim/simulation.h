// What one run gives to every instance: statistics, log, random seed, fidelity, run directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "sim/log.h"
#include "sim/random.h"
#include "sim/stats.h"

namespace dpusim {

/// How faithfully time is modelled. Values are the same in both.
enum class Fidelity {
  kFunctional,   ///< every instruction one cycle, memory and devices without contention; no timing result is a
                 ///< measurement
  kApproximate,  ///< cycle-approximate
};

/// Services of a run. One per process and outlives all instances.
class Simulation {
 public:
  Simulation(Log& log, std::uint64_t seed, Fidelity fidelity, std::filesystem::path run_dir)
      : log_(&log), seed_(seed), fidelity_(fidelity), run_dir_(std::move(run_dir)), stats_("") {}
  [[nodiscard]] Log& log() { return *log_; }
  [[nodiscard]] StatGroup& stats() { return stats_; }
  [[nodiscard]] Fidelity fidelity() const { return fidelity_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  /// Returns the directory that results go to.
  [[nodiscard]] const std::filesystem::path& run_dir() const { return run_dir_; }
  /// Returns the directory that guests' file I/O is confined to, a part of run_dir().
  [[nodiscard]] std::filesystem::path guest_dir() const { return run_dir_ / "files"; }
  /// Asks the run to end in order, as soon as control returns to the kernel. @param code exit code (0 done, 1 guest
  /// failure).
  void request_stop(int code, const std::string& reason);
  [[nodiscard]] bool stop_requested() const { return stop_requested_; }
  [[nodiscard]] int stop_code() const { return stop_code_; }
  [[nodiscard]] const std::string& stop_reason() const { return stop_reason_; }
  /// Notes that the data path did something useful: a frame on a wire, a job of an engine, a transfer of a host. From the first to the last
  /// such time is the window in which a run's rates and occupancies are measured.
  void note_work(Time when) {
    if (when < first_work_) first_work_ = when;
    if (when > last_work_) last_work_ = when;
  }
  /// Returns the first time noted, kTimeMax when there was none.
  [[nodiscard]] Time first_work() const { return first_work_; }
  /// Returns the last time noted, 0 when there was none. A model may note what it has booked ahead.
  [[nodiscard]] Time last_work() const { return last_work_; }
  /// Called by request_stop; the kernel adapter puts sc_stop() here.
  void (*stop_hook)() = nullptr;

 private:
  Log* log_;
  std::uint64_t seed_;
  Fidelity fidelity_;
  std::filesystem::path run_dir_;
  StatGroup stats_;
  Time first_work_ = kTimeMax, last_work_{0};
  bool stop_requested_ = false;
  int stop_code_ = 0;
  std::string stop_reason_;
};

/// What an instance is given at construction: its name, its statistics, its logger, and the run's services.
struct BlockContext {
  BlockContext(Simulation& sim, std::string instance, Fidelity how)
      : simulation(sim), name(instance), stats(sim.stats().child(instance)), log(sim.log(), instance), fidelity(how) {}
  Simulation& simulation;
  std::string name;
  StatGroup& stats;
  Logger log;
  Fidelity fidelity;
  [[nodiscard]] Random random() const { return {simulation.seed(), name}; }
};

}  // namespace dpusim
