// What a card's software writes into the rings of host programs: nothing of it stops the host, and completions that no
// request explains are counted and told as a failure.
#include <catch2/catch.hpp>

#include "host/dma_program.h"
#include "nic_host.h"
#include "real_card.h"
#include "sim/random.h"

using namespace host_bench;
using namespace dpusim::literals;

namespace {

constexpr std::uint64_t kRings = 0x100000;  // where a host of less than 4 GiB gives out memory from
constexpr unsigned kEntry = 32;
const Json kSmall = {{"ring", 16}, {"buffer", 256}, {"batch", 4}};

Json small_receive(const char* notice = "poll") {
  Json json = kSmall;
  json["notice"] = notice;
  return json;
}

// A completion of which about half of the fields are likely ones.
net_bench::Octets random_entry(Random& random, std::uint64_t small) {
  const auto field = [&](std::uint64_t likely) { return random.below(2) == 0 ? random() : random.below(likely); };
  NicCompletion entry{};
  entry.timestamp = field(1'000'000'000);
  entry.cookie = static_cast<std::uint32_t>(field(small));
  entry.length = static_cast<std::uint32_t>(field(300));
  entry.index = static_cast<std::uint16_t>(field(small));
  entry.queue = static_cast<std::uint16_t>(field(2));
  entry.status = static_cast<std::uint8_t>(random.below(4) == 0 ? random() : 0);
  entry.kind = static_cast<std::uint8_t>(field(3));
  entry.phase = static_cast<std::uint8_t>(random());
  net_bench::Octets octets(kEntry);
  std::memcpy(octets.data(), &entry, kEntry);
  if (random.below(4) == 0) {
    for (std::uint8_t& octet : octets) octet = static_cast<std::uint8_t>(random());
    octets.resize(1 + random.below(kEntry));
  }
  return octets;
}

// Writes random completions into all completion rings that the NIC knows of, and interrupt messages, while frames come
// and go.
void fuzz_nic(const Json& programs, const std::string& name, Fidelity fidelity = Fidelity::kApproximate) {
  NicHost bench(programs, NicHost::small(), {}, fidelity);
  Random random(1, name);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (Time at = 150_us; at < 3_ms; at += 500_ns) {
    run_until(at);
    // Interrupt messages that nothing caused: threads 0 to 3, of which programs have two; vectors 0x20 and 0x21.
    auto vector = static_cast<std::uint32_t>(0x20 + random.below(2));
    bench.card.request(TlpType::kMemoryWrite, host::RootComplex::kMsiBegin + (random.below(4) << 12U),
                       {reinterpret_cast<std::uint8_t*>(&vector), sizeof vector}, now());
    for (unsigned queue = 0; queue < 4; ++queue) {
      const std::uint64_t base = bench.nic.engine().completion_ring(queue).base;
      if (base == 0) continue;
      const std::uint64_t place = (base - CardStub::kOutbound) + random.below(16) * kEntry;
      REQUIRE(place >= kRings);
      net_bench::Octets octets = random_entry(random, 20);
      bench.card.request(TlpType::kMemoryWrite, place, octets, now());
    }
  }
  run_until(20_ms);
  bench.host.finish();
  INFO(bench.host.failure().value_or("no failure"));
  CHECK(bench.stat(name + ".bad_completions") > 100);
  CHECK(bench.host.failure());
}

}  // namespace

TEST_CASE("random completions: receive, polling") {
  fuzz_nic({{{"type", "receive"}, {"name", "rx"}, {"port", 1}, {"receive", small_receive()}},
            {{"type", "send"}, {"name", "tx"}, {"count", 100000}, {"size", 128}, {"rate", "1Gb/s"}, {"ring", 16}}},
           "rx");
}
TEST_CASE("random completions: receive with interrupts and copies") {
  fuzz_nic({{{"type", "receive"},
             {"name", "rx"},
             {"port", 1},
             {"copy_rate", "10Gb/s"},
             {"receive", small_receive("interrupt")}},
            {{"type", "send"}, {"name", "tx"}, {"count", 100000}, {"size", 128}, {"rate", "1Gb/s"}, {"ring", 16}}},
           "rx");
}
TEST_CASE("random completions: send") {
  fuzz_nic({{{"type", "send"}, {"name", "tx"}, {"count", 100000}, {"size", 128}, {"rate", "1Gb/s"}, {"ring", 16}},
            {{"type", "receive"}, {"name", "rx"}, {"port", 1}, {"receive", small_receive()}}},
           "tx");
}
TEST_CASE("random completions: send, functional") {
  fuzz_nic({{{"type", "send"}, {"name", "tx"}, {"count", 1000000}, {"size", 128}, {"ring", 16}},
            {{"type", "receive"}, {"name", "rx"}, {"port", 1}, {"receive", small_receive()}}},
           "tx", Fidelity::kFunctional);
}
TEST_CASE("random completions: ping_pong and reflect") {
  const Json programs = {{{"type", "ping_pong"},
                          {"name", "ping"},
                          {"count", 100000},
                          {"size", 128},
                          {"timeout", "20us"},
                          {"receive", small_receive()}},
                         {{"type", "reflect"}, {"name", "echo"}, {"port", 1}, {"receive", small_receive()}}};
  fuzz_nic(programs, "ping");
}
TEST_CASE("random completions: reflect and ping_pong with interrupts") {
  const Json programs = {{{"type", "reflect"}, {"name", "echo"}, {"port", 1}, {"receive", small_receive("interrupt")}},
                         {{"type", "ping_pong"},
                          {"name", "ping"},
                          {"count", 100000},
                          {"size", 128},
                          {"timeout", "20us"},
                          {"receive", small_receive("interrupt")}}};
  fuzz_nic(programs, "echo");
}

TEST_CASE("random completions: dma") {
  // Another program's jobs keep the host going whatever becomes of the first one's.
  RealCard card(Json::array(
      {Json{{"type", "dma"}, {"name", "dma"}, {"count", 100000}, {"depth", 8}, {"size", 64}},
       Json{{"type", "dma"}, {"name", "other"}, {"count", 20000}, {"size", 64}, {"depth", 4}, {"queue", 1}}}));
  Random random(1, "dma");
  const std::uint64_t ring = std::uint64_t{4} << 30U;  // the first that programs take
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (Time at = 50_us; at < 2_ms; at += 500_ns) {
    run_until(at);
    net_bench::Octets octets = random_entry(random, 20);
    if (octets.size() == kEntry) {
      AccelCompletion entry;
      std::memcpy(&entry, octets.data(), kEntry);
      entry.queue = static_cast<std::uint16_t>(random.below(2));
      entry.index = static_cast<std::uint16_t>(random.below(2) == 0 ? random() : random.below(20));
      entry.cookie = static_cast<std::uint32_t>(random.below(2) == 0 ? random() : random.below(20));
      std::memcpy(octets.data(), &entry, kEntry);
    }
    PcieRequest request{.type = TlpType::kMemoryWrite, .address = ring + random.below(16) * kEntry, .data = octets};
    card.host->services().root.serve(request, now(), now());
    REQUIRE(request.status == CompletionStatus::kSuccessful);
  }
  run_until(20_ms);
  card.host->finish();
  CHECK(card.stat("dma.bad_completions") > 100);
  CHECK(card.stat("other.jobs") == 20000);
  CHECK(card.stat("other.bad_completions") == 0);
  CHECK(card.host->failure());
}

namespace {

// A receive queue whose program has just posted its buffers, and a completion that would be good.
struct Posted {
  NicHost bench{Json::array({Json{{"type", "receive"}, {"name", "rx"}, {"port", 1}, {"receive", kSmall}}})};
  NicCompletion good{};
  unsigned next = 0;
  Posted() {
    run_until(100_us);
    good.cookie = 0;
    good.length = 60;
    good.kind = NIC_KIND_RECEIVE;
    good.phase = 1;
  }
  void write(NicCompletion entry) {
    const std::uint64_t base = bench.nic.engine().completion_ring(0).base - CardStub::kOutbound;
    bench.card.request(TlpType::kMemoryWrite, base + next++ * kEntry, {reinterpret_cast<std::uint8_t*>(&entry), kEntry},
                       now());
    run_until(now() + 10_us);
  }
  [[nodiscard]] double bad() { return bench.stat("rx.bad_completions"); }
};

}  // namespace

TEST_CASE("completions of a receive queue: each field that is checked, at its limits") {
  Posted posted;
  const auto with = [&](auto change) {
    NicCompletion entry = posted.good;
    change(entry);
    posted.write(entry);
  };
  with([](NicCompletion& e) { e.kind = NIC_KIND_TRANSMIT; });
  CHECK(posted.bad() == 1);
  with([](NicCompletion& e) { e.queue = 1; });
  CHECK(posted.bad() == 2);
  with([](NicCompletion& e) { e.cookie = 16; });  // one more than the last
  CHECK(posted.bad() == 3);
  with([](NicCompletion& e) { e.index = 1; });  // whose cookie is 1
  CHECK(posted.bad() == 4);
  with([](NicCompletion& e) { e.length = 13; });  // an Ethernet header has 14 octets
  CHECK(posted.bad() == 5);
  with([](NicCompletion& e) { e.length = 257; });  // the buffer has 256
  CHECK(posted.bad() == 6);
  CHECK(posted.bench.stat("rx.frames") == 0);
  with([](NicCompletion& e) { e.length = 14; });
  CHECK(posted.bad() == 6);
  CHECK(posted.bench.stat("rx.frames") == 1);
  with([](NicCompletion& e) { e.length = 14; });  // the buffer is under way again, as entry 16; entry 0 is its slot
  CHECK(posted.bench.stat("rx.frames") == 2);
  with([](NicCompletion& e) { e.cookie = e.index = 15, e.length = 256, e.timestamp = UINT64_MAX; });
  CHECK(posted.bench.stat("rx.frames") == 3);
  CHECK(posted.bad() == 6);
  CHECK(posted.bench.histogram("rx.latency").count() == 2);  // a time in the future is not recorded
  posted.bench.host.finish();
  CHECK(posted.bench.host.failure() == "program rx: 6 completions that no request explains");
}

TEST_CASE("an entry written with the phase of the last round is not looked at for ever") {
  Posted posted;
  posted.good.phase = 0;
  posted.write(posted.good);
  CHECK(posted.bench.stat("rx.frames") == 0);
  CHECK(posted.bad() == 0);
  posted.next = 0;
  posted.good.phase = 1;
  posted.write(posted.good);
  CHECK(posted.bench.stat("rx.frames") == 1);
}
