// Programs that use a NIC: what they move, when they see it, and what they refuse.
#include <catch2/catch.hpp>

#include "nic_host.h"

using namespace host_bench;
using namespace dpusim::literals;

namespace {

Json receive(const char* name, unsigned port, Json more = Json::object()) {
  Json json = {{"type", "receive"}, {"name", name}, {"port", port}};
  json.update(more);
  return json;
}
Json send(const char* name, unsigned port, std::uint64_t count, Json more = Json::object()) {
  Json json = {{"type", "send"}, {"name", name}, {"port", port}, {"count", count}, {"start", "100us"}};
  json.update(more);
  return json;
}

template <class... Programs>
Json list(const Programs&... programs) {
  return Json::array({programs...});
}

}  // namespace

TEST_CASE("send and receive: frames go out by one port and in by the other, and the run ends by itself") {
  // 64 entries wrap 78 times, and the counters of 16 bits do not; see the next test.
  NicHost bench(list(receive("rx", 1, {{"receive", {{"ring", 64}, {"batch", 16}}}}),
                     send("tx", 0, 5000, {{"ring", 64}, {"size", 200}, {"rate", "20Gb/s"}})));
  CHECK(bench.host.has_active_programs());
  CHECK_FALSE(bench.host.programs_done());
  bench.run_out();
  CHECK(bench.host.programs_done());
  CHECK(bench.stat("tx.frames") == 5000);
  CHECK(bench.stat("tx.octets") == 5000 * 196);
  CHECK(bench.stat("tx.errors") == 0);
  CHECK(bench.stat("rx.frames") == 5000);
  CHECK(bench.stat("rx.octets") == 5000 * 196);
  CHECK(bench.stat("rx.errors") == 0);
  CHECK(bench.stat("rx.dropped") == 0);
  CHECK(bench.histogram("rx.latency").count() == 5000);
  CHECK(bench.run.stat("nic.rx_delivered") == 5000);
  CHECK(bench.run.stat("p0.aFramesTransmittedOK") == 5000);
  CHECK(bench.stat("rx.thread0_utilisation") > 0);
  CHECK(bench.lawful());
  // The frames of the last 64, by their numbers: buffers in order, each of 2048 octets, behind the rings.
  std::uint64_t found = 0;
  for (std::uint64_t at = 0x100000; at < 0x400000; at += 64) {
    const auto octets = bench.host.memory().at(at, 64);
    if (octets[12] == 8 && octets[13] == 0 && octets[37] == 9 && octets[23] == 17) {
      std::uint64_t number = 0;
      std::memcpy(&number, &octets[42], 8);
      if (number >= 4936) ++found;
    }
  }
  CHECK(found == 128);  // in the sender's buffers and in the receiver's
}

TEST_CASE("send and receive: counters of 16 bits wrap") {
  NicHost bench(list(receive("rx", 1, {{"count", 70000}}), send("tx", 0, 70000, {{"size", 64}, {"rate", "7Gb/s"}})));
  bench.run_out();
  CHECK(bench.host.programs_done());
  CHECK(bench.stat("rx.frames") == 70000);
  CHECK(bench.stat("tx.frames") == 70000);
  CHECK(bench.lawful());
}

TEST_CASE("send: a rate is kept on the wire") {
  // 1000 frames of 1518 octets at 10 Gb/s with 20 octets of preamble and gap each: 1230.4 ns apart.
  NicHost bench(list(receive("rx", 1), send("tx", 0, 1001, {{"rate", "10Gb/s"}})));
  bench.run_out();
  CHECK(bench.stat("tx.frames") == 1001);
  CHECK(bench.stat("rx.frames") == 1001);
  // From set-up (100 us and some writes of 50 ns) to the last one's reception.
  const double took = static_cast<double>((bench.ended - 100_us).count());
  CHECK(took > 1000 * 1'230'400.0);
  CHECK(took < 1000 * 1'230'400.0 + 6e6);
}

