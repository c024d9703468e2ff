#include <catch2/catch.hpp>

#include "engine_bench.h"
#include "packets.h"

using namespace net_bench;

namespace {
NicTxDescriptor frame_at(std::uint64_t address, std::uint32_t length, std::uint32_t flags = 0,
                         std::uint64_t timestamp = 0) {
  return {address, length, 0x7000, flags, 0, timestamp};
}
std::vector<unsigned> lengths(const World& world) {
  std::vector<unsigned> all;
  for (const World::Sent& sent : world.sent) all.push_back(static_cast<unsigned>(sent.frame->size()));
  return all;
}
}  // namespace

TEST_CASE("transmit: doorbell, fetch, read, hand-over, completion, each at its time") {
  EngineBench bench;
  bench.start();
  bench.world.memory[0x90000] = 0xab;
  bench.post_tx({frame_at(0x90000, 64, NIC_TX_COMPLETION, 40'000)}, 1_us);
  bench.engine.run(10_us);
  // 1 us + 10 ns doorbell; 50 ns fetch; 50 ns read; 20 ns; the world's port starts to send 100 ns later.
  const std::vector<World::Access> expected = {{false, EngineBench::tx_base(0), 32, 1'010'000},
                                               {false, 0x90000, 64, 1'060'000},
                                               {true, EngineBench::cq_base(0), 32, 1'230'000}};
  CHECK(bench.world.accesses == expected);
  REQUIRE(bench.world.sent.size() == 1);
  CHECK(bench.world.sent[0].start == 1'130_ns);
  CHECK(bench.world.sent[0].port == 0);
  CHECK(bench.world.sent[0].frame->octets()[0] == 0xab);
  const NicCompletion entry = bench.completion(0);
  CHECK(entry.kind == NIC_KIND_TRANSMIT);
  CHECK(entry.status == NIC_STATUS_OK);
  CHECK(entry.cookie == 0x7000);
  CHECK(entry.timestamp == 1'230'000);  // first bit out
  CHECK(bench.engine.stats().transit_latency.count() == 1);
  CHECK(bench.engine.stats().transit_latency.max() == 1'190'000);  // since 40 ns
  CHECK(bench.engine.stats().transmit_latency.max() == 170'000);
}

TEST_CASE("transmit: completions only where asked for, and after errors") {
  EngineBench bench;
  bench.start(3);
  bench.post_tx(
      {frame_at(0x90000, 60), frame_at(0x90000, 61, NIC_TX_COMPLETION), frame_at(0x90000, 13), frame_at(0x90000, 0),
       frame_at(0x90000, 9217), frame_at(0x90000, 62, 8), frame_at(EngineBench::kBad, 63), frame_at(0x90000, 9216)},
      0_ps);
  bench.engine.run(10_us);
  CHECK(lengths(bench.world) == std::vector<unsigned>{60, 61, 9216});
  std::vector<unsigned> status, index;
  for (unsigned i = 0; i < 6; ++i) {
    status.push_back(bench.completion(i).status);
    index.push_back(bench.completion(i).index);
  }
  CHECK(bench.engine.completion_ring(0).tail == 6);
  // Errors are known sooner than frame 1 leaves, but a queue's completions keep their order.
  CHECK(index == std::vector<unsigned>{1, 2, 3, 4, 5, 6});
  CHECK(status == std::vector<unsigned>{NIC_STATUS_OK, NIC_STATUS_BAD_LENGTH, NIC_STATUS_BAD_LENGTH,
                                        NIC_STATUS_BAD_LENGTH, NIC_STATUS_BAD_FLAGS, NIC_STATUS_DATA_BUS_ERROR});
  CHECK(bench.stat("tx_errors") == 5);
  CHECK(bench.engine.completion_ring(0).reserved == 0);
  CHECK(bench.broken().empty());
}

TEST_CASE("transmit: checksums are inserted on request only") {
  EngineBench bench;
  bench.start();
  const Octets good = packets::ip_frame("10.0.0.1", "10.0.0.2", 17, 1, 2, 20);
  Octets blank = good;
  packets::put16(blank, 24, 0);
  packets::put16(blank, 40, 0);
  std::copy(blank.begin(), blank.end(), bench.world.memory.begin() + 0x90000);
  const auto length = static_cast<std::uint32_t>(good.size());
  bench.post_tx({frame_at(0x90000, length), frame_at(0x90000, length, NIC_TX_IPV4_CHECKSUM | NIC_TX_L4_CHECKSUM)},
                0_ps);
  bench.engine.run(10_us);
  const auto sent = [&](unsigned i) {
    const auto octets = bench.world.sent[i].frame->octets();
    return Octets(octets.begin(), octets.end());
  };
  CHECK(sent(0) == blank);
  CHECK(sent(1) == good);
}

TEST_CASE("transmit: queues take turns, frame by frame") {
  EngineBench bench;
  bench.start();
  bench.engine.enable_transmit(3, EngineBench::tx_base(3), 2, 0, 0);
  bench.post_tx({frame_at(0x90000, 60), frame_at(0x90000, 61), frame_at(0x90000, 62)}, 0_ps);
  bench.post_tx({frame_at(0x90000, 70), frame_at(0x90000, 71), frame_at(0x90000, 72)}, 0_ps, 3);
  bench.engine.run(10_us);
  CHECK(lengths(bench.world) == std::vector<unsigned>{60, 70, 61, 71, 62, 72});
}

TEST_CASE("transmit: a slow port holds reads back by its buffer; another port goes on") {
  NicConfig config = round_config();
  config.transmit_buffer = 2;
  EngineBench bench(config);
  bench.start();
  bench.engine.enable_transmit(1, EngineBench::tx_base(1), 2, 0, 1);
  bench.world.port_gap = 1_us;
  bench.post_tx({frame_at(0x90000, 60), frame_at(0x90000, 60), frame_at(0x90000, 60), frame_at(0x90000, 60)}, 0_ps);
  bench.post_tx({frame_at(0xa0000, 60)}, 500_ns, 1);
  bench.engine.run(10_us);
  std::vector<std::int64_t> reads;
  for (const World::Access& access : bench.world.accesses) {
    if (access.address == 0x90000) reads.push_back(access.when);
    if (access.address == 0xa0000) CHECK(access.when == 560'000);
  }
  // Taken at 130, 1130, 2130, 3130 ns; the third is read when the first was taken, the fourth when the second was.
  REQUIRE(reads.size() == 4);
  CHECK(reads[0] == 60'000);
  CHECK(reads[1] == 60'937 + 1);  // 60 octets of the lane: 937.5 ps, to nearest 938
  CHECK(reads[2] == 130'000);
  CHECK(reads[3] == 1'130'000);
  std::vector<std::int64_t> starts;
  for (const World::Sent& sent : bench.world.sent) {
    if (sent.port == 0) starts.push_back(sent.start.count());
  }
  CHECK(starts == std::vector<std::int64_t>{130'000, 1'130'000, 2'130'000, 3'130'000});
}

TEST_CASE("transmit: a full completion queue holds the queue until software consumes") {
  EngineBench bench;
  bench.start(2, 1);
  bench.post_tx({frame_at(0x90000, 60, 1), frame_at(0x90000, 61, 1), frame_at(0x90000, 62, 1)}, 0_ps);
  bench.engine.run(10_us);
  CHECK(lengths(bench.world) == std::vector<unsigned>{60, 61});
  CHECK(bench.engine.next_due() == kTimeMax);
  bench.engine.consume(0, 1, 11_us);
  CHECK(bench.engine.next_due() == 11_us);
  bench.engine.run(20_us);
  CHECK(lengths(bench.world) == std::vector<unsigned>{60, 61, 62});
  // Read when there was room again, at 11 us: the frame leaves 50 + 20 + 100 ns later, and is then completed.
  CHECK(bench.world.accesses.back() == World::Access{true, EngineBench::cq_base(0), 32, 11'170'000});
}

TEST_CASE("transmit: while the NIC is off doorbells wait; a queue stopped forgets its descriptors") {
  EngineBench bench;
  bench.start();
  bench.engine.set_enabled(false, 0_ps);
  bench.post_tx({frame_at(0x90000, 60)}, 0_ps);
  bench.engine.run(1_us);
  CHECK(bench.world.sent.empty());
  bench.engine.set_enabled(true, 1_us);
  bench.engine.run(2_us);
  REQUIRE(bench.world.sent.size() == 1);
  CHECK(bench.world.sent[0].start == 1_us + 50_ns + 20_ns);
  bench.post_tx({frame_at(0x90000, 60)}, 2_us);
  bench.engine.run(2_us + 10_ns);  // fetched, not read
  bench.engine.disable_transmit(0);
  bench.engine.run(3_us);
  CHECK(bench.world.sent.size() == 1);
  bench.engine.reset();
  CHECK(bench.engine.next_due() == kTimeMax);
  CHECK(bench.broken().empty());
}

TEST_CASE("transmit: prefetch reads no more than asked, and not across the ring's end") {
  NicConfig config = round_config();
  config.prefetch = 4;
  EngineBench bench(config);
  bench.start(3);
  const std::vector<NicTxDescriptor> six(6, frame_at(0x90000, 60));
  bench.post_tx(six, 0_ps);
  bench.engine.run(1_us);
  bench.post_tx(six, 1_us);
  bench.engine.run(2_us);
  std::vector<std::pair<std::uint64_t, std::size_t>> fetches;
  for (const World::Access& access : bench.world.accesses) {
    if (access.address != 0x90000)
      fetches.emplace_back((access.address - EngineBench::tx_base(0)) / 32, access.octets / 32);
  }
  // Four; when two are left, two more. Then from 6: two to the end, and the rest from 0 when half is used.
  CHECK(fetches[0] == std::pair<std::uint64_t, std::size_t>{0, 4});
  CHECK(fetches[1] == std::pair<std::uint64_t, std::size_t>{4, 2});
  CHECK(fetches[2] == std::pair<std::uint64_t, std::size_t>{6, 2});
  std::size_t total = 0;
  for (const auto& [first, count] : fetches) {
    CHECK(first + count <= 8);
    CHECK(count <= 4);
    total += count;
  }
  CHECK(total == 12);
  CHECK(bench.world.sent.size() == 12);
}
