// Rings: fairness, back-pressure, errors of queues, stopping and starting, moderation of interrupts.
#include <map>

#include "accel_bench.h"

using namespace accel_bench;

namespace {

const std::uint8_t kError = ACCEL_STATE_ERROR, kReady = ACCEL_STATE_READY, kOff = ACCEL_STATE_OFF;

AccelJob nop(std::uint32_t cookie) {
  AccelJob job{};
  job.cookie = cookie;
  return job;
}

}  // namespace

TEST_CASE("Queues are served in turn, a job each") {
  DmaConfig config = round_config();
  DmaBench bench(config);
  for (unsigned queue = 0; queue < 3; ++queue) bench.engine.enable_completion(queue, DmaBench::cq_base(queue), 5);
  for (unsigned queue = 0; queue < 3; ++queue) bench.engine.enable_submission(queue, DmaBench::sq_base(queue), 4, 0);
  for (unsigned queue = 0; queue < 3; ++queue) bench.post({nop(queue), nop(queue), nop(queue)}, 0_ps, queue);
  bench.engine.run(10_us);
  std::vector<unsigned> order;
  for (unsigned i = 0; i < 9; ++i) order.push_back(bench.completion(i).queue);
  CHECK(order == std::vector<unsigned>{0, 1, 2, 0, 1, 2, 0, 1, 2});
}

