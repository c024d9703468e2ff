#include <array>
#include <catch2/catch.hpp>

#include "sim/error.h"
#include "testbenches/tlm/memory_stub.h"
#include "tlm/protocol_checker.h"
#include "tlm/router.h"
#include "tlm/transfer.h"

using namespace dpusim;
using namespace dpusim::test;
using sc_core::SC_NS;
using sc_core::sc_time;

namespace {

struct Agent : CoherentAgent {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> seen;
  void snoop_write(std::uint64_t address, std::uint64_t length) override { seen.emplace_back(address, length); }
};

// Two initiators, memory "low" at 0x1000 (256 octets) and "high" at 0x1100 (mapped only half), each behind a checker.
struct Bench {
  Router router{"router"};
  InitiatorStub cpu{"cpu"}, dma{"dma"};
  MemoryStub low{"low", 0x100, sc_time(5, SC_NS)}, high{"high", 0x200, sc_time(7, SC_NS)};
  ProtocolChecker front{"front"}, back_low{"back_low"}, back_high{"back_high"};
  unsigned cpu_port = 0, dma_port = 0;
  Bench() {
    back_low.initiator.bind(low.socket);
    back_high.initiator.bind(high.socket);
    router.map("low", 0x1000, 0x100, back_low.target);
    router.map("high", 0x1100, 0x100, back_high.target);
    cpu.socket.bind(front.target);
    cpu_port = router.connect("cpu", front.initiator);
    dma_port = router.connect("dma", dma.socket);
  }
  ~Bench() {
    CHECK(front.report() == "");
    CHECK(back_low.report() == "");
    CHECK(back_high.report() == "");
  }
};

}  // namespace

TEST_CASE("the router translates addresses, restores them and adds no time") {
  Bench bench;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  CHECK(bench.cpu_port == 0);
  CHECK(bench.dma_port == 1);
  std::uint32_t word = 0xcafe'f00d;
  sc_time delay(3, SC_NS);
  CHECK(bench.cpu.access(::tlm::TLM_WRITE_COMMAND, 0x1104, &word, 4, &delay) == ::tlm::TLM_OK_RESPONSE);
  CHECK(delay == sc_time(10, SC_NS));
  CHECK(bench.high.last_address == 4);
  CHECK(bench.high.octets[4] == 0x0d);
  std::uint32_t back = 0;
  CHECK(bench.dma.access(::tlm::TLM_READ_COMMAND, 0x1104, &back, 4) == ::tlm::TLM_OK_RESPONSE);
  CHECK(back == word);
  CHECK(bench.front.calls() == 1);
}

