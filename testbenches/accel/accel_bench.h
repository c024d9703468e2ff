// The engine room in a world of the test's making: memory of a fixed latency that remembers every access. No kernel.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "accel/accel_engine.h"
#include "accel/dma/dma_function.h"
#include "accel/dma/dma_type.h"
#include "sim/simulation.h"

namespace accel_bench {

using namespace dpusim;
using namespace dpusim::accel;
using namespace dpusim::literals;
using Octets = std::vector<std::uint8_t>;

/// Services of a run.
struct Run {
  std::vector<std::string> lines;
  Log log{[this](LogLevel, const std::string& line) { lines.push_back(line); }, [] { return Time(0); }};
  Simulation simulation{log, 1, Fidelity::kApproximate, "."};
  double stat(const std::string& path, Time now = Time(0)) {
    const Statistic* found = simulation.stats().find(path);
    if (found == nullptr) throw std::runtime_error("no statistic " + path);
    return found->scalar(now);
  }
};

class World : public AccelEnvironment {
 public:
  struct Access {
    bool write;
    std::uint64_t address;
    std::size_t octets;
    std::int64_t when;
    bool operator==(const Access&) const = default;
  };
  DmaResult dma(bool write, std::uint64_t address, std::span<std::uint8_t> data, Time when) override {
    accesses.push_back({write, address, data.size(), when.count()});
    const bool outside = address > memory.size() || data.size() > memory.size() - address;
    if (outside || (address < bad_end && address + data.size() > bad_begin)) return {when + latency, false};
    if (write) {
      std::memcpy(&memory[address], data.data(), data.size());
    } else {
      std::memcpy(data.data(), &memory[address], data.size());
    }
    return {when + latency, true};
  }
  void interrupt(unsigned queue) override { interrupts.push_back(queue); }
  /// Returns the accesses at addresses in [first, end).
  [[nodiscard]] std::vector<Access> between(std::uint64_t first, std::uint64_t end) const {
    std::vector<Access> all;
    std::copy_if(accesses.begin(), accesses.end(), std::back_inserter(all),
                 [=](const Access& a) { return a.address >= first && a.address < end; });
    return all;
  }

