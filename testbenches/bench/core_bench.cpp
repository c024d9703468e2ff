// Guest instructions a second of host time: one core, no SystemC. Functional is what --fidelity functional runs;
// approximate adds the Cortex-A72's costs, its branch predictor and caches, with memory at a fixed latency.
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <limits>
#include <memory>

#include "bench.h"
#include "cpu/a64/timing/cortex_timing.h"
#include "testbenches/cpu/flat_machine.h"

namespace dpusim_bench {
namespace {

using namespace dpusim::cpu;

/// DDR behind the crossbar: about 100 ns at 2.5 GHz.
class FixedLatency final : public MissPort {
 public:
  const Engine* engine = nullptr;
  std::uint32_t fill(unsigned, std::uint64_t, bool) override { return 250; }
  void write_back(unsigned, std::uint64_t) override {}
  [[nodiscard]] std::uint64_t cycle(unsigned) override { return engine->cycles(); }
};

struct Core {
  FixedLatency memory;
  Caches caches{CacheConfig{}, memory};
  CortexTiming timing{cortex_a72_timing(), caches, 0};
  FlatMachine machine;

  Core(const std::string& guest, bool timed) : machine(std::size_t{16} << 20, {}, timed ? &timing : nullptr) {
    memory.engine = &machine.engine;
    caches.connect(0, machine.engine);
    std::ifstream file(fmt::format("{}/{}.bin", BENCH_GUESTS, guest), std::ios::binary);
    const std::vector<char> image((std::istreambuf_iterator<char>(file)), {});
    if (image.empty()) throw std::runtime_error("no guest " + guest);
    constexpr std::uint64_t kEntry = 0x4010'0000, kRounds = kEntry + 8;  // guest_start.S
    std::memcpy(&machine.ram[kEntry - FlatMachine::kRam], image.data(), image.size());
    machine.poke(kRounds, std::numeric_limits<std::uint64_t>::max());
    machine.state().pc = kEntry;
  }
};

void run_core(benchmark::State& state, const std::string& guest, bool timed) {
  try {
    Core core(guest, timed);
    const std::uint64_t before = core.machine.engine.run(1'000'000).retired;  // translated and warm
    std::uint64_t retired = 0;
    for ([[maybe_unused]] auto _ : state) {
      const RunResult result = core.machine.engine.run(1'000'000);
      retired += result.retired;
      if (result.reason != StopReason::kBudget || !core.machine.exceptions.empty()) {
        state.SkipWithError("the guest stopped");
        break;
      }
    }
    state.counters["MIPS"] = benchmark::Counter(static_cast<double>(retired) * 1e-6, benchmark::Counter::kIsRate);
    state.counters["guest_instructions"] = static_cast<double>(before + retired);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

}  // namespace

void register_cores() {
  for (const std::string guest : {"loop", "mix"})
    for (const bool timed : {false, true}) {
      const std::string name = fmt::format("{}/{}", guest, timed ? "approximate" : "functional");
      const auto run = [=](benchmark::State& state) { run_core(state, guest, timed); };
      benchmark::RegisterBenchmark(("core/" + name).c_str(), run)->Unit(benchmark::kMillisecond);
      // For `instructions`, which counts all that one pass executes.
      benchmark::RegisterBenchmark(("count/" + name).c_str(), run)->Iterations(10)->Unit(benchmark::kMillisecond);
    }
}

}  // namespace dpusim_bench
