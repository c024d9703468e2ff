// The same guests on dpusim and on what a user would run instead: QEMU's machine and its Linux user emulation. Each is
// a child process at two lengths; the difference is free of start-up. QEMU has no model of time or of a card.
#include <fmt/format.h>

#include <map>

#include "bench.h"

namespace dpusim_bench {
namespace {

enum class Simulator { kFunctional, kApproximate, kQemuSystem, kQemuUser };

std::string guest(const std::string& name, Simulator on, bool is_long) {
  return fmt::format("{}/{}{}{}.elf", BENCH_GUESTS, name, on == Simulator::kQemuUser ? "-user" : "",
                     is_long ? "-long" : "");
}

double run(const std::string& name, Simulator on, bool is_long) {
  const std::string image = guest(name, on, is_long);
  if (on == Simulator::kQemuUser) return child_cpu_seconds({"qemu-aarch64", "-cpu", "cortex-a72", image});
  if (on == Simulator::kQemuSystem)
    return child_cpu_seconds({"qemu-system-aarch64", "-M", "virt,virtualization=on", "-cpu", "cortex-a72", "-m", "256",
                              "-nic", "none", "-display", "none", "-serial", "none", "-monitor", "none", "-semihosting", "-kernel",
                              image});
  return child_cpu_seconds({DPUSIM_BINARY_DIR "/bin/dpusim", "run", "bluefield2", "--quiet", "--set", "cpu.cores=1",
                            "--firmware", image, "--fidelity",
                            on == Simulator::kFunctional ? "functional" : "approximate", "--out", scratch() + "/run"});
}

/// Returns the instructions between the two lengths of a guest, which dpusim has counted.
double instructions(const std::string& name) {
  static std::map<std::string, double> known;
  const auto at = known.find(name);
  if (at != known.end()) return at->second;
  double difference = 0;
  for (const bool is_long : {false, true}) {
    run(name, Simulator::kFunctional, is_long);
    difference = run_statistic(scratch() + "/run", "cpu.core0", "instructions") - difference;
  }
  return known[name] = difference;
}

void peer(benchmark::State& state, const std::string& name, Simulator on) {
  double seconds = 0, count = 0;
  try {
    count = instructions(name);
    for ([[maybe_unused]] auto _ : state) {
      const double difference = std::max(run(name, on, true) - run(name, on, false), 1e-9);
      seconds += difference;
      state.SetIterationTime(difference);
    }
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
    return;
  }
  state.counters["MIPS"] = count * static_cast<double>(state.iterations()) / seconds * 1e-6;
}

}  // namespace

void register_peers() {
  const std::pair<const char*, Simulator> kSimulators[] = {{"dpusim_functional", Simulator::kFunctional},
                                                           {"dpusim_approximate", Simulator::kApproximate},
                                                           {"qemu_system", Simulator::kQemuSystem},
                                                           {"qemu_user", Simulator::kQemuUser}};
  for (const std::string name : {"loop", "mix"})
    for (const auto& [simulator, on] : kSimulators)
      benchmark::RegisterBenchmark(fmt::format("peers/{}/{}", name, simulator).c_str(),
                                   [name, on = on](benchmark::State& state) { peer(state, name, on); })
          ->UseManualTime()
          ->Iterations(1)
          ->Unit(benchmark::kMillisecond);
}

}  // namespace dpusim_bench