  Octets memory = Octets(4U << 20U);
  Time latency = 50_ns;
  std::uint64_t bad_begin = 0, bad_end = 0;
  std::vector<Access> accesses;
  std::vector<unsigned> interrupts;
};

/// Round numbers, so that times can be added by hand: 8 octets a nanosecond.
inline DmaConfig round_config() {
  DmaConfig config;
  config.queues = config.completion_queues = 4;
  config.engines = 1;
  config.setup = 100_ns;
  config.clock = 1_GHz;
  config.octets_per_cycle = 8;
  config.burst = 256_B;
  config.outstanding = 2;
  config.read_ahead = 16;
  config.overlap = 0;
  config.doorbell_latency = 10_ns;
  config.interrupt_latency = 30_ns;
  return config;
}

/// Answers what the test tells it to: a result after the source has been read, all at the end.
class ScriptedFunction : public Function {
 public:
  [[nodiscard]] std::uint8_t check(const AccelJob& job) const override {
    return job.opcode == 0x7f ? refuse : std::uint8_t{ACCEL_STATUS_BAD_OPCODE};
  }
  FunctionResult run(const AccelJob&, std::span<const std::uint8_t> source,
                     std::span<std::uint8_t> destination) override {
    ++runs;
    seen.assign(source.begin(), source.end());
    std::fill(destination.begin(), destination.end(), std::uint8_t{0xdd});
    return result;
  }
  void reset() override { ++resets; }
  std::uint8_t refuse = ACCEL_STATUS_OK;
  FunctionResult result;
  unsigned runs = 0, resets = 0;
  Octets seen;
};

/// 5 ns a job, 1 ns for 8 octets of source, 1 ns for each octet of result; nothing leaves before the end.
class ScriptedTiming : public Timing {
 public:
  [[nodiscard]] Time service(const AccelJob&, std::uint64_t in, std::uint64_t out) const override {
    return 5_ns + Time(static_cast<std::int64_t>(in * 125 + out * 1000));
  }
  [[nodiscard]] bool streams(const AccelJob&) const override { return false; }
};

/// An engine room whose completion queue c lies at 0x1000 + c * 0x1000 and submission ring q at 0x20000 + q * 0x4000;
/// data from 0x100000.
template <class F = DmaFunction, class T = DmaTiming>
struct EngineBench {
  static constexpr std::uint64_t kData = 0x100000, kOut = 0x200000;
  static constexpr std::uint64_t kBad = 1ULL << 40;  // no memory there
  explicit EngineBench(const DmaConfig& settings = round_config(), Fidelity fidelity = Fidelity::kApproximate)
      : config(settings),
        context(run.simulation, "dma", fidelity),
        timing(make_timing(settings)),
        engine(config, context, world, function, timing) {
    engine.set_enabled(true, 0_ps);
  }
  static T make_timing(const DmaConfig& config) {
    if constexpr (std::is_constructible_v<T, const DmaConfig&>) {
      return T(config);
    } else {
      return T();
    }
  }
  static std::uint64_t cq_base(unsigned queue) { return 0x1000 + queue * 0x1000ULL; }
  static std::uint64_t sq_base(unsigned queue) { return 0x20000 + queue * 0x4000ULL; }
  void start(unsigned queue = 0, unsigned log2 = 4, unsigned cq_log2 = 4) {
    engine.enable_completion(queue, cq_base(queue), cq_log2);
    engine.enable_submission(queue, sq_base(queue), log2, queue);
  }
  template <class X>
  void put(std::uint64_t address, const X& value) {
    std::memcpy(&world.memory[address], &value, sizeof value);
  }
  AccelCompletion completion(unsigned entry, unsigned queue = 0) {
    AccelCompletion value;
    std::memcpy(&value, &world.memory[cq_base(queue) + entry * sizeof value], sizeof value);
    return value;
  }
  /// Writes jobs behind those posted and rings the doorbell.
  void post(const std::vector<AccelJob>& jobs, Time when, unsigned queue = 0) {
    const JobRing& ring = engine.submission_ring(queue);
    std::uint16_t tail = ring.tail;
    for (const AccelJob& job : jobs) put(ring.address(tail++), job);
    engine.post(queue, tail, when);
  }
  static AccelJob copy(std::uint32_t octets, std::uint64_t from = kData, std::uint64_t to = kOut) {
    AccelJob job{};
    job.opcode = ACCEL_OP_COPY;
    job.cookie = 0xc0ffee;
    job.source = from;
    job.destination = to;
    job.source_length = job.destination_length = octets;
    return job;
  }
  static AccelJob scripted(std::uint32_t source, std::uint32_t destination) {
    AccelJob job = copy(source);
    job.opcode = 0x7f;
    job.destination_length = destination;
    return job;
  }
  void fill_source(std::size_t octets) {
    Random random(7, "source");
    for (std::size_t i = 0; i < octets; ++i) world.memory[kData + i] = static_cast<std::uint8_t>(random());
  }
  [[nodiscard]] bool copied(std::size_t octets) const {
    return std::equal(&world.memory[kData], &world.memory[kData] + octets, &world.memory[kOut]);
  }
  /// Runs one job to its end at once. @return its completion, which is the next of queue 0.
  AccelCompletion serve(const AccelJob& job) {
    post({job}, time);
    time += 1_ms;
    engine.run(time);
    const std::uint16_t entry = engine.completion_ring(0).tail;
    engine.consume(0, entry, time);
    return completion((entry - 1U) & ((1U << engine.completion_ring(0).log2) - 1U));
  }
  double stat(const std::string& name, Time now = Time(0)) { return run.stat("dma." + name, now); }
  std::vector<std::string> broken() { return run.simulation.stats().broken_laws(); }

  DmaConfig config;
  Run run;
  BlockContext context;
  World world;
  F function;
  T timing;
  AccelEngine engine;
  Time time{0};
};

using DmaBench = EngineBench<>;
using ScriptedBench = EngineBench<ScriptedFunction, ScriptedTiming>;

}  // namespace accel_bench
