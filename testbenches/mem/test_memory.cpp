#include <array>
#include <catch2/catch.hpp>

#include "mem/ddr.h"
#include "mem/mem_types.h"
#include "mem/ram.h"
#include "sim/error.h"
#include "testbenches/tlm/memory_stub.h"
#include "tlm/protocol_checker.h"
#include "tlm/transfer.h"

using namespace dpusim;
using namespace dpusim::literals;
using namespace dpusim::test;
using sc_core::SC_PS;
using sc_core::sc_time;

namespace {

constexpr auto kRead = ::tlm::TLM_READ_COMMAND;
constexpr auto kWrite = ::tlm::TLM_WRITE_COMMAND;

struct Run {
  Log log{[](LogLevel, const std::string&) {}, [] { return Time(0); }};
  Simulation simulation;
  explicit Run(Fidelity how = Fidelity::kApproximate) : simulation(log, 1, how, "."), fidelity(how) {}
  Fidelity fidelity;
  BlockContext context(const std::string& name) { return {simulation, name, fidelity}; }
};

template <class Memory, class Config>
struct Bench : Run {
  Memory memory;
  InitiatorStub cpu{"cpu"};
  ProtocolChecker checker{"checker"};
  explicit Bench(const Config& config, Fidelity how = Fidelity::kApproximate)
      : Run(how), memory(context("memory"), config) {
    cpu.socket.bind(checker.target);
    checker.initiator.bind(memory.socket);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  ~Bench() { CHECK(checker.report() == ""); }
  double stat(const std::string& name) { return simulation.stats().find("memory." + name)->scalar(1_us); }
};

using DdrBench = Bench<mem::Ddr, mem::DdrConfig>;
using RamBench = Bench<mem::Ram, mem::RamConfig>;

mem::RamConfig small_ram() {
  mem::RamConfig config;
  config.capacity = 4_KiB;
  return config;
}

}  // namespace

TEST_CASE("untouched memory reads as zero up to 64 GiB, and keeps what is written at both ends") {
  mem::DdrConfig config;
  config.capacity = 64_GiB;
  DdrBench bench(config);
  for (const std::uint64_t address : {std::uint64_t{0}, (std::uint64_t{64} << 30) - 8}) {
    std::uint64_t word = 1;
    CHECK(bench.cpu.access(kRead, address, &word, 8) == ::tlm::TLM_OK_RESPONSE);
    CHECK(word == 0);
    word = 0x0123'4567'89ab'cdef + address;
    CHECK(bench.cpu.access(kWrite, address, &word, 8) == ::tlm::TLM_OK_RESPONSE);
    std::uint64_t back = 0;
    CHECK(bench.cpu.access(kRead, address, &back, 8) == ::tlm::TLM_OK_RESPONSE);
    CHECK(back == word);
  }
  CHECK(bench.stat("reads") == 4);
  CHECK(bench.stat("writes") == 2);
  CHECK(bench.stat("octets_written") == 16);
}

TEST_CASE("accesses outside are address errors and are counted") {
  RamBench bench(small_ram());
  std::array<std::uint8_t, 64> data{};
  CHECK(bench.cpu.access(kRead, 4096 - 64, data.data(), 64) == ::tlm::TLM_OK_RESPONSE);
  CHECK(bench.cpu.access(kRead, 4096 - 63, data.data(), 64) == ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(bench.cpu.access(kWrite, 4096, data.data(), 1) == ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(bench.cpu.access(kRead, UINT64_MAX, data.data(), 2) == ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(bench.stat("errors") == 3);
  CHECK(bench.stat("reads") == 1);
}

TEST_CASE("byte enables and streaming are honoured") {
  RamBench bench(small_ram());
  std::array<std::uint8_t, 8> data{1, 2, 3, 4, 5, 6, 7, 8};
  std::array<std::uint8_t, 2> enables{0xff, 0};
  ::tlm::tlm_generic_payload payload;
  InitiatorStub::prepare(payload, kWrite, 0x20, data.data(), 8);
  payload.set_byte_enable_ptr(enables.data());
  payload.set_byte_enable_length(2);  // repeated over the data
  sc_time delay;
  bench.cpu.socket->b_transport(payload, delay);
  const std::uint8_t* store = bench.memory.store().data() + 0x20;
  CHECK(std::vector<int>(store, store + 8) == std::vector<int>{1, 0, 3, 0, 5, 0, 7, 0});

  InitiatorStub::prepare(payload, kWrite, 0x20, data.data(), 8);
  payload.set_streaming_width(4);  // the second half lands on the first
  bench.cpu.socket->b_transport(payload, delay);
  CHECK(std::vector<int>(store, store + 8) == std::vector<int>{5, 6, 7, 8, 5, 0, 7, 0});
  InitiatorStub::prepare(payload, kRead, 4096 - 4, data.data(), 8);
  payload.set_streaming_width(4);  // touches the last four octets only
  bench.cpu.socket->b_transport(payload, delay);
  CHECK(payload.is_response_ok());
}

TEST_CASE("a timing-only access takes time and moves nothing") {
  RamBench bench(small_ram());
  std::array<std::uint8_t, 64> data{};
  data.fill(0xaa);
  TransferAttributes attributes;
  attributes.timing_only = true;
  ::tlm::tlm_generic_payload payload;
  payload.set_extension(&attributes);
  InitiatorStub::prepare(payload, kWrite, 0, data.data(), 64);
  sc_time delay;
  bench.cpu.socket->b_transport(payload, delay);
  CHECK(payload.is_response_ok());
  CHECK(bench.memory.store().data()[0] == 0);
  CHECK(delay == sc_time(9'000, SC_PS));
  InitiatorStub::prepare(payload, kRead, 0, nullptr, 64);
  bench.cpu.socket->b_transport(payload, delay);
  CHECK(payload.is_response_ok());
  payload.clear_extension(&attributes);
}

TEST_CASE("RAM: latency plus a cycle a beat of the port, which is shared") {
  RamBench bench(small_ram());  // 5 ns, 1 GHz, 16 octets
  std::array<std::uint8_t, 64> data{};
  const auto time = [&](std::uint64_t address, unsigned length, unsigned at) {
    sc_time delay(at, SC_PS);
    bench.cpu.access(kRead, address, data.data(), length, &delay);
    return static_cast<unsigned>(delay.value()) - at;
  };
  CHECK(time(0, 16, 0) == 6'000);
  CHECK(time(0, 17, 100'000) == 7'000);
  CHECK(time(15, 2, 200'000) == 7'000);
  CHECK(time(0, 64, 300'000) == 9'000);
  CHECK(time(0, 16, 303'999) == 6'001);  // the port is free one picosecond later
  CHECK(time(0, 16, 305'000) == 6'000);
}

TEST_CASE("direct memory access gives the whole memory and its own latency") {
  RamBench bench(small_ram());
  ::tlm::tlm_generic_payload payload;
  std::uint8_t octet = 0;
  InitiatorStub::prepare(payload, kRead, 0x800, &octet, 1);
  ::tlm::tlm_dmi dmi;
  REQUIRE(bench.cpu.socket->get_direct_mem_ptr(payload, dmi));
  CHECK(dmi.is_read_write_allowed());
  CHECK(dmi.get_start_address() == 0);
  CHECK(dmi.get_end_address() == 4095);
  CHECK(dmi.get_read_latency() == sc_time(6'000, SC_PS));
  dmi.get_dmi_ptr()[0x800] = 0x5a;
  bench.cpu.access(kRead, 0x800, &octet, 1);
  CHECK(octet == 0x5a);
  payload.set_address(4096);
  dmi.init();
  CHECK_FALSE(bench.cpu.socket->get_direct_mem_ptr(payload, dmi));
  CHECK(dmi.get_start_address() == 4096);
}

TEST_CASE("debug access moves what there is and counts nothing") {
  RamBench bench(small_ram());
  std::array<std::uint8_t, 16> data{};
  data.fill(7);
  ::tlm::tlm_generic_payload payload;
  InitiatorStub::prepare(payload, kWrite, 4096 - 8, data.data(), 16);
  CHECK(bench.cpu.socket->transport_dbg(payload) == 8);
  CHECK(bench.memory.store().data()[4095] == 7);
  payload.set_address(4096);
  CHECK(bench.cpu.socket->transport_dbg(payload) == 0);
  payload.set_address(UINT64_MAX);
  CHECK(bench.cpu.socket->transport_dbg(payload) == 0);
  payload.set_command(::tlm::TLM_IGNORE_COMMAND);
  payload.set_address(0);
  CHECK(bench.cpu.socket->transport_dbg(payload) == 0);
  CHECK(bench.stat("reads") + bench.stat("writes") + bench.stat("errors") == 0);
}

TEST_CASE("DDR: latencies are recorded and add to the caller's delay") {
  DdrBench bench(mem::DdrConfig{});
  std::array<std::uint8_t, 64> data{};
  sc_time delay(1'000, SC_PS);
  bench.cpu.access(kRead, 0, data.data(), 64, &delay);
  // controller 10 ns + tRCD 13.75 + tCL 13.75 + burst 2.5
  CHECK(delay == sc_time(1'000 + 40'000, SC_PS));
  const auto& latency = bench.memory.stats().read_latency;
  CHECK(latency.count() == 1);
  CHECK(latency.min() == 40'000);
  CHECK(bench.simulation.stats().find("memory.bandwidth")->scalar(1_us) == 64e6);
}

TEST_CASE("functional fidelity: a fixed latency, whatever the length and the load") {
  DdrBench bench(mem::DdrConfig{}, Fidelity::kFunctional);
  std::vector<std::uint8_t> data(65'536);
  for (const unsigned length : {1U, 64U, 65'536U}) {
    sc_time delay;
    bench.cpu.access(kRead, 0, data.data(), length, &delay);
    CHECK(delay == sc_time(40'000, SC_PS));
  }
}

TEST_CASE("the family's table makes both types") {
  Run run;
  const auto types = mem::block_types();
  REQUIRE(types.size() == 2);
  CHECK(types[0].name == "ram");
  CHECK(types[1].name == "ddr");
  const auto block =
      types[1].make(run.context("ddr"), nlohmann::ordered_json::parse(R"({"capacity": "1GiB"})"), "blocks.ddr");
  const auto ports = block->ports();
  REQUIRE(ports.size() == 1);
  CHECK(ports[0].size == std::uint64_t{1} << 30);
  CHECK(std::holds_alternative<MemoryTargetSocket*>(ports[0].endpoint));
  CHECK_THROWS_AS(
      types[0].make(run.context("sram"), nlohmann::ordered_json::parse(R"({"latencey": "1ns"})"), "blocks.sram"),
      ConfigError);
}
