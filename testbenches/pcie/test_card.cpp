// The endpoint on a card's crossbar, at full rate, in circles, and under requests that make no sense.
#include <catch2/catch.hpp>

#include "endpoint_bench.h"
#include "interconnect/crossbar.h"
#include "sim/random.h"

using namespace pcie_bench;

namespace {

constexpr std::uint64_t kWindow = 0x80'0000'0000;

/// A crossbar joins a card's initiator, its memory (at 0), the endpoint's window and registers; BAR 2 stands for the
/// memory.
struct CardBench {
  explicit CardBench(PcieEndpointConfig config, Fidelity fidelity = Fidelity::kApproximate)
      : fabric(run.context("fabric", fidelity), {}),
        link(run.context("link", fidelity), EndpointBench::link_config()),
        endpoint(run.context("endpoint", fidelity), config) {
    endpoint.link.bind(link.device);
    link.root.bind(host.port);
    fabric.map("memory", 0, memory.octets.size(), memory.socket);
    fabric.map("window", kWindow, config.window_size.count(), endpoint.window);
    fabric.map("regs", 0x1000'0000, 4096, endpoint.regs());
    fabric.connect("initiator", initiator.socket);
    endpoint.attached("bus", fabric, fabric.connect("endpoint", endpoint.bus));
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    host.config_write<std::uint32_t>(0x18, static_cast<std::uint32_t>(EndpointBench::kBar2));
    host.config_write<std::uint32_t>(0x1c, EndpointBench::kBar2 >> 32);
    host.config_write<std::uint16_t>(0x04, 0x6);
  }
  static PcieEndpointConfig config() {
    PcieEndpointConfig config = EndpointBench::endpoint_config();
    config.bar2 = {Bytes(1U << 20U), Address(0), true};
    return config;
  }
  Run run;
  Host host{"host"};
  interconnect::Crossbar fabric;
  PcieLink link;
  PcieEndpoint endpoint;
  test::MemoryStub memory{"memory", 1U << 20U};
  test::InitiatorStub initiator{"initiator"};
};

}  // namespace

TEST_CASE("accesses of many KiB pass the card's crossbar both ways") {
  CardBench bench(CardBench::config());
  Random random(3, "crossbar");
  for (const unsigned octets : {1U, 1518U, 4097U, 9000U, 65'536U}) {
    std::vector<std::uint8_t> data(octets), back(octets);
    for (std::uint8_t& octet : data) octet = static_cast<std::uint8_t>(random());
    const std::uint64_t offset = 0x1000 + random.below(4096);
    CHECK(bench.initiator.access(::tlm::TLM_WRITE_COMMAND, kWindow + offset, data.data(), octets) ==
          ::tlm::TLM_OK_RESPONSE);
    CHECK(std::equal(data.begin(), data.end(), bench.host.memory.begin() + static_cast<std::ptrdiff_t>(offset)));
    CHECK(bench.initiator.access(::tlm::TLM_READ_COMMAND, kWindow + offset, back.data(), octets) ==
          ::tlm::TLM_OK_RESPONSE);
    CHECK(back == data);
    bench.host.request(TlpType::kMemoryWrite, EndpointBench::kBar2 + offset, data.data(), octets);
    CHECK(std::equal(data.begin(), data.end(), bench.memory.octets.begin() + static_cast<std::ptrdiff_t>(offset)));
    std::fill(back.begin(), back.end(), std::uint8_t{0});
    bench.host.request(TlpType::kMemoryRead, EndpointBench::kBar2 + offset, back.data(), octets);
    CHECK(back == data);
  }
  // The crossbar has asked for direct access and was told that the window is a device.
  CHECK(bench.run.stat("fabric.initiator.l3_misses") == 0);
  CHECK(bench.run.stat("fabric.endpoint.octets_written") == 1 + 1518 + 4097 + 9000 + 65'536);
  CHECK(bench.run.simulation.stats().broken_laws(now()).empty());
}

TEST_CASE("a request that goes in circles between host and card is aborted") {
  PcieEndpointConfig config = CardBench::config();
  config.bar2.at = Address(kWindow);  // the host sees the card's window, in which the card sees BAR 2 of the host
  config.host_base = Address(EndpointBench::kBar2);
  CardBench bench(config);
  bench.host.on_request = [&](PcieRequest& request, Time when) {
    if (request.address >> 20 != EndpointBench::kBar2 >> 20) return false;
    bench.host.port->to_device(request, when);
    return true;
  };
  std::array<std::uint8_t, 8> data{};
  bench.host.request(TlpType::kMemoryRead, EndpointBench::kBar2, data.data(), 8);
  CHECK(bench.host.status == CompletionStatus::kCompleterAbort);
  CHECK(bench.run.stat("endpoint.loops") == 1);
  bench.host.request(TlpType::kMemoryWrite, EndpointBench::kBar2, data.data(), 8);
  CHECK(bench.run.stat("endpoint.loops") == 2);
  CHECK(bench.initiator.access(::tlm::TLM_READ_COMMAND, kWindow, data.data(), 8) == ::tlm::TLM_GENERIC_ERROR_RESPONSE);
  CHECK(bench.run.stat("endpoint.loops") == 3);
  // Once round is no circle: host, card, host memory.
  bench.host.on_request = nullptr;
  std::uint64_t base = Host::kBase;
  bench.initiator.access(::tlm::TLM_WRITE_COMMAND, 0x1000'0000 + card_regs::kHOST_BASE_offset, &base, 8);
  bench.host.memory[16] = 0x77;
  CHECK(bench.host.read<std::uint8_t>(EndpointBench::kBar2 + 16) == 0x77);
  CHECK(bench.run.stat("endpoint.loops") == 3);
}

TEST_CASE("functional fidelity leaves only the host's and the card's own times") {
  CardBench bench(CardBench::config(), Fidelity::kFunctional);
  std::array<std::uint8_t, 64> data{};
  sc_core::sc_time delay;
  bench.host.latency = Time(0);
  data[5] = 9;
  bench.initiator.access(::tlm::TLM_WRITE_COMMAND, kWindow, data.data(), 64, &delay);
  CHECK(bench.host.memory[5] == 9);
  const Time hops = from_sc(delay);
  delay = sc_core::SC_ZERO_TIME;
  bench.initiator.access(::tlm::TLM_WRITE_COMMAND, 0, data.data(), 64, &delay);
  CHECK(from_sc(delay) == hops);  // what an access to memory takes there: the crossbar's two hops
}
