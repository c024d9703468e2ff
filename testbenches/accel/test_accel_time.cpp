// When an engine reads, works and writes. Times are added by hand: memory answers after 50 ns, doorbells take 10 ns.
#include "accel_bench.h"

using namespace accel_bench;

namespace {

using Access = World::Access;

std::vector<std::int64_t> times(const std::vector<Access>& accesses) {
  std::vector<std::int64_t> all;
  for (const Access& access : accesses) all.push_back(access.when);
  return all;
}

}  // namespace

TEST_CASE("A job's steps take place at their times") {
  DmaBench bench;
  bench.start();
  bench.fill_source(64);
  bench.engine.arm(0, 0, 0_ps);
  bench.post({DmaBench::copy(64)}, 0_ps);
  bench.engine.run(1_us);
  // Doorbell 10, descriptor there 60, source read 60 to 110, set up by 160, worked 8 ns to 168, written 168 to 218,
  // completion 218.
  const std::vector<Access> expected = {{false, 0x20000, 64, 10'000},
                                        {false, 0x100000, 64, 60'000},
                                        {true, 0x200000, 64, 168'000},
                                        {true, 0x1000, 32, 218'000}};
  CHECK(bench.world.accesses == expected);
  CHECK(bench.copied(64));
  const AccelCompletion entry = bench.completion(0);
  CHECK(entry.cookie == 0xc0ffee);
  CHECK(entry.index == 0);
  CHECK(entry.queue == 0);
  CHECK(entry.produced == 64);
  CHECK(entry.consumed == 64);
  CHECK(entry.value == 0);
  CHECK(entry.service_ns == 158);  // 60 to 218
  CHECK(entry.status == ACCEL_STATUS_OK);
  CHECK(entry.engine == 0);
  CHECK(entry.opcode == ACCEL_OP_COPY);
  CHECK(entry.phase == 1);
  CHECK(bench.run.simulation.first_work() == 60_ns);
  CHECK(bench.run.simulation.last_work() == 218_ns);
  CHECK(bench.stat("queue_time") == 1);
  CHECK(bench.stat("source_stall") == 0);
  CHECK(bench.stat("engine0_utilisation", 1_us) == Approx(0.108));  // set-up and work
  CHECK(bench.stat("read_slots_utilisation", 1_us) == Approx(0.05 / 2));
  CHECK(bench.stat("write_slots_utilisation", 1_us) == Approx(0.05 / 2));
  CHECK(bench.broken().empty());
}

TEST_CASE("Each step happens at its time and not a picosecond before") {
  DmaBench bench;
  bench.start();
  bench.engine.arm(0, 0, 0_ps);
  bench.post({DmaBench::copy(64)}, 0_ps);
  const std::pair<Time, std::size_t> steps[] = {{10_ns, 1}, {60_ns, 2}, {168_ns, 3}, {218_ns, 4}};
  for (const auto& [when, accesses] : steps) {
    bench.engine.run(when - 1_ps);
    CHECK(bench.world.accesses.size() == accesses - 1);
    bench.engine.run(when);
    CHECK(bench.world.accesses.size() == accesses);
  }
  // The completion is visible at 268, the interrupt 30 ns later.
  bench.engine.run(298_ns - 1_ps);
  CHECK(bench.world.interrupts.empty());
  CHECK(bench.engine.next_due() == 298_ns);
  bench.engine.run(298_ns);
  CHECK(bench.world.interrupts == std::vector<unsigned>{0});
  CHECK(bench.engine.next_due() == kTimeMax);
}

TEST_CASE("Work begins with the first octets, and results leave as it goes on") {
  DmaConfig config = round_config();
  config.setup = 0_ps;
  DmaBench bench(config);
  bench.start();
  bench.fill_source(1024);
  bench.post({DmaBench::copy(1024)}, 0_ps);
  bench.engine.run(1_us);
  // Two reads at a time: at 60 and, when those are there, at 110. Work of 32 ns each: 110 to 142, 174, 206, 238.
  // Results are there with the work; the third write waits for the first one's place, free at 142 + 50 = 192, before
  // its result is there at 206.
  CHECK(times(bench.world.between(0x100000, 0x200000)) == std::vector<std::int64_t>{60'000, 60'000, 110'000, 110'000});
  CHECK(times(bench.world.between(0x200000, 0x300000)) ==
        std::vector<std::int64_t>{142'000, 174'000, 206'000, 238'000});
  CHECK(bench.copied(1024));
  CHECK(bench.completion(0).service_ns == 288 - 60);
  CHECK(bench.stat("source_stall") == 50'000);  // 60 to 110
  CHECK(bench.stat("destination_stall") == 0);
}

TEST_CASE("Reads and writes wait for a place among those outstanding") {
  DmaConfig config = round_config();
  config.setup = 0_ps;
  config.outstanding = 1;
  SECTION("of a copy, which is written as it comes") {
    DmaBench bench(config);
    bench.start();
    bench.fill_source(512);
    bench.post({DmaBench::copy(512)}, 0_ps);
    bench.engine.run(1_us);
    // Reads at 60 and 110, there at 110 and 160. Work 110 to 142 and 160 to 192; writes then, and the place is free at
    // 192.
    CHECK(times(bench.world.between(0x100000, 0x200000)) == std::vector<std::int64_t>{60'000, 110'000});
    CHECK(times(bench.world.between(0x200000, 0x300000)) == std::vector<std::int64_t>{142'000, 192'000});
    CHECK(bench.completion(0).service_ns == 242 - 60);
    CHECK(bench.stat("source_stall") == 50'000 + 18'000);
    CHECK(bench.stat("destination_stall") == 0);
    CHECK(bench.copied(512));
  }
  SECTION("of what comes out at the end") {
    ScriptedBench bench(config);
    bench.start();
    bench.function.result = {.produced = 600};
    bench.post({ScriptedBench::scripted(80, 600)}, 0_ps);
    bench.engine.run(10_us);
    // Set up by 65, source there at 110, worked 10 ns and 600 ns for what comes out: 720. Three writes of 50 ns, one at
    // a time.
    CHECK(times(bench.world.between(0x200000, 0x300000)) == std::vector<std::int64_t>{720'000, 770'000, 820'000});
    CHECK(bench.completion(0).service_ns == 870 - 60);
    CHECK(bench.stat("destination_stall") == 100'000);
  }
}

TEST_CASE("A copy is written as it comes, its pieces cut where its own addresses ask for it") {
  DmaConfig config = round_config();
  config.setup = 0_ps;
  DmaBench bench(config);
  bench.start();
  bench.fill_source(2048);
  bench.post({DmaBench::copy(1024, 0x100000, 0x200080)}, 0_ps);
  bench.engine.run(1_us);
  // Worked by 142, 174, 206, 238. Destination: 128 octets (there at 142 - 16), then 256 each at 158, 190, 222, and 128
  // at 238; but the first write's source is known at 60 and worked at 126, and two places of 50 ns: 126, 158, 190 (176
  // is earlier), 222, 240 for 238.
  CHECK(times(bench.world.between(0x200000, 0x300000)) ==
        std::vector<std::int64_t>{126'000, 158'000, 190'000, 222'000, 240'000});
  CHECK(std::equal(&bench.world.memory[0x100000], &bench.world.memory[0x100400], &bench.world.memory[0x200080]));
}

TEST_CASE("A copy onto part of its own source gives what a copy by way of a buffer gives") {
  for (const std::int64_t distance : {-700, -1, 0, 1, 255, 700}) {
    DmaBench bench;
    bench.start();
    bench.fill_source(4096);
    const Octets before(&bench.world.memory[0x100400], &bench.world.memory[0x100400] + 1500);
    const std::uint64_t to = 0x100400 + static_cast<std::uint64_t>(distance);
    CHECK(bench.serve(DmaBench::copy(1500, 0x100400, to)).status == ACCEL_STATUS_OK);
    CHECK(std::equal(before.begin(), before.end(), &bench.world.memory[to]));
  }
}

TEST_CASE("An engine reads no further ahead than it has room for") {
  DmaConfig config = round_config();
  config.setup = 0_ps;
  config.outstanding = 4;
  config.octets_per_cycle = 1;  // 256 ns for each access's octets
  config.read_ahead = 2;
  DmaBench bench(config);
  bench.start();
  bench.post({DmaBench::copy(1024)}, 0_ps);
  bench.engine.run(10_us);
  // Two at 60; they are worked on by 110 + 256 = 366 and 622, which make room.
  CHECK(times(bench.world.between(0x100000, 0x200000)) == std::vector<std::int64_t>{60'000, 60'000, 366'000, 622'000});
  CHECK(bench.completion(0).service_ns == 110 + 4 * 256 + 50 - 60);
}

TEST_CASE("What comes out at the end waits for all of the work") {
  ScriptedBench bench;
  bench.start();
  bench.function.result = {.produced = 32, .consumed = 80, .value = 0x1234567890ULL};
  bench.post({ScriptedBench::scripted(80, 40)}, 0_ps);
  bench.engine.run(1_us);
  // Read 60 to 110; set-up 100 and 5 of its own to 165; 10 ns for 80 octets in, 32 ns for what comes out: 207.
  CHECK(times(bench.world.between(0x200000, 0x300000)) == std::vector<std::int64_t>{207'000});
  CHECK(bench.completion(0).service_ns == 257 - 60);
  CHECK(bench.completion(0).produced == 32);
  CHECK(bench.completion(0).consumed == 80);
  CHECK(bench.completion(0).value == 0x1234567890ULL);
  CHECK(bench.world.memory[0x200000 + 31] == 0xdd);
  CHECK(bench.world.memory[0x200000 + 32] == 0);  // beyond what was produced
}

TEST_CASE("An engine reads the next job while it works") {
  DmaConfig config = round_config();
  config.overlap = 1;
  DmaBench bench(config);
  bench.start();
  bench.post({DmaBench::copy(64), DmaBench::copy(64, 0x101000, 0x201000), DmaBench::copy(64, 0x102000, 0x202000)},
             0_ps);
  bench.engine.run(10_us);
  // Descriptors (192 octets) there at 60. First: set-up to 160, work to 168, written by 218. Second: set-up 168 to 268,
  // work to 276, written by 326. The third is taken when the first is done, at 218, and set up from 276 on: 376, 384,
  // 434.
  CHECK(times(bench.world.between(0x100000, 0x200000)) == std::vector<std::int64_t>{60'000, 60'000, 218'000});
  CHECK(times(bench.world.between(0x200000, 0x300000)) == std::vector<std::int64_t>{168'000, 276'000, 384'000});
  CHECK(bench.completion(0).service_ns == 158);
  CHECK(bench.completion(1).service_ns == 326 - 60);
  CHECK(bench.completion(2).service_ns == 434 - 218);
  CHECK(bench.completion(2).index == 2);
  CHECK(bench.stat("engine0_utilisation", 434_ns) == Approx(324.0 / 434.0));
}

TEST_CASE("Engines work side by side, and the one that holds fewest jobs takes the next") {
  DmaConfig config = round_config();
  config.engines = 2;
  DmaBench bench(config);
  bench.start();
  bench.post({DmaBench::copy(64), DmaBench::copy(800), DmaBench::copy(64)}, 0_ps);
  bench.engine.run(10_us);
  CHECK(bench.completion(0).engine == 0);
  CHECK(bench.completion(0).index == 0);
  // The third goes to engine 0 at 218. The second works from 160 to 260, and writes at 192, 224, 256 and, when a place
  // is free, at 274.
  CHECK(bench.completion(1).index == 1);
  CHECK(bench.completion(1).engine == 1);
  CHECK(bench.completion(1).service_ns == 324 - 60);
  CHECK(bench.completion(2).index == 2);
  CHECK(bench.completion(2).engine == 0);
  CHECK(bench.stat("engine0_utilisation", 1_us) == Approx(0.216));
  CHECK(bench.stat("engine1_utilisation", 1_us) == Approx(0.2));
}

TEST_CASE("Segment lists are read before the data") {
  DmaBench bench;
  bench.start();
  bench.fill_source(300);
  bench.put(0x110000, AccelSegment{0x100000, 100, 0});
  bench.put(0x110010, AccelSegment{0x100064, 200, 0});
  bench.put(0x1100f0, AccelSegment{0x200000, 299, 0});  // crosses a multiple of 256
  bench.put(0x110100, AccelSegment{0x20012b, 1, 0});
  AccelJob job = DmaBench::copy(300, 0x110000, 0x1100f0);
  job.source_segments = job.destination_segments = 2;
  bench.post({job}, 0_ps);
  bench.engine.run(10_us);
  const std::vector<Access> lists = {
      {false, 0x110000, 32, 60'000}, {false, 0x1100f0, 16, 60'000}, {false, 0x110100, 16, 60'000}};
  CHECK(bench.world.between(0x110000, 0x120000) == lists);
  // Lists there at 110. 100 octets, then 200 that cross a multiple of 256: 156 and 44; two at a time.
  const std::vector<Access> reads = {
      {false, 0x100000, 100, 110'000}, {false, 0x100064, 156, 110'000}, {false, 0x100100, 44, 160'000}};
  CHECK(bench.world.between(0x100000, 0x110000) == reads);
  CHECK(bench.copied(300));
  CHECK(bench.broken().empty());
}

TEST_CASE("Functional fidelity has no times of its own") {
  DmaBench bench(round_config(), Fidelity::kFunctional);
  bench.world.latency = 0_ps;
  bench.start();
  bench.fill_source(5000);
  bench.engine.arm(0, 0, 0_ps);
  bench.post({DmaBench::copy(5000)}, 7_ns);
  bench.engine.run(7_ns);
  CHECK(bench.copied(5000));
  CHECK(bench.completion(0).service_ns == 0);
  CHECK(bench.world.interrupts.size() == 1);
}

TEST_CASE("A job's values do not depend on how data moves") {
  for (const std::uint64_t burst : {64U, 512U, 4096U}) {
    for (const unsigned outstanding : {1U, 7U}) {
      DmaConfig config = round_config();
      config.burst = Bytes(burst);
      config.outstanding = outstanding;
      config.overlap = 3;
      config.engines = 3;
      DmaBench bench(config);
      bench.start();
      bench.fill_source(100'000);
      std::vector<AccelJob> jobs;
      for (std::uint32_t i = 0; i < 10; ++i) {
        jobs.push_back(DmaBench::copy(9'973, 0x100000 + i * 9'973, 0x200000 + i * 9'973));
        jobs.back().opcode = ACCEL_OP_COPY_CRC;
      }
      bench.post(jobs, 0_ps);
      bench.engine.run(1_ms);
      CHECK(bench.copied(99'730));
      CHECK(bench.stat("jobs_ok") == 10);
      CHECK(bench.broken().empty());
    }
  }
}
