// DDR4-3200: a clock is 0.625 ns; 22 clocks are 13.75 ns; a burst of 8 is 4 clocks, 2.5 ns.
#include <catch2/catch.hpp>

#include "mem/ddr_timing.h"
#include "sim/error.h"

using namespace dpusim;
using namespace dpusim::literals;
using mem::DdrBusTiming;
using mem::DdrConfig;
using mem::RowState;

namespace {

// No refresh, no loss, no controller: what is left is JEDEC arithmetic.
DdrConfig bare() {
  DdrConfig config;
  config.tRFC = 0_ns;
  config.efficiency = 1;
  config.controller_latency = 0_ns;
  return config;
}

struct Bench {
  explicit Bench(const DdrConfig& config) : timing(config, group) {}
  StatGroup group{"ddr"};
  DdrBusTiming timing;
  Time read(Time at, std::uint64_t address, std::uint64_t octets) { return timing.access(at, address, octets, false); }
  Time write(Time at, std::uint64_t address, std::uint64_t octets) { return timing.access(at, address, octets, true); }
};

}  // namespace

TEST_CASE("peak bandwidth is data rate times width times channels") {
  CHECK(Bench(DdrConfig{}).timing.peak_bandwidth() == 25.6e9);  // row A005
  DdrConfig ddr5;  // row A020: 128 bits at 5600 MT/s, here as four 32-bit subchannels
  ddr5.data_rate = 5'600_MTps;
  ddr5.bus_width = 32;
  ddr5.burst_length = 16;
  ddr5.channels = 4;
  CHECK(Bench(ddr5).timing.peak_bandwidth() == 89.6e9);
}

