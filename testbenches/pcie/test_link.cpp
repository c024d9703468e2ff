// The link's packets in time, without a kernel: each time by hand, n-1/n where it matters.
#include <catch2/catch.hpp>

#include <functional>
#include <string>
#include <vector>

#include "pcie/pcie_link_engine.h"
#include "pcie_bench.h"
#include "sim/random.h"

using namespace dpusim;
using namespace dpusim::pcie;
using namespace pcie_bench;

namespace {

constexpr std::uint64_t kHigh = 0x1'0000'0000;
// Gen3 x8 is 63.015384615 Gb/s: an octet takes 126.953125 ps. 24 octets 3047 ps, 20 octets 2539 ps, 84 octets 10664 ps,
// 88 octets 11172 ps.
const PcieLinkConfig kGen3x8{.generation = 3, .lanes = 8, .latency = Time(100'000)};

/// Both ends of a link: answers `service` after the request came, with what `status` says.
struct Ends : PcieLinkEnvironment {
  struct Seen {
    Direction way;
    TlpType type;
    std::uint64_t address;
    std::size_t octets;
    Time arrival;
  };
  Time complete(Direction way, PcieRequest& piece, Time arrival) override {
    seen.push_back({way, piece.type, piece.address, piece.data.size(), arrival});
    if (on_piece) on_piece(piece, arrival);
    return arrival + service;
  }
  [[nodiscard]] Time present() const override { return now; }
  Time service{0}, now{0};
  std::vector<Seen> seen;
  std::function<void(PcieRequest&, Time)> on_piece;
};

struct LinkBench {
  explicit LinkBench(const PcieLinkConfig& config, Fidelity fidelity = Fidelity::kApproximate)
      : context(run.simulation, "link", fidelity), engine(config, context, ends) {}
  Time request(Direction way, TlpType type, std::uint64_t address, std::size_t octets, Time when) {
    data.resize(std::max(octets, data.size()));
    last = {.type = type, .address = address, .data = std::span(data).first(octets)};
    return engine.request(way, last, when);
  }
  Time write(std::uint64_t address, std::size_t octets, Time when) {
    return request(Direction::kUpstream, TlpType::kMemoryWrite, address, octets, when);
  }
  Time read(std::uint64_t address, std::size_t octets, Time when) {
    return request(Direction::kUpstream, TlpType::kMemoryRead, address, octets, when);
  }
  Run run;
  Ends ends;
  BlockContext context;
  PcieLinkEngine engine;
  std::vector<std::uint8_t> data;
  PcieRequest last;
};

double gbps(std::uint64_t octets, Time time) {
  return static_cast<double>(octets) * 8e3 / static_cast<double>(time.count());
}

}  // namespace

TEST_CASE("a write arrives when its last octet is through, and may be followed when it has left") {
  LinkBench bench(kGen3x8);
  bench.ends.service = Time(7'000);
  CHECK(bench.write(kHigh, 64, Time(1'000)) == Time(1'000 + 11'172 + 100'000 + 7'000));
  CHECK(bench.last.sent == Time(12'172));
  REQUIRE(bench.ends.seen.size() == 1);
  CHECK(bench.ends.seen[0].arrival == Time(112'172));
  // The wire is in use until 12172: the next write leaves then, one that comes at 12172 does not wait.
  bench.write(kHigh, 64, Time(12'171));
  CHECK(bench.last.sent == Time(12'172 + 11'172));
  bench.write(kHigh, 64, Time(23'344));
  CHECK(bench.last.sent == Time(23'344 + 11'172));
  CHECK(bench.run.stat("link.upstream_waiting") == 3);
}

TEST_CASE("a long write is handed over packet by packet") {
  LinkBench bench(kGen3x8);
  bench.write(kHigh + 0xff0, 600, Time(0));
  // 16, 256, 256 and 72 octets with 24 each: 40, 280, 280, 96 octets on the wire, 5078, 35547, 35547, 12188 ps.
  REQUIRE(bench.ends.seen.size() == 4);
  const std::int64_t arrivals[] = {105'078, 140'625, 176'172, 188'360};
  const std::uint64_t addresses[] = {0xff0, 0x1000, 0x1100, 0x1200};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(bench.ends.seen[i].arrival == Time(arrivals[i]));
    CHECK(bench.ends.seen[i].address == kHigh + addresses[i]);
  }
  CHECK(bench.last.sent == Time(88'360));
  CHECK(bench.run.stat("link.upstream.memory_write_tlps") == 4);
  CHECK(bench.run.stat("link.upstream.payload_octets") == 600);
  CHECK(bench.run.stat("link.upstream.wire_octets") == 696);
  CHECK(bench.run.stat("link.downstream.wire_octets") == 0);
}

TEST_CASE("a read takes a request one way and completions the other") {
  LinkBench bench(kGen3x8);
  bench.ends.service = Time(50'000);
  // 3047 out, 100000 across, 50000 at the completer, 10664 back, 100000 across.
  CHECK(bench.read(kHigh, 64, Time(0)) == Time(263'711));
  CHECK(bench.last.sent == Time(3'047));
  CHECK(bench.run.stat("link.upstream.wire_octets") == 24);
  CHECK(bench.run.stat("link.downstream.wire_octets") == 84);
  CHECK(bench.run.stat("link.upstream.read_latency") == 1);
  // Two requests of 512 and 88 octets, in one read: 256 + 256 and 88 octets come back (276, 276, 108 on the wire:
  // 35039, 35039, 13711).
  CHECK(bench.read(kHigh, 600, Time(1'000'000)) ==
        Time(1'000'000 + 3'047 + 100'000 + 50'000 + 2 * 35'039 + 13'711 + 100'000));
  CHECK(bench.run.stat("link.downstream.completion_tlps") == 4);
  CHECK(bench.run.simulation.stats().broken_laws(Time(2'000'000)).empty());
}

TEST_CASE("a configuration access is one doubleword each way with headers of three") {
  LinkBench bench(kGen3x8);
  // Write: 20 + 4 octets down (3047), completion of 20 up (2539). Read: 20 down (2539), 24 up (3047).
  CHECK(bench.request(Direction::kDownstream, TlpType::kConfigurationWrite, 4, 4, Time(0)) == Time(205'586));
  CHECK(bench.request(Direction::kDownstream, TlpType::kConfigurationRead, 4, 4, Time(1'000'000)) == Time(1'205'586));
  CHECK(bench.run.stat("link.downstream.configuration_tlps") == 2);
  CHECK(bench.run.stat("link.upstream.completion_tlps") == 2);
  CHECK(bench.run.stat("link.downstream.wire_octets") == 44);
  CHECK(bench.run.stat("link.upstream.wire_octets") == 44);
  // What is not one doubleword is no configuration request.
  for (const auto& [address, octets] : {std::pair{2, 4}, {0, 8}, {0, 0}, {3, 2}}) {
    const Time done = bench.request(Direction::kDownstream, TlpType::kConfigurationRead, static_cast<unsigned>(address),
                                    static_cast<std::size_t>(octets), Time(2'000'000));
    CHECK(done == Time(2'000'000));
    CHECK(bench.last.status == CompletionStatus::kUnsupportedRequest);
  }
  bench.request(Direction::kDownstream, TlpType::kMessage, 0, 1, Time(2'000'000));
  CHECK(bench.last.status == CompletionStatus::kUnsupportedRequest);
  CHECK(bench.ends.seen.size() == 2);
}

TEST_CASE("a read stops at the first piece that fails, a write goes on and tells") {
  LinkBench bench(kGen3x8);
  bench.ends.on_piece = [](PcieRequest& piece, Time) {
    if (piece.address == kHigh + 512) piece.status = CompletionStatus::kCompleterAbort;
    if (piece.address == kHigh + 1024) piece.status = CompletionStatus::kUnsupportedRequest;
  };
  // Completions of the first piece, then one without data: 20 octets.
  bench.read(kHigh, 2048, Time(0));
  CHECK(bench.last.status == CompletionStatus::kCompleterAbort);
  CHECK(bench.ends.seen.size() == 2);
  CHECK(bench.run.stat("link.downstream.wire_octets") == 2 * 276 + 20);
  CHECK(bench.run.stat("link.upstream.failed_requests") == 1);
  CHECK(bench.run.stat("link.upstream.read_octets_failed") == 512);
  CHECK(bench.run.simulation.stats().broken_laws(Time(1'000'000)).empty());
  bench.ends.seen.clear();
  bench.write(kHigh, 2048, Time(0));
  CHECK(bench.last.status == CompletionStatus::kCompleterAbort);
  CHECK(bench.ends.seen.size() == 8);
  bench.ends.on_piece = nullptr;
  bench.read(kHigh, 64, Time(0));
  CHECK(bench.last.status == CompletionStatus::kSuccessful);  // the last status does not stick
}

TEST_CASE("a request waits for a tag until a completion has come") {
  PcieLinkConfig config = kGen3x8;
  config.tags = 1;
  LinkBench bench(config);
  bench.ends.service = Time(50'000);
  REQUIRE(bench.read(kHigh, 64, Time(0)) == Time(263'711));
  CHECK(bench.read(kHigh, 64, Time(263'710)) == Time(2 * 263'711));  // one picosecond early: waits for it
  CHECK(bench.run.stat("link.upstream_tags_waits") == 1);
  CHECK(bench.read(kHigh, 64, Time(2 * 263'711)) == Time(3 * 263'711));
  CHECK(bench.run.stat("link.upstream_tags_waits") == 1);
  const auto* used = bench.run.simulation.stats().find("link.upstream_tags_utilisation");
  REQUIRE(used != nullptr);
  CHECK(used->scalar(Time(6 * 263'711)) == Approx(0.5));
  // The host's requests have tags of their own.
  CHECK(bench.request(Direction::kDownstream, TlpType::kMemoryRead, kHigh, 64, Time(0)) < Time(300'000));
  // A request that its own completer makes over the same link finds no tag and is done nevertheless.
  bool nested = false;
  bench.ends.on_piece = [&](PcieRequest&, Time arrival) {
    if (nested) return;
    nested = true;
    std::vector<std::uint8_t> more(8);
    PcieRequest inner{.type = TlpType::kMemoryRead, .address = kHigh, .data = more};
    CHECK(bench.engine.request(Direction::kUpstream, inner, arrival) > arrival);
    CHECK(inner.status == CompletionStatus::kSuccessful);
  };
  bench.read(kHigh, 64, Time(10'000'000));
  CHECK(nested);
}

// 2.6.1: a posted packet needs a credit, which comes back when the receiver has dealt with an earlier one.
TEST_CASE("a write waits for a credit, and what comes after it waits behind it") {
  PcieLinkConfig config = kGen3x8;
  config.posted_credits = 1;
  LinkBench bench(config);
  bench.ends.service = Time(50'000);
  // Sent at 11172, there at 111172, done at 161172, credit back at 261172.
  CHECK(bench.write(kHigh, 64, Time(0)) == Time(161'172));
  bench.write(kHigh, 64, Time(261'171));
  CHECK(bench.last.sent == Time(261'172 + 11'172));
  CHECK(bench.run.stat("link.upstream_credits_waits") == 1);
  bench.write(kHigh, 64, Time(522'344));
  CHECK(bench.last.sent == Time(522'344 + 11'172));
  CHECK(bench.run.stat("link.upstream_credits_waits") == 1);
  // A write at 600000 has its credit at 783516, and a read at 600001 follows it; one at 599999 was before it.
  bench.write(kHigh, 64, Time(600'000));
  CHECK(bench.last.sent == Time(783'516 + 11'172));
  bench.read(kHigh, 64, Time(599'999));
  CHECK(bench.last.sent == Time(599'999 + 3'047));
  bench.read(kHigh, 64, Time(600'001));
  CHECK(bench.last.sent == Time(783'516 + 11'172 + 3'047));
  // The other direction has credits of its own.
  bench.request(Direction::kDownstream, TlpType::kMemoryWrite, kHigh, 64, Time(600'000));
  CHECK(bench.last.sent == Time(600'000 + 11'172));
}

TEST_CASE("a slow receiver slows its sender down to its own rate") {
  LinkBench bench(kGen3x8);
  // It takes 256 octets in 100 ns, one packet after the other: 20.48 Gb/s of the link's 57.6.
  struct Slow : PcieLinkEnvironment {
    Time complete(Direction, PcieRequest&, Time arrival) override {
      return free = std::max(free, arrival) + Time(100'000);
    }
    [[nodiscard]] Time present() const override { return Time(0); }
    Time free{0};
  } slow;
  BlockContext context(bench.run.simulation, "other", Fidelity::kApproximate);
  PcieLinkEngine engine(kGen3x8, context, slow);
  std::vector<std::uint8_t> data(256);
  PcieRequest request{.type = TlpType::kMemoryWrite, .address = kHigh, .data = data};
  constexpr unsigned kWarmUp = 1000, kWrites = 5000;
  Time first{0};
  for (unsigned i = 0; i < kWarmUp + kWrites; ++i) {
    engine.request(Direction::kUpstream, request, request.sent);
    if (i + 1 == kWarmUp) first = request.sent;
  }
  CHECK(gbps(256 * kWrites, request.sent - first) == Approx(20.48).epsilon(0.01));
}

// Little's law: requests under way = rate * round trip.
TEST_CASE("reads short of tags get tags * MRRS a round trip") {
  for (const unsigned tags : {1U, 4U, 32U}) {
    PcieLinkConfig config{.generation = 5, .lanes = 16, .mrrs = Bytes(512), .tags = tags, .latency = Time(500'000)};
    LinkBench bench(config);
    bench.ends.service = Time(100'000);
    // Gen5 x16: 24 octets 381 ps; 2 * 276 octets 8760 ps; one round trip 381 + 500000 + 100000 + 8760 + 500000.
    const double round_trip = 1'109'141;
    Time done{0};
    constexpr unsigned kReads = 3200;
    for (unsigned i = 0; i < kReads; ++i) done = std::max(done, bench.read(kHigh + 512 * i, 512, Time(0)));
    INFO(tags);
    CHECK(gbps(kReads * 512, done) == Approx(tags * 512 * 8e3 / round_trip).epsilon(0.01));
  }
}

TEST_CASE("bandwidth by size is the arithmetic's, within 1 per cent") {
  struct Link {
    unsigned generation, lanes;
  };
  for (const Link link : {Link{3, 8}, Link{4, 16}, Link{5, 16}}) {
    for (const std::uint64_t octets : {64U, 128U, 256U, 512U, 1024U, 1518U, 4096U}) {
      const PcieLinkConfig config{.generation = link.generation, .lanes = link.lanes, .mrrs = Bytes(4096), .tags = 768};
      LinkBench writes(config), reads(config);
      INFO("generation " << link.generation << " x" << link.lanes << ", " << octets << " octets");
      // Requests follow one another in memory, each on a page of its own when it is longer than half a page.
      constexpr unsigned kRequests = 2000;
      const std::uint64_t stride = octets > 2048 ? 4096 : octets == 1518 ? 2048 : octets;
      Time sent{0}, first{0}, last{0};
      for (unsigned i = 0; i < kRequests; ++i) {
        writes.write(kHigh + stride * i, octets, sent);
        sent = writes.last.sent;
        last = reads.read(kHigh + stride * i, octets, Time(0));
        if (i == 0) first = last;
      }
      const LinkShape shape = config.shape();
      const double write_rate = ideal_rate(shape, Bytes(octets), write_on_wire(shape, kHigh, Bytes(octets))) / 1e9;
      const double read_rate = ideal_rate(shape, Bytes(octets), read_on_wire(shape, kHigh, Bytes(octets))) / 1e9;
      CHECK(gbps(octets * kRequests, sent) == Approx(write_rate).epsilon(0.01));
      CHECK(gbps(octets * (kRequests - 1), last - first) == Approx(read_rate).epsilon(0.01));
      CHECK(writes.engine.direction(Direction::kUpstream).wire.utilisation(sent) == Approx(1.0).epsilon(1e-6));
    }
  }
}

TEST_CASE("completions and writes of one direction share its wire") {
  LinkBench bench(kGen3x8);
  // The device writes 256 octets whenever the wire lets it; the host reads 256 octets of it each 100 ns. Up go 280
  // octets (35547 ps) a write and 276 (35039 ps) a completion, so of 100 ns 64961 ps are left for writes.
  constexpr unsigned kReads = 2000;
  Time sent{0};
  std::uint64_t writes = 0;
  for (unsigned i = 0; i < kReads; ++i) {
    bench.ends.now = Time(100'000) * i;
    bench.request(Direction::kDownstream, TlpType::kMemoryRead, kHigh, 256, bench.ends.now);
    while (sent < bench.ends.now + Time(100'000)) {
      bench.write(kHigh, 256, sent);
      sent = bench.last.sent;
      ++writes;
    }
  }
  const double expected = kReads * 64'961.0 / 35'547.0;
  CHECK(static_cast<double>(writes) == Approx(expected).epsilon(0.01));
  CHECK(bench.engine.direction(Direction::kUpstream).wire.utilisation(sent) == Approx(1.0).epsilon(0.01));
  // Down go 24 octets a read only: 3047 ps of 100 ns.
  CHECK(bench.engine.direction(Direction::kDownstream).wire.utilisation(sent) == Approx(0.03047).epsilon(0.01));
}

// 2.4.1: a posted write does not pass another, and a read request does not pass a posted write.
TEST_CASE("what is sent in the order of its times arrives in that order, whatever lies ahead on the calendar") {
  PcieLinkConfig config = kGen3x8;
  config.posted_credits = GENERATE(1U, 3U, 508U);
  LinkBench bench(config);
  Random random(11, "order");
  Time when{0}, last_arrival{0};
  for (unsigned i = 0; i < 5'000; ++i) {
    // Completions far ahead leave gaps of all sizes.
    bench.ends.service = Time(static_cast<std::int64_t>(random.below(2'000'000)));
    bench.request(Direction::kDownstream, TlpType::kMemoryRead, kHigh, 1 + random.below(4096), when);
    bench.ends.service = Time(0);
    bench.ends.seen.clear();
    const bool is_read = random.below(4) == 0;
    const std::size_t octets = 1 + random.below(700);
    if (is_read) {
      bench.read(kHigh + random.below(4096), octets, when);
    } else {
      bench.write(kHigh + random.below(4096), octets, when);
    }
    for (const Ends::Seen& piece : bench.ends.seen) {
      REQUIRE(piece.arrival > last_arrival);
      last_arrival = piece.arrival;
    }
    when += Time(static_cast<std::int64_t>(random.below(100'000)));
    bench.ends.now = when;
  }
}

TEST_CASE("functional fidelity takes no time and splits all the same") {
  PcieLinkConfig config = kGen3x8;
  config.tags = 1;
  LinkBench bench(config, Fidelity::kFunctional);
  bench.ends.service = Time(5);
  CHECK(bench.write(kHigh, 1000, Time(3)) == Time(8));
  CHECK(bench.ends.seen.size() == 4);
  CHECK(bench.read(kHigh, 1000, Time(3)) == Time(8));
  CHECK(bench.read(kHigh, 1000, Time(3)) == Time(8));
  CHECK(bench.run.stat("link.upstream_tags_waits") == 0);
}
