#include <algorithm>
#include <catch2/catch.hpp>

#include "engine_bench.h"

using namespace net_bench;

TEST_CASE("receive: descriptor fetch, data, completion, each at its time") {
  EngineBench bench;
  bench.start();
  bench.post_rx(1, 0_ps, 2048, 0x80040);
  bench.receive(1_us);
  bench.engine.run(10_us);
  // Doorbell + 10 ns: fetch. Frame at 1 us + 100 ns: data write, 50 ns; then the completion.
  const std::vector<World::Access> expected = {{false, EngineBench::rx_base(0), 16, 10'000},
                                               {true, 0x80040, 64, 1'100'000},
                                               {true, EngineBench::cq_base(0), 32, 1'150'000}};
  CHECK(bench.world.accesses == expected);
  const NicCompletion entry = bench.completion(0);
  CHECK(entry.kind == NIC_KIND_RECEIVE);
  CHECK(entry.status == NIC_STATUS_OK);
  CHECK(entry.phase == 1);
  CHECK(entry.length == 64);
  CHECK(entry.cookie == 0xc0000000);
  CHECK(entry.index == 0);
  CHECK(entry.timestamp == 990'000);
  CHECK(bench.world.memory[0x80040] == 0x11);
  CHECK(bench.world.memory[0x80040 + 63] == 0x11);
  CHECK(bench.world.memory[0x80040 + 64] == 0);
  // 990 ns to 1200 ns.
  CHECK(bench.engine.stats().receive_latency.max() == 210'000);
  CHECK(bench.engine.receive_ring(0).head == 1);
  CHECK(bench.engine.next_due() == kTimeMax);
}

TEST_CASE("receive: a descriptor posted 1 ps before the frame needs it serves, one posted then does not") {
  for (const bool in_time : {true, false}) {
    EngineBench bench;
    bench.start();
    bench.receive(1_us);
    bench.engine.run(1'099'999_ps);
    if (in_time) bench.post_rx(1, 1'099'999_ps);
    bench.engine.run(1'100_ns);
    if (!in_time) bench.post_rx(1, 1'100_ns);
    bench.engine.run(10_us);
    CHECK(bench.stat("rx_delivered") == (in_time ? 1 : 0));
    CHECK(bench.stat("dropped_no_descriptor") == (in_time ? 0 : 1));
    // The pipeline fetches itself, at 1.1 us, and writes when the descriptor is there.
    if (in_time) CHECK(bench.world.accesses[1] == World::Access{true, 0x80000, 64, 1'150'000});
    CHECK(bench.broken().empty());
  }
}

TEST_CASE("receive: frames of two ports go through one pipeline, the lower port first on a tie") {
  EngineBench bench;
  bench.start();
  bench.post_rx(4, 0_ps);
  bench.receive(1_us, 64, 1);
  bench.receive(1_us, 128, 0);
  bench.engine.run(10_us);
  CHECK(bench.world.accesses[1] == World::Access{true, 0x80000, 128, 1'100'000});
  CHECK(bench.world.accesses[2] == World::Access{true, 0x80000, 64, 1'104'000});  // packet interval
  CHECK(bench.completion(0).port == 0);
  CHECK(bench.completion(1).port == 1);
}

TEST_CASE("receive: the DMA lane's rate and the accesses outstanding hold writes back") {
  NicConfig config = round_config();
  config.outstanding = 2;
  config.packet_interval = 0_ps;
  EngineBench bench(config);
  bench.start(3);
  bench.post_rx(4, 0_ps, 4000);
  for (int i = 0; i < 3; ++i) bench.receive(1_us, 6400 / 2);  // 50 ns of the lane each
  bench.receive(1_us, 64);
  bench.world.latency = 500_ns;
  bench.engine.run(10_us);
  std::vector<std::int64_t> writes;
  for (const World::Access& access : bench.world.accesses) {
    if (access.write && access.address == 0x80000) writes.push_back(access.when);
  }
  // The fetch at 10 ns took until 510 ns. Second: lane free 50 ns later. Third: when the first of two outstanding is
  // answered.
  CHECK(writes == std::vector<std::int64_t>{1'100'000, 1'150'000, 1'600'000, 1'650'000});
}

TEST_CASE("receive: accesses do not cross the burst size") {
  EngineBench bench;
  bench.start();
  bench.post_rx(1, 0_ps, 9000, 0x80ff0);
  bench.receive(1_us, 5000);
  bench.engine.run(10_us);
  REQUIRE(bench.world.accesses.size() == 5);
  CHECK(bench.world.accesses[1] == World::Access{true, 0x80ff0, 16, 1'100'000});
  CHECK(bench.world.accesses[2] == World::Access{true, 0x81000, 4096, 1'100'250});  // 16 octets at 64 a nanosecond
  CHECK(bench.world.accesses[3] == World::Access{true, 0x82000, 888, 1'164'250});
  CHECK(bench.world.accesses[4].when == 1'214'250);  // completion after the last answer
}

TEST_CASE("receive: rings, counters and phase wrap, over 2^16 descriptors") {
  EngineBench bench;
  bench.start(2, 2);
  std::uint16_t consumed = 0;
  Time when = 1_us;
  for (unsigned round = 0; round < 17'000; ++round) {  // 4 a round: 68,000
    bench.post_rx(4, when);
    for (int i = 0; i < 4; ++i) bench.receive(when + 1_us);
    when += 2_us;
    bench.engine.run(when);
    for (unsigned i = 0; i < 4; ++i) {
      const NicCompletion entry = bench.completion(i);
      REQUIRE(entry.phase == ((round & 1) == 0 ? 1 : 0));
      REQUIRE(entry.index == static_cast<std::uint16_t>(round * 4 + i));
      REQUIRE(entry.cookie == 0xc0000000U + static_cast<std::uint16_t>(round * 4 + i));
    }
    consumed = static_cast<std::uint16_t>(consumed + 4);
    bench.engine.consume(0, consumed, when);
  }
  CHECK(bench.stat("rx_delivered") == 68'000);
  CHECK(bench.engine.completion_ring(0).tail == static_cast<std::uint16_t>(68'000));
  CHECK(bench.broken().empty());
}

TEST_CASE("receive: every reason to drop is counted as what it is, and the law holds") {
  NicConfig config = round_config();
  config.receive_buffer = Bytes(200);
  EngineBench bench(config);
  std::string reason;
  double dropped_before = 0;
  SECTION("off") {
    bench.engine.set_enabled(false, 0_ps);
    reason = "disabled";
  }
  SECTION("port off") {
    bench.engine.steering(0).enabled = false;
    reason = "disabled";
  }
  SECTION("no such queue") {
    bench.start();
    bench.engine.steering(0).default_queue = 32;
    reason = "queue_not_ready";
  }
  SECTION("queue off") { reason = "queue_not_ready"; }
  SECTION("no descriptor") {
    bench.start();
    reason = "no_descriptor";
  }
  SECTION("completion queue full") {
    bench.start(2, 0);
    bench.post_rx(2, 0_ps);
    bench.receive(100_ns);
    bench.engine.run(900_ns);
    reason = "completion_queue";
  }
  SECTION("completion queue off") {
    bench.start();
    bench.post_rx(1, 0_ps);
    bench.engine.disable_completion(0);
    reason = "completion_queue";
  }
  SECTION("descriptor fetch fails") {
    bench.start();
    bench.engine.enable_receive(0, EngineBench::kBad, 2, 0);
    bench.engine.post_receive(0, 1, 1'095_ns);
    reason = "descriptor_error";
  }
  SECTION("descriptor of length 0") {
    bench.start();
    bench.post_rx(1, 0_ps, 0);
    reason = "descriptor_error";
  }
  SECTION("descriptor too long") {
    bench.start();
    bench.post_rx(1, 0_ps, 65'536);
    reason = "descriptor_error";
  }
  SECTION("buffer short by one octet") {
    bench.start();
    bench.post_rx(1, 0_ps, 63);
    reason = "buffer_short";
  }
  SECTION("data write fails") {
    bench.start();
    bench.post_rx(1, 0_ps, 2048, EngineBench::kBad);
    reason = "data_error";
  }
  SECTION("completion write fails") {
    bench.engine.enable_completion(0, EngineBench::kBad, 4);
    bench.engine.enable_receive(0, EngineBench::rx_base(0), 2, 0);
    bench.post_rx(1, 0_ps);
    reason = "completion_error";
  }
  SECTION("buffer full") {
    bench.start();
    bench.post_rx(4, 0_ps);
    bench.world.latency = 1_ms;
    for (int i = 0; i < 3; ++i) bench.receive(500_ns);  // 192 of 200 octets wait for memory
    reason = "buffer_full";
  }
  dropped_before = bench.stat("dropped_" + reason);
  bench.receive(1_us);
  CHECK(bench.stat("rx_held") >= 1);
  bench.engine.run(1_us + 10_ms);
  CHECK(bench.stat("dropped_" + reason) == dropped_before + 1);
  CHECK(bench.stat("rx_held") == 0);
  CHECK(bench.broken().empty());
}

// A frame keeps its room until it is placed or dropped, receive_latency (100 ns) after it entered the pipeline, which
// takes one each 4 ns. Ten fit: those of 0 to 18 ns. Room comes back at 100, 104, ... 136 ns, each time for the frame
// that arrives then. Of 100 frames, one each 2 ns, 20 get in.
TEST_CASE("receive: frames that wait for the pipeline take room in the buffer") {
  NicConfig config = round_config();
  config.receive_buffer = 640_B;
  EngineBench bench(config);
  bench.start(0);  // one descriptor: the rest is dropped behind the pipeline
  for (int i = 0; i < 100; ++i) bench.receive(1_us + i * 2_ns);
  bench.engine.run(2_us);
  CHECK(bench.stat("dropped_buffer_full") + bench.stat("dropped_no_descriptor") == 100);
  CHECK(bench.stat("dropped_no_descriptor") == 20);
  CHECK(bench.broken().empty());
}

// Queue 1's descriptors are fetched ahead; queue 0's frame needs a fetch of 10 us. Queue 1's frame, behind it, must not
// wait for that.
TEST_CASE("receive: a fetch holds up its own queue only") {
  EngineBench bench;
  bench.start();
  bench.engine.enable_receive(1, EngineBench::rx_base(1), 2, 0);
  bench.engine.steering(1).default_queue = 1;
  bench.post_rx(1, 0_ps, 2048, 0x90000, 1);
  bench.engine.run(1_us);
  bench.world.latency = 10_us;
  bench.post_rx(1, 1_us);  // fetched from 1.01 us to 11.01 us
  bench.receive(1_us, 64, 0);
  bench.receive(1_us + 1_ns, 64, 1);
  bench.engine.run(1_us + 500_ns);
  const auto written = [&](std::uint64_t address) {
    return std::any_of(bench.world.accesses.begin(), bench.world.accesses.end(),
                       [&](const World::Access& access) { return access.write && access.address == address; });
  };
  CHECK(written(0x90000));
  CHECK_FALSE(written(0x80000));
  bench.engine.run(30_us);
  CHECK(written(0x80000));
  CHECK(bench.stat("rx_delivered") == 2);
  CHECK(bench.broken().empty());
}

// The first descriptor is fetched in 10 us, the second, by a later fetch, in 50 ns: its frame must not pass the first
// one's.
TEST_CASE("receive: a faster fetch does not let a queue's frames pass one another") {
  NicConfig config = round_config();
  config.prefetch = 1;
  EngineBench bench(config);
  bench.start();
  bench.world.latency = 10_us;
  bench.post_rx(1, 0_ps, 2048, 0x80000);
  bench.receive(1_us);
  bench.engine.run(1_us + 200_ns);
  bench.world.latency = 50_ns;
  bench.post_rx(1, 1_us + 300_ns, 2048, 0x90000);
  bench.receive(1_us + 500_ns);
  bench.engine.run(30_us);
  std::vector<std::uint64_t> written;
  for (const World::Access& access : bench.world.accesses)
    if (access.write && access.address >= 0x80000) written.push_back(access.address);
  CHECK(written == std::vector<std::uint64_t>{0x80000, 0x90000});
  CHECK(bench.completion(0).index == 0);
  CHECK(bench.completion(1).index == 1);
}

TEST_CASE("receive: bad descriptors are told in a completion") {
  EngineBench bench;
  bench.start();
  bench.post_rx(1, 0_ps, 0);
  bench.post_rx(1, 0_ps, 63);
  bench.post_rx(1, 0_ps, 2048, EngineBench::kBad);
  bench.post_rx(1, 0_ps);
  for (int i = 1; i <= 4; ++i) bench.receive(1_us * i);
  bench.engine.run(10_us);
  CHECK(bench.completion(0).status == NIC_STATUS_BAD_LENGTH);
  CHECK(bench.completion(1).status == NIC_STATUS_BUFFER_SHORT);
  CHECK(bench.completion(1).length == 64);
  CHECK(bench.completion(2).status == NIC_STATUS_DATA_BUS_ERROR);
  CHECK(bench.completion(3).status == NIC_STATUS_OK);  // the queue goes on
  for (unsigned i = 0; i < 4; ++i) CHECK(bench.completion(i).index == i);
}

TEST_CASE("receive: what stops a queue, with its reason; enabling again starts over") {
  EngineBench bench;
  bench.start();
  bench.engine.post_receive(0, 5, 0_ps);  // ring of 4
  CHECK(bench.engine.receive_ring(0).state == NIC_STATE_ERROR);
  CHECK(bench.engine.receive_ring(0).reason == NIC_STATUS_BAD_DOORBELL);
  bench.engine.enable_receive(0, EngineBench::rx_base(0), 2, 0);
  CHECK(bench.engine.receive_ring(0).state == NIC_STATE_READY);
  bench.engine.post_receive(0, 4, 0_ps);
  CHECK(bench.engine.receive_ring(0).state == NIC_STATE_READY);
  bench.engine.enable_receive(1, EngineBench::kBad, 2, 0);
  bench.engine.post_receive(1, 1, 0_ps);
  bench.engine.run(1_us);
  CHECK(bench.engine.receive_ring(1).reason == NIC_STATUS_DESCRIPTOR_BUS_ERROR);
  bench.engine.enable_receive(2, 0x20020, 2, 0);  // not a multiple of 64
  CHECK(bench.engine.receive_ring(2).reason == NIC_STATUS_BAD_CONFIGURATION);
  bench.engine.enable_receive(2, 0x20040, 2, 64);
  CHECK(bench.engine.receive_ring(2).reason == NIC_STATUS_BAD_CONFIGURATION);
  bench.engine.enable_receive(2, 0x20040, 2, 1);  // completion queue 1 is off
  CHECK(bench.engine.receive_ring(2).reason == NIC_STATUS_CQ_ERROR);
  bench.engine.enable_transmit(2, 0x20040, 2, 0, 2);  // port 2 of 2
  CHECK(bench.engine.transmit_ring(2).reason == NIC_STATUS_BAD_CONFIGURATION);
  bench.engine.disable_receive(2);
  CHECK(bench.engine.receive_ring(2).state == NIC_STATE_OFF);
  CHECK(bench.stat("queue_errors") == 6);
}

TEST_CASE("receive: RSS spreads by the low 7 bits of the hash") {
  EngineBench bench;
  bench.start();
  bench.engine.enable_receive(7, EngineBench::rx_base(7), 2, 0);
  PortSteering& steering = bench.engine.steering(0);
  steering.rss = true;
  steering.types.ipv4 = true;
  steering.hash.set_key(
      std::array<std::uint8_t, 40>{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff});
  // With ones in the key every set bit of the 64 of the addresses flips all 32 bits: 1.0.0.0 to 0.0.0.0 gives ffffffff.
  steering.table[127] = 7;
  Octets octets(60, 0);
  octets[12] = 0x08;
  octets[14] = 0x45;
  octets[17] = 46;
  octets[26] = 1;
  bench.post_rx(1, 0_ps, 2048, 0x80000, 7);
  bench.engine.receive(0, make_frame(octets), 1_us);
  bench.engine.run(10_us);
  CHECK(bench.completion(0).queue == 7);
  CHECK(bench.completion(0).rss_hash == 0xffffffff);
  CHECK((bench.completion(0).flags & (NIC_RX_HASH_VALID | NIC_RX_HASH_L4)) == NIC_RX_HASH_VALID);
  CHECK((bench.completion(0).flags & NIC_RX_IPV4_CHECKSUM_BAD) != 0);
  CHECK(bench.completion(0).packet_type == NIC_PACKET_IPV4);
}

TEST_CASE("receive: doing a stretch of time at once gives the same accesses as event by event") {
  std::vector<std::vector<World::Access>> runs;
  for (const Time stride : {1_ns, 7_ns, 100_ns}) {  // at most the receive latency ahead of arrivals
    NicConfig config = round_config();
    config.prefetch = 4;
    EngineBench bench(config);
    bench.start(10, 10);
    bench.world.latency = 333_ns;
    bench.post_rx(1000, 0_ps);
    Time next[2] = {1_us, 1_us};
    for (Time t = 0_ps; t < 5_us; t += stride) {
      for (unsigned port = 0; port < 2; ++port) {
        while (next[port] < t + stride) {
          // Drawn from the arrival itself, so that the order of drawing does not matter.
          const auto draw = static_cast<std::uint64_t>(next[port].count()) * 2654435761U + port;
          bench.receive(next[port], 60 + draw % 1000, port);
          next[port] += Time(20'000 + static_cast<std::int64_t>(draw % 41'000));
        }
      }
      bench.engine.run(t + stride);
    }
    bench.engine.run(1_ms);
    CHECK(bench.broken().empty());
    CHECK(bench.stat("rx_delivered") > 100);
    runs.push_back(bench.world.accesses);
  }
  CHECK(runs[0] == runs[1]);
  CHECK(runs[0] == runs[2]);
}