TEST_CASE("A full completion queue holds its jobs back and loses nothing") {
  DmaBench bench;
  bench.start(0, 4, 1);  // two completions
  bench.start(1, 4, 4);
  bench.post({nop(0), nop(1), nop(2), nop(3), nop(4)}, 0_ps);
  bench.engine.run(1_us);
  CHECK(bench.engine.completion_ring(0).tail == 2);
  CHECK(bench.engine.submission_ring(0).head == 2);
  CHECK(bench.stat("completion_stalls") == 1);
  CHECK(bench.stat("jobs_waiting") == 3);
  bench.post({nop(10)}, 1_us, 1);  // others go on
  bench.engine.run(2_us);
  CHECK(bench.completion(0, 1).cookie == 10);
  bench.engine.consume(0, 1, 3_us);
  bench.engine.run(4_us);
  CHECK(bench.engine.completion_ring(0).tail == 3);
  // Set up in 100 ns; the second was taken at 160, and the third waited from 260, when room was missed, to 3 us.
  CHECK(bench.stat("completion_stall") == 3'000'000 - 260'000);
  bench.engine.consume(0, 3, 5_us);
  bench.engine.run(10_us);
  CHECK(bench.completion(1).cookie == 3);
  CHECK(bench.completion(0).cookie == 4);
  CHECK(bench.completion(1).phase == 0);  // second round
  CHECK(bench.completion(0).phase == 1);  // third
  CHECK(bench.stat("completions") == 6);
  CHECK(bench.broken().empty());
}

TEST_CASE("Counters wrap at 2^16 and rings at their size") {
  DmaConfig config = round_config();
  config.prefetch = 5;
  DmaBench bench(config);
  bench.start(0, 3, 2);
  std::uint32_t next = 0;
  Random random(3, "wrap");
  while (next < 70'000) {
    const auto count = static_cast<std::uint32_t>(1 + random.below(4));
    std::vector<AccelJob> jobs;
    for (std::uint32_t i = 0; i < count; ++i) jobs.push_back(nop(next + i));
    bench.post(jobs, bench.time);
    bench.time += 10_us;
    bench.engine.run(bench.time);
    for (std::uint32_t i = 0; i < count; ++i, ++next) {
      const AccelCompletion entry = bench.completion(next % 4);
      REQUIRE(entry.cookie == next);
      REQUIRE(entry.index == next % 65'536);
      REQUIRE(entry.phase == ((next / 4) % 2 ^ 1));
    }
    bench.engine.consume(0, static_cast<std::uint16_t>(next), bench.time);
  }
  CHECK(bench.broken().empty());
}

TEST_CASE("Descriptors are fetched ahead as the ring allows") {
  DmaConfig config = round_config();
  config.prefetch = 4;
  config.burst = 4096_B;
  DmaBench bench(config);
  bench.start(0, 3);
  bench.post(std::vector<AccelJob>(6, nop(1)), 0_ps);
  bench.engine.run(10_us);
  // Four; then, when two are left, two.
  const std::vector<World::Access> expected = {{false, 0x20000, 256, 10'000}, {false, 0x20100, 128, 160'000}};
  CHECK(bench.world.between(0x20000, 0x24000) == expected);
  bench.world.accesses.clear();
  bench.post(std::vector<AccelJob>(4, nop(1)), 10_us);
  bench.engine.run(20_us);
  // Entries 6 and 7, then 0 and 1.
  CHECK(bench.world.between(0x20000, 0x24000).front() == World::Access{false, 0x20180, 128, 10'010'000});
  CHECK(bench.world.between(0x20000, 0x24000).back().address == 0x20000);
  CHECK(bench.stat("jobs_ok") == 10);
}

TEST_CASE("A doorbell beyond the ring puts the queue in error") {
  DmaBench bench;
  bench.start(0, 2);
  SECTION("the ring's size is allowed") {
    bench.engine.post(0, 4, 0_ps);
    CHECK(bench.engine.submission_ring(0).state == kReady);
  }
  SECTION("one more is not") {
    bench.engine.post(0, 5, 0_ps);
    CHECK(bench.engine.submission_ring(0).state == kError);
    CHECK(bench.engine.submission_ring(0).reason == ACCEL_STATUS_BAD_DOORBELL);
  }
  SECTION("nor is a counter that goes back") {
    bench.engine.post(0, 2, 0_ps);
    bench.engine.post(0, 1, 0_ps);
    CHECK(bench.engine.submission_ring(0).reason == ACCEL_STATUS_BAD_DOORBELL);
    CHECK(bench.stat("jobs_forgotten") == 2);
  }
  SECTION("nor a consumer counter beyond the producer's") {
    bench.engine.consume(0, 1, 0_ps);
    CHECK(bench.engine.completion_ring(0).state == kError);
    CHECK(bench.engine.completion_ring(0).reason == ACCEL_STATUS_BAD_DOORBELL);
  }
  bench.engine.run(1_ms);
  CHECK(bench.broken().empty());
}

TEST_CASE("A queue that cannot be started is in error") {
  DmaBench bench;
  const auto reason = [&bench](std::uint64_t base, unsigned cq) {
    bench.engine.enable_submission(0, base, 2, cq);
    return bench.engine.submission_ring(0).reason;
  };
  CHECK(reason(0x20000, 0) == ACCEL_STATUS_CQ_ERROR);  // off
  bench.engine.enable_completion(0, 0x1000, 2);
  CHECK(reason(0x20000, 0) == ACCEL_STATUS_OK);
  CHECK(reason(0x20020, 0) == ACCEL_STATUS_BAD_CONFIGURATION);  // not a multiple of 64
  CHECK(reason(0x20000, 4) == ACCEL_STATUS_BAD_CONFIGURATION);  // there are 4
  CHECK(reason(0xffffffffffffff40, 0) == ACCEL_STATUS_BAD_CONFIGURATION);
  CHECK(bench.engine.submission_ring(0).state == kError);
  bench.engine.enable_completion(1, 0x1020, 2);
  CHECK(bench.engine.completion_ring(1).reason == ACCEL_STATUS_BAD_CONFIGURATION);
  CHECK(reason(0x20000, 1) == ACCEL_STATUS_CQ_ERROR);
}

TEST_CASE("Memory that does not answer puts queues in error") {
  DmaBench bench;
  SECTION("descriptors") {
    bench.engine.enable_completion(0, 0x1000, 4);
    bench.engine.enable_submission(0, DmaBench::kBad, 4, 0);
    bench.engine.post(0, 3, 0_ps);
    bench.engine.run(1_us);
    CHECK(bench.engine.submission_ring(0).state == kError);
    CHECK(bench.engine.submission_ring(0).reason == ACCEL_STATUS_DESCRIPTOR_BUS_ERROR);
    CHECK(bench.stat("jobs_forgotten") == 3);
  }
  SECTION("completions, and then the queues behind") {
    bench.engine.enable_completion(0, DmaBench::kBad, 4);
    bench.engine.enable_submission(0, DmaBench::sq_base(0), 4, 0);
    bench.post({nop(0), nop(1)}, 0_ps);
    bench.engine.run(1_us);
    CHECK(bench.engine.completion_ring(0).state == kError);
    CHECK(bench.engine.completion_ring(0).reason == ACCEL_STATUS_COMPLETION_BUS_ERROR);
    CHECK(bench.engine.submission_ring(0).state == kError);
    CHECK(bench.engine.submission_ring(0).reason == ACCEL_STATUS_CQ_ERROR);
    CHECK(bench.stat("completions_lost") == 1);
    CHECK(bench.stat("jobs_forgotten") == 1);
    // Off and on again, both.
    bench.engine.disable_submission(0);
    bench.engine.disable_completion(0, 1_us);
    bench.start();
    bench.time = 1_us;
    CHECK(bench.serve(nop(7)).cookie == 7);
  }
  CHECK(bench.broken().empty());
}

TEST_CASE("A queue may be stopped and started while its jobs run") {
  DmaConfig config = round_config();
  config.engines = 2;
  DmaBench bench(config);
  bench.start();
  bench.post({DmaBench::copy(64), DmaBench::copy(64), DmaBench::copy(64)}, 0_ps);
  bench.engine.run(100_ns);  // two are taken, one waits
  SECTION("the submission queue: jobs in engines complete, others are forgotten") {
    bench.engine.disable_submission(0);
    CHECK(bench.engine.submission_ring(0).state == kOff);
    bench.engine.enable_submission(0, DmaBench::sq_base(0), 4, 0);
    bench.engine.run(10_us);
    CHECK(bench.engine.completion_ring(0).tail == 2);
    CHECK(bench.stat("jobs_forgotten") == 1);
    bench.post({nop(5)}, 10_us);
    bench.engine.run(20_us);
    CHECK(bench.completion(2).index == 0);
    CHECK(bench.completion(2).cookie == 5);
  }
  SECTION("the completion queue: completions of jobs taken before are lost") {
    bench.engine.disable_completion(0, 100_ns);
    bench.engine.enable_completion(0, DmaBench::cq_base(0), 4);
    bench.engine.run(10_us);
    // The third job was taken after the start, and is the first of the new ring.
    CHECK(bench.stat("completions_lost") == 2);
    CHECK(bench.engine.completion_ring(0).tail == 1);
    CHECK(bench.completion(0).index == 2);
    CHECK(bench.engine.completion_ring(0).reserved == 0);
  }
  SECTION("both, for good") {
    bench.engine.disable_completion(0, 100_ns);
    bench.engine.run(10_us);
    CHECK(bench.engine.submission_ring(0).reason == ACCEL_STATUS_CQ_ERROR);
    CHECK(bench.stat("completions_lost") == 2);
  }
  CHECK(bench.broken().empty());
}

TEST_CASE("A disabled device finishes what engines hold and takes nothing") {
  DmaBench bench;
  bench.start();
  bench.post({DmaBench::copy(64), DmaBench::copy(64)}, 0_ps);
  bench.engine.run(100_ns);
  bench.engine.set_enabled(false, 100_ns);
  bench.engine.run(10_us);
  CHECK(bench.engine.completion_ring(0).tail == 1);
  bench.engine.set_enabled(true, 10_us);
  bench.engine.run(10_us + 158_ns - 1_ps);
  CHECK(bench.engine.completion_ring(0).tail == 1);
  bench.engine.run(10_us + 158_ns);
  CHECK(bench.engine.completion_ring(0).tail == 2);
}

TEST_CASE("Reset at any time leaves a device that works") {
  for (std::int64_t at = 0; at < 1000; at += 13) {
    DmaConfig config = round_config();
    config.engines = 2;
    config.overlap = 1;
    ScriptedBench bench(config);
    bench.function.result = {.produced = 100};
    bench.start();
    bench.post(std::vector<AccelJob>(8, ScriptedBench::scripted(1000, 100)), 0_ps);
    bench.time = Time(at * 1000);
    bench.engine.run(bench.time);
    bench.engine.reset(bench.time);
    CHECK(bench.function.resets == 1);
    CHECK_FALSE(bench.engine.busy());
    CHECK(bench.engine.next_due() == kTimeMax);
    REQUIRE(bench.broken().empty());
    bench.engine.set_enabled(true, bench.time);
    bench.start();
    const AccelCompletion entry = bench.serve(ScriptedBench::scripted(1000, 100));
    CHECK(entry.status == ACCEL_STATUS_OK);
    CHECK(entry.index == 0);
    CHECK(entry.phase == 1);
    CHECK(entry.produced == 100);
    CHECK(bench.stat("jobs_held") == 0);
    CHECK(bench.stat("engine0_utilisation", bench.time) >= 0);
    REQUIRE(bench.broken().empty());
  }
}

TEST_CASE("Reset in the middle of copies leaves a device that works") {
  for (std::int64_t at = 50; at < 700; at += 7) {
    DmaConfig config = round_config();
    config.overlap = 1;
    DmaBench bench(config);
    bench.fill_source(2000);
    bench.start();
    bench.post({DmaBench::copy(1000), DmaBench::copy(1000)}, 0_ps);
    bench.time = Time(at * 1000);
    bench.engine.run(bench.time);
    bench.engine.reset(bench.time);
    bench.engine.set_enabled(true, bench.time);
    bench.start();
    std::fill(&bench.world.memory[0x200000], &bench.world.memory[0x201000], std::uint8_t{0});
    CHECK(bench.serve(DmaBench::copy(2000)).status == ACCEL_STATUS_OK);
    CHECK(bench.copied(2000));
    REQUIRE(bench.broken().empty());
  }
}

TEST_CASE("Interrupts are moderated by count and time") {
  DmaBench bench;
  bench.start();
  SECTION("an armed queue raises one") {
    bench.engine.arm(0, 0, 0_ps);
    bench.post({nop(0), nop(1)}, 0_ps);
    bench.engine.run(10_us);
    CHECK(bench.world.interrupts.size() == 1);
    bench.engine.arm(0, 1, 10_us);  // there is one beyond it: at once
    bench.engine.run(10_us + 30_ns - 1_ps);
    CHECK(bench.world.interrupts.size() == 1);
    bench.engine.run(10_us + 30_ns);
    CHECK(bench.world.interrupts.size() == 2);
  }
  SECTION("by count") {
    bench.engine.set_moderation(0, 3, 0_ps);
    bench.engine.arm(0, 0, 0_ps);
    bench.post({nop(0), nop(1)}, 0_ps);
    bench.engine.run(10_us);
    CHECK(bench.world.interrupts.empty());
    bench.post({nop(2)}, 10_us);
    bench.engine.run(20_us);
    CHECK(bench.world.interrupts.size() == 1);
  }
  SECTION("by time") {
    bench.engine.set_moderation(0, 0, 1_us);
    bench.engine.arm(0, 0, 0_ps);
    bench.post({nop(0)}, 0_ps);
    // Done at 160, visible at 210.
    bench.engine.run(210_ns + 1_us + 30_ns - 1_ps);
    CHECK(bench.world.interrupts.empty());
    bench.engine.run(210_ns + 1_us + 30_ns);
    CHECK(bench.world.interrupts.size() == 1);
  }
  SECTION("consuming takes the reason away") {
    bench.engine.set_moderation(0, 0, 1_us);
    bench.engine.arm(0, 0, 0_ps);
    bench.post({nop(0)}, 0_ps);
    bench.engine.run(500_ns);
    bench.engine.consume(0, 1, 500_ns);
    bench.engine.run(10_us);
    CHECK(bench.world.interrupts.empty());
  }
}