TEST_CASE("receive: a completion is seen when it has arrived and a look finds it, not before") {
  // The card is 3 us away, so that completions are in memory long before they may be seen.
  Json config = {{"receive", {{"poll", 300}}}, {"frame_cycles", 3000}};  // looks of 100 ns, work of 1 us
  NicHost bench(list(receive("rx", 1, config)), NicHost::small(), {}, Fidelity::kApproximate, false);
  bench.card.way = 3_us;
  net_bench::Octets frame(60, 2);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  run_until(50_us);
  const std::size_t writes_before = static_cast<std::size_t>(bench.run.stat("host.device_writes"));
  bench.network->send(frame, 50_us);
  // By hand: 72 octets at 100 Gb/s (5.76 ns), port, NIC; then a write of data, whose answer takes 3 us there and back;
  // the completion is issued when the data has arrived.
  const net::EthernetPortConfig port;
  const net::NicConfig nic;
  const host::HostConfig host;
  const Time line(938);  // one line at 546 Gb/s, to the nearest picosecond
  const Time issued = 50_us + Time(5'760) + port.receive_latency + nic.receive_latency;
  const Time visible = issued + 6_us + line + 3_us + line + host.write_latency;
  run_until(issued + 6_us + 1_ns);
  CHECK(static_cast<std::size_t>(bench.run.stat("host.device_writes")) == writes_before + 2);  // both in memory
  CHECK(bench.stat("rx.frames") == 0);
  run_until(visible - 1_ps);
  CHECK(bench.stat("rx.frames") == 0);
  run_until(visible + 100_ns);  // at most one look later
  CHECK(bench.stat("rx.frames") == 1);
  const auto latency = static_cast<std::int64_t>(bench.histogram("rx.latency").max());
  CHECK(latency >= (visible - 50_us + 1_us).count());
  CHECK(latency < (visible - 50_us + 1_us + 100_ns).count());
}

TEST_CASE("receive: interrupts wake the thread, with the NIC's moderation") {
  Json config = {
      {"receive", {{"notice", "interrupt"}, {"moderation_count", 8}, {"moderation_time", "200us"}, {"batch", 64}}}};
  // 64 frames of 84 octets with preamble and gap, one every 10 us: eight for each interrupt, whose handler is done
  // before the ninth.
  NicHost bench(list(receive("rx", 1, config), send("tx", 0, 64, {{"rate", "67200kb/s"}, {"size", 64}})));
  bench.run_out();
  CHECK(bench.stat("rx.frames") == 64);
  CHECK(bench.stat("rx.interrupts") == 8);
  CHECK(bench.stat("interrupts") == 8);
  CHECK(bench.stat("spurious_interrupts") == 0);
  // The first of eight waits 70 us for the others, and then for the handler.
  const host::HostConfig host;
  CHECK(bench.histogram("rx.latency").max() > static_cast<std::uint64_t>((70_us + host.interrupt_latency).count()));
  CHECK(bench.histogram("rx.latency").max() < static_cast<std::uint64_t>((75_us + host.interrupt_latency).count()));
  CHECK(bench.lawful());
}

TEST_CASE("receive: the moderation's time raises an interrupt for the few") {
  Json config = {{"receive", {{"notice", "interrupt"}, {"moderation_count", 8}, {"moderation_time", "20us"}}}};
  NicHost bench(list(receive("rx", 1, config), send("tx", 0, 3)));
  bench.run_out();
  CHECK(bench.stat("rx.frames") == 3);
  CHECK(bench.stat("rx.interrupts") == 1);
  CHECK(bench.histogram("rx.latency").max() > static_cast<std::uint64_t>((20_us).count()));
}

TEST_CASE("receive: threads share flows by RSS") {
  NicHost bench(list(receive("rx", 1, {{"threads", 4}}), send("tx", 0, 4000, {{"flows", 64}})));
  bench.run_out();
  CHECK(bench.stat("rx.frames") == 4000);
  for (unsigned i = 0; i < 4; ++i) CHECK(bench.stat(fmt::format("rx.thread{}_utilisation", i)) > 0);
  CHECK(bench.nic.engine().receive_ring(3).head > 200);
}

TEST_CASE("receive: a core too slow for the wire drops at the NIC, and the books balance") {
  // 100,000 cycles of 3 GHz a frame: 33 us; frames come every 1.2 us and 32 fit.
  NicHost bench(list(receive("rx", 1, {{"frame_cycles", 100000}, {"receive", {{"ring", 32}}}}),
                     send("tx", 0, 500, {{"rate", "10Gb/s"}})));
  bench.run_out();
  CHECK(bench.stat("rx.dropped") > 300);
  CHECK(bench.stat("rx.frames") + bench.stat("rx.dropped") == 500);
  CHECK(bench.stat("rx.thread0_utilisation") > 0.5);
  CHECK(bench.lawful());
}

TEST_CASE("receive: a frame longer than its buffer is an error and its buffer comes back") {
  NicHost bench(list(receive("rx", 1, {{"receive", {{"ring", 2}, {"buffer", 1024}, {"batch", 1}}}}),
                     send("tx", 0, 20, {{"rate", "1Gb/s"}, {"size", 1518}})));
  bench.run_out();
  CHECK(bench.stat("rx.frames") == 0);
  CHECK(bench.stat("rx.errors") == 20);
}

TEST_CASE("receive: copies take time by the octet") {
  NicHost bench(list(receive("a", 1, {{"copy_rate", "8Gb/s"}}), receive("b", 0), send("ta", 0, 1), send("tb", 1, 1)));
  bench.run_out();
  // 1514 octets at 1 octet a nanosecond. Looks at the ring are 20 ns apart.
  const auto a = static_cast<double>(bench.histogram("a.latency").max()),
             b = static_cast<double>(bench.histogram("b.latency").max());
  CHECK(a - b == Approx(1'514'000).margin(25'000));
}

TEST_CASE("ping_pong and reflect: every frame comes back, and the round trip is the sum of its parts") {
  NicHost bench(list(Json{{"type", "ping_pong"}, {"name", "ping"}, {"port", 0}, {"count", 100}, {"start", "100us"}},
                     Json{{"type", "reflect"}, {"name", "echo"}, {"port", 1}}));
  bench.run_out();
  CHECK(bench.host.programs_done());
  CHECK(bench.stat("ping.answers") == 100);
  CHECK(bench.stat("ping.timeouts") == 0);
  CHECK(bench.stat("ping.strays") == 0);
  CHECK(bench.stat("echo.frames") == 100);
  CHECK(bench.stat("echo.errors") == 0);
  // Each way, by hand: frame written (122 cycles at 3 GHz: 40.7 ns), doorbell 50 ns, descriptor and frame read
  // (each read_latency and a line or two), NIC 150 ns, port out, wire 5.76 ns, port in, NIC 150 ns, completion visible
  // (data and completion 1 ns each, 100 ns), a look (0 to 20 ns), taken (40.7 or, by the reflector, 81.3 ns).
  const net::EthernetPortConfig port;
  const double wire =
      150 + static_cast<double>((port.transmit_latency + port.receive_latency).count()) / 1000 + 5.8 + 150 + 102;
  const host::HostConfig host;
  const double way = 50 + 2 * static_cast<double>(host.read_latency.count()) / 1000 + 4 + wire;
  const double expected = 2 * way + 40.7 + 81.3 + 40.7;
  CHECK(static_cast<double>(bench.histogram("ping.round_trip").min()) / 1000 >= expected - 2);
  CHECK(static_cast<double>(bench.histogram("ping.round_trip").max()) / 1000 <= expected + 2 * 20 + 2);
  CHECK(bench.histogram("ping.round_trip").count() == 100);
  CHECK(bench.lawful());
}

TEST_CASE("ping_pong: an answer that does not come is given up, and the run goes on") {
  NicHost bench(list(
      Json{{"type", "ping_pong"}, {"name", "ping"}, {"port", 0}, {"count", 3}, {"timeout", "50us"}, {"gap", "10us"}},
      receive("rx", 1)));
  bench.run_out();
  CHECK(bench.stat("ping.answers") == 0);
  CHECK(bench.stat("ping.timeouts") == 3);
  CHECK(bench.stat("rx.frames") == 3);
  CHECK(bench.host.programs_done());
}

TEST_CASE("ping_pong and reflect with interrupts") {
  Json by = {{"notice", "interrupt"}, {"moderation_count", 0}, {"moderation_time", "0ns"}, {"ring", 16}};
  NicHost bench(list(Json{{"type", "ping_pong"}, {"name", "ping"}, {"count", 50}, {"receive", by}},
                     Json{{"type", "reflect"}, {"name", "echo"}, {"port", 1}, {"receive", by}}));
  bench.run_out();
  CHECK(bench.stat("ping.answers") == 50);
  CHECK(bench.stat("ping.interrupts") == 50);
  CHECK(bench.stat("echo.interrupts") == 50);
  CHECK(bench.host.programs_done());
  // Two interrupts a round, each of 1 us latency and 1 us work.
  CHECK(bench.histogram("ping.round_trip").min() > 4'000'000);
}

namespace {

// The kernel cannot be started twice, so that each mistake has a process of its own.
void refuse(const Json& programs, const std::vector<std::string>& words) {
  NicHost bench(programs);
  std::string message;
  try {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  } catch (const ConfigError& error) {
    message = error.what();
  }
  for (const std::string& word : words) CHECK_THAT(message, Catch::Contains(word));
}

}  // namespace

TEST_CASE("refused before time starts: a receive queue that another program has") {
  refuse(list(receive("a", 0, {{"first_queue", 3}}), receive("b", 1, {{"first_queue", 2}, {"threads", 2}})),
         {"scenario[1]", "receive queue 3", "scenario[0]"});
}
TEST_CASE("refused before time starts: a transmit queue that another program has") {
  refuse(list(send("a", 0, 1, {{"queue", 5}}), send("b", 1, 1, {{"queue", 5}})),
         {"scenario[1]", "transmit queue 5", "scenario[0]"});
}
TEST_CASE("refused before time starts: the receive side of a port that another program has") {
  refuse(list(receive("a", 0), receive("b", 0)), {"scenario[1]", "port 0", "scenario[0]"});
}
TEST_CASE("refused before time starts: a port that the NIC does not have") {
  refuse(list(receive("a", 3)), {"scenario[0].port", "port 3", "2 ports"});
}
TEST_CASE("refused before time starts: queues that the NIC does not have") {
  refuse(list(receive("a", 0, {{"first_queue", 31}, {"threads", 2}})), {"scenario[0]", "32 receive queues"});
}
TEST_CASE("refused before time starts: a function that is not there") {
  refuse(list(receive("a", 0, {{"device", {{"function", 1}}}})), {"scenario[0].device.function", "function 1"});
}
TEST_CASE("refused before time starts: a BAR that is not there") {
  refuse(list(receive("a", 0, {{"device", {{"bar", 4}}}})), {"scenario[0].device", "BAR 4"});
}
TEST_CASE("refused before time starts: a device that is no NIC") {
  refuse(list(receive("a", 0, {{"device", {{"offset", "4KiB"}}}})),
         {"scenario[0].device", "ID register", "0x4e494301"});
}
TEST_CASE("refused before time starts: more threads than the host has") {
  refuse(list(receive("a", 0, {{"threads", 9}})), {"scenario[0]", "threads"});
}
TEST_CASE("refused before time starts: rings and buffers that do not fit into memory") {
  refuse(list(receive("a", 0, {{"receive", {{"ring", 32768}, {"buffer", 16384}}}})), {"scenario[0]", "memory_size"});
}
TEST_CASE("refused before time starts: MSI-X entries beyond the last") {
  refuse(list(receive("a", 0, {{"receive", {{"notice", "interrupt"}, {"msix", 64}}}})),
         {"scenario[0]", "MSI-X entry 64", "64 entries"});
}

TEST_CASE("bus master off: the NIC cannot read its rings, nothing arrives, and the run ends") {
  host::HostConfig config = NicHost::small();
  config.bus_master = false;
  NicHost bench(list(receive("rx", 1), send("tx", 0, 10)), config);
  bench.run_out();
  CHECK(bench.stat("tx.frames") == 0);
  CHECK(bench.stat("rx.frames") == 0);
  CHECK_FALSE(bench.host.programs_done());
  CHECK(bench.nic.engine().transmit_ring(0).state == NIC_STATE_ERROR);
}

TEST_CASE("functional fidelity: the same frames, no latencies of the host") {
  NicHost bench(list(receive("rx", 1), send("tx", 0, 300)), NicHost::small(), {}, Fidelity::kFunctional);
  bench.run_out();
  CHECK(bench.stat("rx.frames") == 300);
  CHECK(bench.stat("tx.frames") == 300);
  CHECK(bench.stat("rx.thread0_utilisation") == 0);
  CHECK(bench.host.programs_done());
}
