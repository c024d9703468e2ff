#include <catch2/catch.hpp>

#include "engine_bench.h"

using namespace net_bench;

namespace {
/// Receives `count` frames, one each 100 ns from `first` on; their completions are visible 200 ns after each.
void frames(EngineBench& bench, unsigned count, Time first) {
  bench.post_rx(count, first - 1_us);
  bench.engine.run(first - 1_ns);
  for (unsigned i = 0; i < count; ++i) bench.receive(first + 100_ns * i);
}
std::size_t interrupts_at(EngineBench& bench, Time when) {
  bench.engine.run(when);
  return bench.world.interrupts.size();
}
}  // namespace

TEST_CASE("interrupt: an armed queue raises one, a fixed time after the completion is visible") {
  EngineBench bench;
  bench.start(4);
  bench.engine.arm(0, 0, 0_ps);
  frames(bench, 2, 10_us);
  // Visible at 10.2 us, the line 30 ns later.
  CHECK(interrupts_at(bench, 10'230_ns - 1_ps) == 0);
  CHECK(interrupts_at(bench, 10'230_ns) == 1);
  CHECK(interrupts_at(bench, 20_us) == 1);  // one shot
  bench.engine.arm(0, 1, 20_us);            // one completion beyond: at once
  CHECK(interrupts_at(bench, 20'030_ns - 1_ps) == 1);
  CHECK(interrupts_at(bench, 20'030_ns) == 2);
  bench.engine.arm(0, 2, 30_us);  // nothing beyond
  CHECK(interrupts_at(bench, 40_us) == 2);
}

TEST_CASE("interrupt: a queue that is not armed is silent") {
  EngineBench bench;
  bench.start(4);
  frames(bench, 2, 10_us);
  CHECK(interrupts_at(bench, 20_us) == 0);
}

TEST_CASE("interrupt: moderation by count, n-1 and n") {
  EngineBench bench;
  bench.start(4);
  bench.engine.set_moderation(0, 4, 0_ps);
  bench.engine.arm(0, 0, 0_ps);
  frames(bench, 3, 10_us);
  CHECK(interrupts_at(bench, 100_us) == 0);
  frames(bench, 1, 200_us);
  CHECK(interrupts_at(bench, 200'230_ns - 1_ps) == 0);
  CHECK(interrupts_at(bench, 200'230_ns) == 1);
}

TEST_CASE("interrupt: moderation by time from the first completion, to the picosecond") {
  EngineBench bench;
  bench.start(4);
  bench.engine.set_moderation(0, 0, 5_us);
  bench.engine.arm(0, 0, 0_ps);
  frames(bench, 3, 10_us);
  CHECK(interrupts_at(bench, 15'230_ns - 1_ps) == 0);
  CHECK(interrupts_at(bench, 15'230_ns) == 1);
  bench.engine.arm(0, 1, 20_us);  // two are beyond: the time runs from arming
  CHECK(interrupts_at(bench, 25'030_ns - 1_ps) == 1);
  CHECK(interrupts_at(bench, 25'030_ns) == 2);
}

TEST_CASE("interrupt: with both conditions the earlier one counts") {
  EngineBench bench;
  bench.start(4);
  bench.engine.set_moderation(0, 2, 5_us);
  bench.engine.arm(0, 0, 0_ps);
  frames(bench, 1, 10_us);
  CHECK(interrupts_at(bench, 15'230_ns - 1_ps) == 0);
  CHECK(interrupts_at(bench, 15'230_ns) == 1);
  bench.engine.arm(0, 1, 16_us);
  frames(bench, 2, 20_us);
  CHECK(interrupts_at(bench, 20'330_ns - 1_ps) == 1);
  CHECK(interrupts_at(bench, 20'330_ns) == 2);  // the second completion
}

TEST_CASE("interrupt: consuming everything before it is due cancels it, arming again restarts it") {
  EngineBench bench;
  bench.start(4);
  bench.engine.set_moderation(0, 0, 5_us);
  bench.engine.arm(0, 0, 0_ps);
  frames(bench, 1, 10_us);
  bench.engine.run(11_us);
  bench.engine.consume(0, 1, 11_us);
  CHECK(interrupts_at(bench, 20_us) == 0);
  frames(bench, 1, 30_us);  // still armed
  CHECK(interrupts_at(bench, 35'230_ns - 1_ps) == 0);
  bench.engine.arm(0, 1, 35'230_ns - 1_ps);
  CHECK(interrupts_at(bench, 40'230_ns + 29_ns) == 0);
  CHECK(interrupts_at(bench, 40'260_ns) == 1);
}

TEST_CASE("interrupt: arming earlier than the engine's time raises at once and blocks nothing later") {
  EngineBench bench;
  bench.start(4);
  frames(bench, 1, 10_us);
  // As with look-ahead: the engine has done what is due at 10.15 us when software, behind it, arms at 10.1 us. The line
  // would be due at 10.13 us, which the engine has passed.
  bench.engine.run(10'150_ns);
  bench.engine.arm(0, 0, 10'100_ns);
  CHECK(bench.engine.next_due() == 10'150_ns);
  CHECK(interrupts_at(bench, 10'150_ns) == 1);
  bench.engine.arm(0, 1, 11_us);
  frames(bench, 1, 20_us);
  CHECK(interrupts_at(bench, 20'230_ns - 1_ps) == 1);
  CHECK(interrupts_at(bench, 20'230_ns) == 2);
}

TEST_CASE("reset: the pipeline, the DMA engine and the receive buffer start empty") {
  NicConfig config = round_config();
  config.packet_interval = 1_us;
  config.outstanding = 1;
  config.receive_buffer = 16'384_B;
  EngineBench bench(config);
  const auto restart = [&bench](Time when) {
    bench.engine.set_enabled(true, when);
    bench.engine.steering(0).enabled = true;
    bench.start(4);
    bench.post_rx(2, when);
  };
  bench.engine.steering(0).enabled = true;
  bench.start(4);
  bench.post_rx(2, 0_ps, 16'384);
  bench.engine.run(1_us);
  bench.world.latency = 100_us;  // the write below takes that long, and fills the buffer as long
  bench.receive(2_us, 16'384);
  bench.engine.run(2'200_ns);
  bench.engine.reset();
  bench.world.latency = 50_ns;
  restart(2'200_ns);
  bench.engine.run(2'400_ns);
  bench.world.accesses.clear();
  bench.receive(2'500_ns);
  bench.engine.run(50_us);
  // Nothing to wait for: the data is written 100 ns after the frame came, the completion when memory has answered.
  const std::vector<World::Access> expected = {{true, 0x80000, 64, 2'600'000},
                                               {true, EngineBench::cq_base(0), 32, 2'650'000}};
  CHECK(bench.world.accesses == expected);
  CHECK(bench.stat("dropped_buffer_full") == 0);
  CHECK(bench.broken().empty());
}

TEST_CASE("completion: a consumer counter beyond the producer's is an error of the queue") {
  EngineBench bench;
  bench.start(4);
  frames(bench, 2, 10_us);
  bench.engine.run(20_us);
  bench.engine.consume(0, 2, 20_us);
  CHECK(bench.engine.completion_ring(0).state == NIC_STATE_READY);
  bench.engine.consume(0, 3, 20_us);
  CHECK(bench.engine.completion_ring(0).state == NIC_STATE_ERROR);
  CHECK(bench.engine.completion_ring(0).reason == NIC_STATUS_BAD_DOORBELL);
  frames(bench, 1, 30_us);
  bench.engine.run(40_us);
  CHECK(bench.engine.receive_ring(0).reason == NIC_STATUS_CQ_ERROR);
  CHECK(bench.broken().empty());
}

TEST_CASE("completion: stopping a queue loses what is under way, counted") {
  EngineBench bench;
  bench.start(4);
  frames(bench, 1, 10_us);
  bench.engine.run(10'100_ns);  // data written, completion due at 10.15 us
  bench.engine.disable_completion(0);
  bench.engine.run(20_us);
  CHECK(bench.stat("completions_lost") == 1);
  CHECK(bench.stat("dropped_completion_error") == 1);
  CHECK(bench.broken().empty());
  bench.engine.enable_completion(0, EngineBench::cq_base(0), 4);
  CHECK(bench.engine.completion_ring(0).reserved == 0);
}

TEST_CASE("completion: a queue enabled while a frame waits for memory keeps that frame's slot") {
  NicConfig config = round_config();
  EngineBench bench(config);
  bench.start(4);
  bench.world.latency = 10_us;  // the descriptor comes late
  bench.post_rx(1, 0_ps);
  bench.receive(1_us);
  bench.engine.run(2_us);
  bench.engine.disable_completion(0);
  bench.engine.enable_completion(0, EngineBench::cq_base(0), 4);
  CHECK(bench.engine.completion_ring(0).reserved == 1);
  bench.engine.run(100_us);
  CHECK(bench.engine.completion_ring(0).reserved == 0);
  CHECK(bench.engine.completion_ring(0).tail == 1);
  CHECK(bench.broken().empty());
}
