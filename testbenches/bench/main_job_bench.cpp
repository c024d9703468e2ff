// Host time a frame through the whole main job: capture -> port p0 -> NIC -> l3fwd on one core -> port p1. Runs dpusim
// as users do, on two lengths of capture; the difference is free of start-up and firmware's own beginning and end.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "bench.h"
#include "testbenches/net/packets.h"

namespace dpusim_bench {
namespace {

constexpr unsigned kShort = 10'000, kLong = 50'000;

/// Writes a nanosecond pcap of UDP frames that l3fwd routes from p0 to p1. @param octets without FCS.
void write_capture(const std::string& path, unsigned frames, std::size_t octets, unsigned gap_ns) {
  constexpr std::size_t kHeaders = 14 + 20 + 8;
  packets::Octets frame = packets::ip_frame("192.0.2.2", "198.51.100.2", 17, 4000, 4001, octets - kHeaders);
  frame[4] = frame[5] = 1;  // port 0 of l3fwd's own tables
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
  if (file == nullptr) throw std::runtime_error(path + " cannot be written");
  const std::uint32_t header[] = {0xa1b23c4d, 4U << 16 | 2, 0, 0, 262144, 1};
  std::fwrite(header, sizeof header, 1, file.get());
  for (unsigned i = 0; i < frames; ++i) {
    const auto length = static_cast<std::uint32_t>(frame.size());
    const std::uint64_t when = std::uint64_t{i} * gap_ns;
    const std::uint32_t record[] = {static_cast<std::uint32_t>(when / 1'000'000'000),
                                    static_cast<std::uint32_t>(when % 1'000'000'000), length, length};
    std::fwrite(record, sizeof record, 1, file.get());
    std::fwrite(frame.data(), frame.size(), 1, file.get());
  }
}

struct Cost {
  double seconds, instructions;
};

Cost forward(unsigned frames, std::size_t octets, unsigned gap_ns, const std::string& fidelity) {
  const std::string capture = scratch() + "/in.pcap", run = scratch() + "/run";
  write_capture(capture, frames, octets, gap_ns);
  const double seconds = child_cpu_seconds({DPUSIM_BINARY_DIR "/bin/dpusim", "run", "bluefield2", "--quiet", "--set",
                                            "cpu.cores=1", "--firmware", DPUSIM_BINARY_DIR "/firmware/l3fwd.elf",
                                            "--rx", "p0=" + capture, "--fidelity", fidelity, "--out", run});
  if (run_statistic(run, "p1", "aFramesTransmittedOK") != frames) throw std::runtime_error("frames were lost");
  return {seconds, run_statistic(run, "cpu.core0", "instructions")};
}

void main_job(benchmark::State& state, std::size_t octets, unsigned gap_ns, const std::string& fidelity) {
  double seconds = 0, instructions = 0;
  try {
    for ([[maybe_unused]] auto _ : state) {
      const Cost small = forward(kShort, octets, gap_ns, fidelity), large = forward(kLong, octets, gap_ns, fidelity);
      const double difference = std::max(large.seconds - small.seconds, 1e-9);
      seconds += difference;
      instructions += large.instructions - small.instructions;
      state.SetIterationTime(difference);
    }
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
    return;
  }
  const double frames = static_cast<double>(state.iterations()) * (kLong - kShort);
  state.counters["ns"] = seconds / frames * 1e9;
  state.counters["each/s"] = frames / seconds;
  state.counters["guest_instructions"] = instructions / frames;
}

}  // namespace

void register_main_job() {
  for (const std::string fidelity : {"functional", "approximate"})
    for (const std::size_t octets : {64U, 1500U})
      for (const unsigned gap_ns : {1000U, 400U})
        benchmark::RegisterBenchmark(fmt::format("main_job/{}/{}/gap_{}ns", octets, fidelity, gap_ns).c_str(),
                                     [=](benchmark::State& state) { main_job(state, octets - 4, gap_ns, fidelity); })
            ->UseManualTime()
            ->Iterations(1)
            ->Unit(benchmark::kMillisecond);
}

}  // namespace dpusim_bench