TEST_CASE("accesses to nothing, and across the end of a mapping, are address errors") {
  Bench bench;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::array<std::uint8_t, 16> data{};
  CHECK(bench.cpu.access(::tlm::TLM_READ_COMMAND, 0xfff, data.data(), 1) == ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(bench.cpu.access(::tlm::TLM_READ_COMMAND, 0x1200, data.data(), 1) == ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(bench.cpu.access(::tlm::TLM_READ_COMMAND, 0x10fc, data.data(), 4) == ::tlm::TLM_OK_RESPONSE);
  CHECK(bench.cpu.access(::tlm::TLM_READ_COMMAND, 0x10fd, data.data(), 4) == ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(bench.low.accesses == 1);  // the error did not reach a target
}

TEST_CASE("debug access reports how far it came and changes nothing else") {
  Bench bench;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (unsigned i = 0; i < 0x100; ++i) bench.low.octets[i] = static_cast<std::uint8_t>(i);
  std::array<std::uint8_t, 16> data{};
  ::tlm::tlm_generic_payload payload;
  const auto debug_read = [&](std::uint64_t address) {
    InitiatorStub::prepare(payload, ::tlm::TLM_READ_COMMAND, address, data.data(), 16);
    return bench.cpu.socket->transport_dbg(payload);
  };
  CHECK(debug_read(0x10f0) == 16);
  CHECK(data[15] == 0xff);
  CHECK(debug_read(0x10f1) == 15);  // the last octet is in the next mapping
  CHECK(debug_read(0x10ff) == 1);
  CHECK(debug_read(0x1200) == 0);
  CHECK(payload.get_data_length() == 16);
}

TEST_CASE("direct memory windows are translated and clipped to the mapping") {
  Bench bench;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  ::tlm::tlm_generic_payload payload;
  std::uint8_t octet = 0;
  InitiatorStub::prepare(payload, ::tlm::TLM_READ_COMMAND, 0x1180, &octet, 1);
  ::tlm::tlm_dmi dmi;
  CHECK(bench.cpu.socket->get_direct_mem_ptr(payload, dmi));
  CHECK(dmi.get_start_address() == 0x1100);
  CHECK(dmi.get_end_address() == 0x11ff);  // the memory has 0x200 octets, 0x100 are mapped
  CHECK(dmi.get_dmi_ptr() == bench.high.octets.data());

  bench.low.dmi = false;
  payload.set_address(0x1010);
  dmi.init();
  CHECK_FALSE(bench.cpu.socket->get_direct_mem_ptr(payload, dmi));
  CHECK(dmi.get_start_address() == 0x1000);
  CHECK(dmi.get_end_address() == 0x10ff);

  payload.set_address(0x5000);
  dmi.init();
  CHECK_FALSE(bench.cpu.socket->get_direct_mem_ptr(payload, dmi));
  CHECK(dmi.get_start_address() == 0x1200);
  CHECK(dmi.get_end_address() == UINT64_MAX);
}

TEST_CASE("invalidations reach every initiator in its own addresses") {
  Bench bench;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench.high.socket->invalidate_direct_mem_ptr(0x80, 0x17f);
  REQUIRE(bench.cpu.invalidated.size() == 1);
  CHECK(bench.cpu.invalidated[0] == std::make_pair<std::uint64_t, std::uint64_t>(0x1180, 0x11ff));
  CHECK(bench.dma.invalidated == bench.cpu.invalidated);
  bench.high.socket->invalidate_direct_mem_ptr(0x100, 0x1ff);  // not mapped at all
  CHECK(bench.cpu.invalidated.size() == 1);
  bench.low.socket->invalidate_direct_mem_ptr(0, UINT64_MAX);
  REQUIRE(bench.cpu.invalidated.size() == 2);
  CHECK(bench.cpu.invalidated[1] == std::make_pair<std::uint64_t, std::uint64_t>(0x1000, 0x10ff));
}

TEST_CASE("agents hear of others' coherent writes only") {
  Bench bench;
  Agent agent;
  bench.router.add_agent(bench.cpu_port, agent);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::uint64_t data = 0;
  bench.cpu.access(::tlm::TLM_WRITE_COMMAND, 0x1000, &data, 8);  // its own
  bench.dma.access(::tlm::TLM_READ_COMMAND, 0x1000, &data, 8);   // a read
  bench.dma.access(::tlm::TLM_WRITE_COMMAND, 0x1300, &data, 8);  // failed
  CHECK(agent.seen.empty());
  bench.dma.access(::tlm::TLM_WRITE_COMMAND, 0x1008, &data, 8);
  REQUIRE(agent.seen.size() == 1);
  CHECK(agent.seen[0] == std::make_pair<std::uint64_t, std::uint64_t>(0x1008, 8));

  TransferAttributes attributes;
  ::tlm::tlm_generic_payload payload;
  payload.set_extension(&attributes);
  InitiatorStub::prepare(payload, ::tlm::TLM_WRITE_COMMAND, 0x1010, &data, 8);
  attributes.coherent = false;
  sc_time delay;
  bench.dma.socket->b_transport(payload, delay);
  payload.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE);
  attributes.coherent = true;
  attributes.timing_only = true;
  bench.dma.socket->b_transport(payload, delay);
  CHECK(agent.seen.size() == 1);
  payload.clear_extension(&attributes);
}

TEST_CASE("the router refuses overlapping targets") {
  Router router("router");
  MemoryStub a("a", 16), b("b", 16);
  InitiatorStub cpu("cpu");
  router.map("a", 0, 16, a.socket);
  CHECK_THROWS_WITH(router.map("b", 15, 16, b.socket), Catch::Contains("\"a\"") && Catch::Contains("\"b\""));
}
