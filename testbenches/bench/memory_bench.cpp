// Host cost of an access through crossbar (with its L3) and DDR: approximate fidelity.
#include <fmt/format.h>

#include "bench.h"
#include "interconnect/crossbar.h"
#include "mem/ddr.h"
#include "sim/systemc_time.h"
#include "testbenches/tlm/memory_stub.h"

namespace dpusim_bench {
namespace {

using namespace dpusim;
using namespace dpusim::literals;
using dpusim::test::InitiatorStub;

/// A cluster's and a device's side of the crossbar; the cluster's hears of the device's writes.
struct World : CoherentAgent {
  Log log{[](LogLevel, const std::string&) {}, [] { return now(); }};
  Simulation simulation{log, 1, Fidelity::kApproximate, "."};
  interconnect::Crossbar noc{{simulation, "noc", Fidelity::kApproximate}, {}};
  mem::Ddr ddr{{simulation, "ddr", Fidelity::kApproximate}, ddr_config()};
  InitiatorStub cores{"cores"}, device{"device"};

  static mem::DdrConfig ddr_config() {
    mem::DdrConfig config;
    config.capacity = 1_GiB;
    return config;
  }
  World() {
    noc.map("ddr", 0, std::uint64_t{1} << 30, ddr.socket);
    noc.add_agent(noc.connect("cores", cores.socket), *this);
    noc.connect("device", device.socket);
  }
  void snoop_write(std::uint64_t, std::uint64_t) override {}
};

/// Accesses `step` octets apart in the first `span` octets of memory, `gap` of simulated time apart.
struct Pattern {
  const char* name;
  bool device;
  ::tlm::tlm_command command;
  bool timing_only, allocate;
  unsigned length;
  std::uint64_t step, span;
  Time gap;
};

void access(benchmark::State& state, World& world, const Pattern& pattern) {
  std::vector<std::uint8_t> data(4096);
  TransferAttributes attributes;
  attributes.timing_only = pattern.timing_only;
  attributes.allocate = pattern.allocate;
  ::tlm::tlm_generic_payload payload;
  payload.set_extension(&attributes);
  MemoryInitiatorSocket& socket = (pattern.device ? world.device : world.cores).socket;
  std::uint64_t address = 0;
  Time at{0};
  bool good = true;
  for ([[maybe_unused]] auto _ : state) {
    InitiatorStub::prepare(payload, pattern.command, address, data.data(), pattern.length);
    sc_core::sc_time delay = to_sc(at);
    socket->b_transport(payload, delay);
    good &= payload.is_response_ok();
    at += pattern.gap;
    address = (address + pattern.step) % pattern.span;
    if (at > 1_us) {  // a quantum
      at = Time(0);
      sc_core::sc_start(1, sc_core::SC_US);
    }
  }
  payload.clear_extension(&attributes);
  if (!good) state.SkipWithError("access refused");
  report_each(state, static_cast<double>(state.iterations()));
}

}  // namespace

void register_memory() {
  static World world;
  constexpr auto kRead = ::tlm::TLM_READ_COMMAND, kWrite = ::tlm::TLM_WRITE_COMMAND;
  constexpr std::uint64_t kMiB = 1 << 20;
  static const Pattern kPatterns[] = {
      {"core_read_64/l3_hit", false, kRead, false, true, 64, 64, kMiB, 10_ns},
      {"core_fill_64/l3_hit", false, kRead, true, true, 64, 64, kMiB, 10_ns},
      {"core_fill_64/l3_miss", false, kRead, true, true, 64, 64 * 67, 900 * kMiB, 10_ns},
      {"device_read_64/l3_miss", true, kRead, false, true, 64, 64 * 67, 64 * kMiB, 10_ns},
      {"device_write_1500/l3_hit", true, kWrite, false, true, 1500, 2048, 2 * kMiB, 120_ns},
      {"device_write_1500/l3_thrash", true, kWrite, false, true, 1500, 2048, 64 * kMiB, 120_ns},
      {"device_read_1500/l3_miss", true, kRead, false, true, 1500, 2048, 512 * kMiB, 120_ns},
      {"device_write_1500/around_l3", true, kWrite, false, false, 1500, 2048, 64 * kMiB, 120_ns},
  };
  for (const Pattern& pattern : kPatterns)
    benchmark::RegisterBenchmark(fmt::format("memory/{}", pattern.name).c_str(),
                                 [&pattern](benchmark::State& state) { access(state, world, pattern); });
}

}  // namespace dpusim_bench