TEST_CASE("unloaded read latency is the JEDEC sum of the row state") {
  DdrConfig config = bare();
  const auto [state, clocks] = GENERATE(table<RowState, int>({
      {RowState::kHit, 22 + 4},          // tCL + burst
      {RowState::kClosed, 22 + 22 + 4},  // tRCD + tCL + burst
      {RowState::kConflict,
       22 + 22 + 22 + 4}  // tRP + tRCD + tCL + burst: 70; Ramulator 2.1 measures 69.6 on random single reads
  }));
  config.row_state = state;
  Bench bench(config);
  CHECK(bench.read(1'000_ns, 0, 64) == 1'000_ns + Time(625) * clocks);
  CHECK(bench.timing.unloaded(64, false) == Time(625) * clocks);
  CHECK(DdrBusTiming::unloaded_read(config) == Time(625) * clocks);
  config.controller_latency = 10_ns;
  CHECK(Bench(config).read(0_ns, 0, 64) == 10_ns + Time(625) * clocks);
}

TEST_CASE("refresh and scheduling losses lengthen occupation, not an unloaded access") {
  DdrConfig config = bare();
  config.tRFC = 390_ns;
  config.tREFI = 7'800_ns;  // 5 % of the time
  config.efficiency = 0.5;
  Bench bench(config);
  CHECK(bench.timing.burst_time() == 2'500_ps);
  CHECK(bench.timing.service(1) == 5'263_ps);  // 2.5 / (0.5 x 0.95) = 5.26316 ns
  // 5.263157895 ns each: no rounding error adds up (2^-17 ps a burst at most).
  const Time million = bench.timing.service(1'000'000);
  CHECK(million >= Time(5'263'157'895 - 8));
  CHECK(million <= Time(5'263'157'895 + 8));
  CHECK(bench.read(0_ns, 0, 64) == Time(625) * 48);
  CHECK(bench.read(0_ns, 64, 64) == Time(625) * 48 + 5'263_ps);
}

TEST_CASE("sustained bandwidth is peak x efficiency x (1 - tRFC / tREFI)") {
  const DdrConfig config;  // defaults
  Bench bench(config);
  Time done{0};
  constexpr int kReads = 100'000;
  for (int i = 0; i < kReads; ++i) done = bench.read(0_ns, static_cast<std::uint64_t>(i) * 64, 64);
  const double bandwidth = kReads * 64.0 / (static_cast<double>(done.count()) * 1e-12);
  CHECK(bandwidth == Approx(25.6e9 * 0.86 * (1 - 350.0 / 7800)).epsilon(1e-3));  // 21.03 GB/s
  // Between the FR-FCFS controller of reference on random (19.43) and on bank-group-interleaved sequential traffic
  // (22.65 GB/s).
  CHECK(bandwidth > 19.43e9);
  CHECK(bandwidth < 22.65e9);
}

TEST_CASE("accesses cost whole bursts") {
  Bench bench(bare());
  const auto base = Time(625) * 48;
  CHECK(bench.read(0_us, 0, 1) == base);
  CHECK(bench.read(1_us, 0, 64) == 1_us + base);
  CHECK(bench.read(2_us, 0, 65) == 2_us + base + 2'500_ps);  // two bursts
  CHECK(bench.read(3_us, 63, 2) == 3_us + base + 2'500_ps);  // across a boundary
  CHECK(bench.read(4_us, 63, 1) == 4_us + base);
  CHECK(bench.read(5_us, 0, 1500) == 5_us + base + 2'500_ps * 23);  // 24 bursts
  CHECK(bench.read(6_us, 0, 65'536) == 6_us + base + 2'500_ps * 1'023);
  CHECK(bench.group.find("bursts_read")->scalar(7_us) == 1 + 1 + 2 + 2 + 1 + 24 + 1'024);
}

TEST_CASE("reads queue on the data bus, and one that arrives when it is free does not") {
  Bench bench(bare());
  const auto base = Time(625) * 48;
  CHECK(bench.read(0_ns, 0, 64) == base);
  CHECK(bench.read(2'499_ps, 0, 64) == base + 2'500_ps);  // one picosecond before the bus is free
  CHECK(bench.read(5'000_ps, 0, 64) == base + 5'000_ps);
  // An initiator that ran ahead does not delay one that is behind.
  CHECK(bench.read(100_ns, 0, 64) == base + 100_ns);
  CHECK(bench.read(50_ns, 0, 64) == base + 50_ns);
}

TEST_CASE("writes are posted until the queue is full") {
  DdrConfig config = bare();
  config.write_queue = 4;
  config.controller_latency = 7_ns;
  Bench bench(config);
  for (int i = 0; i < 4; ++i) CHECK(bench.write(0_ns, 0, 64) == 7_ns);
  CHECK(bench.write(0_ns, 0, 64) == 7_ns + 2'500_ps);  // the fifth waits for one to leave
  CHECK(bench.write(0_ns, 0, 64) == 7_ns + 5'000_ps);
  CHECK(bench.write(100_ns, 0, 4 * 64) == 107_ns);
  CHECK(bench.write(200_ns, 0, 5 * 64) == 207_ns + 2'500_ps);
  CHECK(bench.timing.unloaded(4 * 64, true) == 7_ns);
  CHECK(bench.timing.unloaded(5 * 64, true) == 7_ns + 2'500_ps);
  // A read behind the writes waits for the bus.
  CHECK(bench.read(200_ns, 0, 64) == 200_ns + 5 * 2'500_ps + 7_ns + Time(625) * 48);
}

TEST_CASE("bursts go round the channels by the interleave") {
  DdrConfig config = bare();
  config.channels = 4;
  config.interleave = 256_B;
  Bench bench(config);
  const auto counts = [&](std::uint64_t address, std::uint64_t octets) {
    std::vector<std::uint64_t> all;
    for (unsigned c = 0; c < 4; ++c) all.push_back(bench.timing.bursts_in(c, address, octets));
    return all;
  };
  using Counts = std::vector<std::uint64_t>;
  CHECK(counts(0, 64) == Counts{1, 0, 0, 0});
  CHECK(counts(255, 1) == Counts{1, 0, 0, 0});
  CHECK(counts(256, 1) == Counts{0, 1, 0, 0});
  CHECK(counts(1023, 2) == Counts{1, 0, 0, 1});
  CHECK(counts(0, 1500) == Counts{8, 8, 4, 4});  // 24 bursts: 4 each in the first stripe, 8 more from channel 0 on
}

TEST_CASE("channels work in parallel") {
  DdrConfig config = bare();
  config.channels = 4;
  Bench bench(config);
  const auto base = Time(625) * 48;
  CHECK(bench.read(0_ns, 0, 1024) == base + 3 * 2'500_ps);   // 4 bursts a channel
  CHECK(bench.read(0_ns, 1024, 64) == base + 4 * 2'500_ps);  // channel 0 has 4 booked
  CHECK(bench.read(100_ns, 0, 64) == 100_ns + base);
  CHECK(bench.read(100_ns, 256, 64) == 100_ns + base);  // another channel: no wait
  CHECK(bench.timing.unloaded(1024, false) == base + 3 * 2'500_ps);
}

TEST_CASE("configurations that cannot be are refused") {
  const auto parse = [](const char* text) {
    return DdrConfig::table().parse(nlohmann::ordered_json::parse(text), "blocks.ddr");
  };
  CHECK(parse(R"({"capacity": "8GiB", "data_rate": "2666MT/s", "row_state": "conflict"})").row_state ==
        RowState::kConflict);
  CHECK_THROWS_AS(parse(R"({"tRFC": "8us", "tREFI": "8us"})"), ConfigError);
  CHECK_THROWS_AS(parse(R"({"interleave": 64, "bus_width": 128})"), ConfigError);
  CHECK_THROWS_AS(parse(R"({"channels": 3})"), ConfigError);
  CHECK_THROWS_AS(parse(R"({"capacity": "65GiB"})"), ConfigError);
  CHECK_THROWS_AS(parse(R"({"row_state": "open"})"), ConfigError);
  CHECK_THROWS_AS(parse(R"({"efficiency": 1.01})"), ConfigError);
}
