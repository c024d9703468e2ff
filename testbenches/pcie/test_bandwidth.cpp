// The card's bandwidth to host memory and back, through window, endpoint and link, against the arithmetic of packets.
#include <catch2/catch.hpp>

#include "endpoint_bench.h"

using namespace pcie_bench;

namespace {

double gbps(std::uint64_t octets, Time time) {
  return static_cast<double>(octets) * 8e3 / static_cast<double>(time.count());
}

PcieLinkConfig link_config(unsigned generation, unsigned lanes) {
  return {.generation = generation, .lanes = lanes, .tags = 768, .posted_credits = 2032};
}

/// Makes `count` accesses of `octets` octets, each on 8 KiB of its own. @param serial each leaves when the one before
/// is done, else all are made at once. @return from the end of the first quarter to the end of the last.
Time run_accesses(EndpointBench& bench, bool write, unsigned octets, unsigned count, bool serial) {
  std::vector<std::uint8_t> data(octets);
  Time begin{0}, quarter{0}, end{0};
  for (unsigned i = 0; i < count; ++i) {
    sc_core::sc_time delay = to_sc(begin);
    const auto response = bench.window.access(write ? ::tlm::TLM_WRITE_COMMAND : ::tlm::TLM_READ_COMMAND,
                                              i % 64 * std::uint64_t{8192}, data.data(), octets, &delay);
    REQUIRE(response == ::tlm::TLM_OK_RESPONSE);
    end = std::max(end, from_sc(delay));
    // A posted write ends when it has left, one endpoint's latency after it could have: the next follows right behind.
    if (serial) begin = end - Time(25'000);
    if (i + 1 == count / 4) quarter = end;
  }
  return end - quarter;
}

void check_bandwidth(unsigned generation, unsigned lanes) {
  const PcieLinkConfig config = link_config(generation, lanes);
  EndpointBench bench(EndpointBench::endpoint_config(), config);
  bench.bring_up();
  const LinkShape shape = config.shape();
  constexpr unsigned kAccesses = 2000;
  for (const unsigned octets : {64U, 256U, 512U, 1518U, 4096U, 8192U}) {
    INFO(octets << " octets");
    const Bytes size(octets);
    const std::uint64_t moved = std::uint64_t{octets} * kAccesses * 3 / 4;
    run_until(now() + Time(1'000'000'000));
    const double written = gbps(moved, run_accesses(bench, true, octets, kAccesses, true));
    CHECK(written == Approx(ideal_rate(shape, size, write_on_wire(shape, Host::kBase, size)) / 1e9).epsilon(0.01));
    run_until(now() + Time(1'000'000'000));
    const double read = gbps(moved, run_accesses(bench, false, octets, kAccesses, false));
    CHECK(read == Approx(ideal_rate(shape, size, read_on_wire(shape, Host::kBase, size)) / 1e9).epsilon(0.01));
  }
  CHECK(bench.clean());
}

}  // namespace

TEST_CASE("bandwidth of Gen3 x8 end to end") { check_bandwidth(3, 8); }
TEST_CASE("bandwidth of Gen4 x16 end to end") { check_bandwidth(4, 16); }
TEST_CASE("bandwidth of Gen5 x16 end to end") { check_bandwidth(5, 16); }

TEST_CASE("few tags bound the card's reads by Little's law end to end") {
  PcieLinkConfig config = link_config(3, 8);
  config.latency = Time(400'000);
  config.tags = 8;
  EndpointBench bench(EndpointBench::endpoint_config(), config);
  bench.bring_up();
  run_until(Time(1'000'000'000));
  // A round trip of 512 octets on Gen3 x8: 3047 + 400000 + host 50000 + 2 * 35039 + 400000.
  const double rate = gbps(std::uint64_t{512} * 1500, run_accesses(bench, false, 512, 2000, false));
  CHECK(rate == Approx(8 * 512 * 8e3 / 923'125).epsilon(0.01));
}

TEST_CASE("the card's writes and the host's reads of the card share the way up") {
  EndpointBench bench(EndpointBench::endpoint_config(), link_config(3, 8));
  bench.bring_up();
  run_until(Time(1'000'000'000));
  // The host reads 256 octets each 100 ns: completions of 276 octets take 35039 of every 100000 ps. The rest is the
  // card's: 280 octets (35547 ps) a write of 256.
  std::vector<std::uint8_t> data(256), read(256);
  constexpr unsigned kReads = 2000;
  Time begin{0};
  std::uint64_t writes = 0;
  for (unsigned i = 0; i < kReads; ++i) {
    bench.host.request(TlpType::kMemoryRead, EndpointBench::kBar2, read.data(), 256, now() + Time(100'000) * i);
    while (begin < Time(100'000) * (i + 1)) {
      sc_core::sc_time delay = to_sc(begin);
      bench.window.access(::tlm::TLM_WRITE_COMMAND, 0, data.data(), 256, &delay);
      begin = from_sc(delay) - Time(25'000);
      ++writes;
    }
  }
  CHECK(static_cast<double>(writes) == Approx(kReads * (100'000 - 35'039) / 35'547.0).epsilon(0.01));
}
