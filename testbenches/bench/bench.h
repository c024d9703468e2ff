// What the files of dpusim_bench share. Times are CPU time of the process, which other jobs on the machine disturb less
// than wall time.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

namespace dpusim_bench {

// SystemC elaborates once in a process, so all modules that any benchmark needs are made before the first starts. Each
// function makes the modules of its file and registers the benchmarks on them.
void register_cores();
void register_frames();
void register_memory();
void register_services();
void register_main_job();
void register_peers();

/// Runs a program to its end with its output thrown away. @return CPU seconds, user and system, of it and its children.
/// @error std::runtime_error when it cannot be started or does not exit with 0.
double child_cpu_seconds(const std::vector<std::string>& command);

/// A folder of this process's own, removed at its end.
const std::string& scratch();

/// Returns a number of `group` (a dotted path) in the stats.json of a run directory. @error std::exception when it is
/// not there.
double run_statistic(const std::string& run, const std::string& group, const std::string& name);

/// Adds the counters "ns" (CPU nanoseconds each) and "each/s" for things done in timed iterations.
inline void report_each(benchmark::State& state, double things) {
  using benchmark::Counter;
  state.counters["ns"] = Counter(things * 1e-9, Counter::kIsRate | Counter::kInvert);
  state.counters["each/s"] = Counter(things, Counter::kIsRate);
}

}  // namespace dpusim_bench
