// Times in the tests: hop 3 ns, 1.25 GHz (0.8 ns a cycle), 32 octets a cycle at a port, L3 12 ns hit and 4 ns lookup,
// memory stub 50 ns, device stub 20 ns.
#include <array>
#include <catch2/catch.hpp>

#include "interconnect/crossbar.h"
#include "interconnect/interconnect_types.h"
#include "sim/error.h"
#include "sim/systemc_time.h"
#include "testbenches/tlm/memory_stub.h"
#include "tlm/protocol_checker.h"

using namespace dpusim;
using namespace dpusim::literals;
using namespace dpusim::test;
using interconnect::Crossbar;
using interconnect::CrossbarConfig;
using Seen = MemoryStub::Seen;

namespace {

constexpr auto kRead = ::tlm::TLM_READ_COMMAND;
constexpr auto kWrite = ::tlm::TLM_WRITE_COMMAND;

struct Agent : CoherentAgent {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> seen;
  void snoop_write(std::uint64_t address, std::uint64_t length) override { seen.emplace_back(address, length); }
};

CrossbarConfig small_cache() {
  CrossbarConfig config;
  config.l3_size = 512_B;  // 4 sets of 2 ways
  config.l3_ways = 2;
  return config;
}

struct Run {
  Log log{[](LogLevel, const std::string&) {}, [] { return Time(0); }};
  Simulation simulation;
  Fidelity fidelity;
  explicit Run(Fidelity how) : simulation(log, 1, how, "."), fidelity(how) {}
  BlockContext context(const std::string& name) { return {simulation, name, fidelity}; }
};

struct Bench : Run {
  Crossbar noc;
  InitiatorStub cpu{"cpu"}, cpu1{"cpu1"}, nic{"nic"};
  ProtocolChecker from_cpu{"from_cpu"}, from_nic{"from_nic"}, from_cpu1{"from_cpu1"}, to_ddr{"to_ddr"},
      to_uart{"to_uart"};
  MemoryStub ddr{"ddr", 0x10000, sc_core::sc_time(50, sc_core::SC_NS)},
      uart{"uart", 0x100, sc_core::sc_time(20, sc_core::SC_NS)};
  Agent core;
  unsigned cpu_port, cpu1_port, nic_port;
  std::vector<std::uint8_t> data = std::vector<std::uint8_t>(4096);
  TransferAttributes attributes;

  explicit Bench(const CrossbarConfig& config = small_cache(), Fidelity how = Fidelity::kApproximate)
      : Run(how), noc(context("noc"), config) {
    uart.dmi = false;
    to_ddr.initiator.bind(ddr.socket);
    to_uart.initiator.bind(uart.socket);
    noc.map("ddr", 0x4000'0000, 0x10000, to_ddr.target);
    noc.map("uart", 0x0900'0000, 0x100, to_uart.target);
    cpu.socket.bind(from_cpu.target);
    cpu1.socket.bind(from_cpu1.target);
    nic.socket.bind(from_nic.target);
    cpu_port = noc.connect("cpu", from_cpu.initiator);
    cpu1_port = noc.connect("cpu1", from_cpu1.initiator);
    nic_port = noc.connect("nic", from_nic.initiator);
    noc.add_agent(cpu_port, core);
    noc.add_agent(cpu1_port, core);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  ~Bench() {
    CHECK(from_cpu.report() == "");
    CHECK(from_cpu1.report() == "");
    CHECK(from_nic.report() == "");
    CHECK(to_ddr.report() == "");
    CHECK(to_uart.report() == "");
  }
  // Makes an access whose requester's local time is `at`. @return how long it took.
  Time access(InitiatorStub& who, ::tlm::tlm_command command, std::uint64_t address, unsigned length, Time at) {
    ::tlm::tlm_generic_payload payload;
    InitiatorStub::prepare(payload, command, address, data.data(), length);
    payload.set_extension(&attributes);
    sc_core::sc_time delay = to_sc(at);
    who.socket->b_transport(payload, delay);
    payload.clear_extension(&attributes);
    status = payload.get_response_status();
    return from_sc(delay) - at;
  }
  double stat(const std::string& name) { return simulation.stats().find("noc." + name)->scalar(1_us); }
  ::tlm::tlm_response_status status = ::tlm::TLM_INCOMPLETE_RESPONSE;
};

constexpr std::uint64_t kDdr = 0x4000'0000, kUart = 0x0900'0000;

}  // namespace

TEST_CASE("a read misses, is filled from memory, and then hits") {
  Bench bench;
  bench.attributes.allocate = true;
  bench.ddr.octets[0x40] = 0x77;
  // There 3, lookup 4, memory 50, back 3; the port's 1.6 ns overlap with the memory's transfer.
  CHECK(bench.access(bench.cpu, kRead, kDdr + 0x40, 64, 0_us) == 60_ns);
  CHECK(bench.data[0] == 0x77);
  CHECK(bench.ddr.seen == std::vector<Seen>{{false, 0x40, 64, true}});
  // There 3, hit 12, two cycles of the port 1.6, back 3.
  CHECK(bench.access(bench.cpu, kRead, kDdr + 0x40, 64, 1_us) == 19'600_ps);
  CHECK(bench.ddr.seen.size() == 1);
  CHECK(bench.stat("cpu.l3_hits") == 1);
  CHECK(bench.stat("cpu.l3_misses") == 1);
  CHECK(bench.stat("cpu.octets_read") == 128);
  CHECK(bench.stat("octets_fetched") == 64);
}

TEST_CASE("octets are always those of the memory, whatever the cache holds") {
  Bench bench;
  bench.attributes.allocate = true;
  bench.data[0] = 0x5a;
  bench.access(bench.cpu, kWrite, kDdr + 0x100, 64, 0_us);
  CHECK(bench.ddr.octets[0x100] == 0x5a);  // at once, although the line is only dirty in the cache
  bench.ddr.octets[0x100] = 0xa5;          // by direct memory access
  bench.access(bench.cpu, kRead, kDdr + 0x100, 1, 1_us);
  CHECK(bench.data[0] == 0xa5);
  bench.attributes.timing_only = true;
  bench.data[0] = 0x11;
  bench.access(bench.cpu, kWrite, kDdr + 0x100, 64, 2_us);
  CHECK(bench.ddr.octets[0x100] == 0xa5);
  bench.access(bench.cpu, kRead, kDdr + 0x100, 64, 3_us);
  CHECK(bench.data[0] == 0x11);
}

TEST_CASE("a packet is one memory access, and its victims are another") {
  Bench bench;
  bench.attributes.allocate = true;
  // DDIO: 8 lines fill the whole cache dirty, with no fetch.
  CHECK(bench.access(bench.nic, kWrite, kDdr, 512, 0_us) == 12'800_ps + 3_ns + 12_ns + 3_ns);  // 16 cycles of the port
  CHECK(bench.ddr.seen.empty());
  bench.access(bench.nic, kWrite, kDdr + 0x1000, 512, 1_us);
  CHECK(bench.ddr.seen == std::vector<Seen>{{true, 0, 512, true}});
  CHECK(bench.stat("octets_written_back") == 512);
  CHECK(bench.stat("nic.l3_misses") == 16);
  CHECK(bench.stat("nic.octets_written") == 1024);
  // 1500 octets from an address that is no line's: the last line is partial and must be fetched.
  bench.ddr.seen.clear();
  bench.access(bench.nic, kWrite, kDdr + 0x2000, 1500, 2_us);
  REQUIRE(bench.ddr.seen.size() >= 2);
  CHECK(bench.ddr.seen[0] == Seen{false, 0x2000 + 1472, 64, true});
}

TEST_CASE("with DDIO off, and without the attribute, device writes go to memory") {
  CrossbarConfig config = small_cache();
  config.ddio = false;
  Bench bench(config);
  bench.attributes.allocate = true;
  bench.access(bench.nic, kWrite, kDdr, 128, 0_us);
  CHECK(bench.ddr.seen == std::vector<Seen>{{true, 0, 128, true}});
  CHECK_FALSE(bench.noc.last_level_cache()->tags().present(kDdr));
  // A core's writes allocate all the same.
  bench.access(bench.cpu, kWrite, kDdr, 128, 1_us);
  CHECK(bench.noc.last_level_cache()->tags().dirty(kDdr));
  CHECK(bench.ddr.seen.size() == 1);
  // And a device's write takes such lines out.
  bench.access(bench.nic, kWrite, kDdr, 64, 2_us);
  CHECK_FALSE(bench.noc.last_level_cache()->tags().present(kDdr));
  CHECK(bench.noc.last_level_cache()->tags().present(kDdr + 64));
  CHECK(bench.stat("octets_written_around") == 192);
}

TEST_CASE("device reads hit but never allocate") {
  Bench bench;
  bench.attributes.allocate = true;
  bench.access(bench.nic, kRead, kDdr, 64, 0_us);
  CHECK_FALSE(bench.noc.last_level_cache()->tags().present(kDdr));
  bench.access(bench.cpu, kRead, kDdr, 64, 1_us);
  CHECK(bench.access(bench.nic, kRead, kDdr, 64, 2_us) == 19'600_ps);
}

TEST_CASE("others' writes to memory are snooped, and nothing else is") {
  Bench bench;
  bench.access(bench.nic, kWrite, kDdr + 0x123, 300, 0_us);
  CHECK(bench.core.seen == std::vector<std::pair<std::uint64_t, std::uint64_t>>{{kDdr + 0x123, 300}});
  bench.core.seen.clear();
  bench.access(bench.cpu, kWrite, kDdr, 64, 0_us);  // its own
  bench.access(bench.nic, kRead, kDdr, 64, 0_us);   // a read
  bench.access(bench.nic, kWrite, kUart, 4, 0_us);  // a device
  bench.attributes.timing_only = true;
  bench.access(bench.nic, kWrite, kDdr, 64, 0_us);  // changes nothing
  bench.attributes.timing_only = false;
  bench.attributes.coherent = false;
  bench.access(bench.nic, kWrite, kDdr, 64, 0_us);
  CHECK(bench.core.seen.empty());
}

TEST_CASE("all requesters of one agent are cores, and the agent is told only of others' writes, once") {
  Bench bench;
  bench.attributes.allocate = true;
  // There 3, lookup 4, memory 50, back 3; then there 3, hit 12, two cycles of the port 1.6, back 3.
  CHECK(bench.access(bench.cpu1, kRead, kDdr, 64, 0_us) == 60_ns);
  CHECK(bench.access(bench.cpu1, kRead, kDdr, 64, 1_us) == 19'600_ps);
  CHECK(bench.stat("cpu1.l3_hits") == 1);
  CHECK(bench.stat("cpu1.l3_misses") == 1);
  bench.access(bench.cpu, kWrite, kDdr, 64, 2_us);
  bench.access(bench.cpu1, kWrite, kDdr, 64, 2_us);
  CHECK(bench.core.seen.empty());
  bench.access(bench.nic, kWrite, kDdr, 64, 3_us);
  CHECK(bench.core.seen == std::vector<std::pair<std::uint64_t, std::uint64_t>>{{kDdr, 64}});
}

TEST_CASE("device accesses are passed through with two hops and are not cached") {
  Bench bench;
  bench.uart.octets[4] = 9;
  // There 3, device 20, one cycle of the port 0.8, back 3.
  CHECK(bench.access(bench.cpu, kRead, kUart + 4, 4, 0_us) == 26'800_ps);
  CHECK(bench.data[0] == 9);
  bench.access(bench.cpu, kRead, kUart + 4, 4, 1_us);
  CHECK(bench.uart.seen == std::vector<Seen>{{false, 4, 4, false}, {false, 4, 4, false}});
  CHECK(bench.access(bench.cpu, kWrite, kUart + 4, 4, 2_us) == 26'800_ps);
}

TEST_CASE("a port's bandwidth is shared by its own accesses only") {
  Bench bench;
  bench.attributes.allocate = true;
  bench.access(bench.cpu, kRead, kDdr, 512, 0_us);
  // 512 octets at hand in the cache: first line after 12 ns, then 16 cycles of the port; the cache takes 2 cycles.
  CHECK(bench.access(bench.cpu, kRead, kDdr, 512, 1_us) == 3_ns + 12_ns + 12'800_ps + 3_ns);
  // A second read at the same time finds the port busy until 1015 + 12.8 ns, so it ends 12.8 ns later.
  CHECK(bench.access(bench.cpu, kRead, kDdr, 512, 1_us) == 3_ns + 12_ns + 25'600_ps + 3_ns);
  // The other requester has its own port and shares the cache's data path: that was booked from 1003 ns for two reads
  // of 2 cycles.
  CHECK(bench.access(bench.nic, kRead, kDdr, 64, 1_us) == 19'600_ps + 3'200_ps);
  CHECK(bench.access(bench.nic, kRead, kDdr, 64, 1'010_ns) == 19'600_ps);
}

TEST_CASE("errors: nothing mapped, and across the end of a mapping") {
  Bench bench;
  CHECK(bench.access(bench.cpu, kRead, 0x1000, 4, 0_us) == 6_ns);
  CHECK(bench.status == ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  bench.access(bench.cpu, kRead, kDdr + 0xfff0, 16, 0_us);
  CHECK(bench.status == ::tlm::TLM_OK_RESPONSE);
  bench.access(bench.cpu, kRead, kDdr + 0xfff1, 16, 0_us);
  CHECK(bench.status == ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  bench.access(bench.cpu, kWrite, kUart + 0xfe, 4, 0_us);
  CHECK(bench.status == ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(bench.stat("cpu.errors") == 3);
  CHECK(bench.stat("cpu.transactions") == 4);
}

TEST_CASE("byte enables work on cached memory") {
  Bench bench;
  std::array<std::uint8_t, 2> enables{0, 0xff};
  std::array<std::uint8_t, 4> octets{1, 2, 3, 4};
  ::tlm::tlm_generic_payload payload;
  InitiatorStub::prepare(payload, kWrite, kDdr + 8, octets.data(), 4);
  payload.set_byte_enable_ptr(enables.data());
  payload.set_byte_enable_length(2);
  sc_core::sc_time delay;
  bench.cpu.socket->b_transport(payload, delay);
  CHECK(payload.is_response_ok());
  CHECK(bench.ddr.octets[8] == 0);
  CHECK(bench.ddr.octets[9] == 2);
  CHECK(bench.ddr.octets[11] == 4);
}

TEST_CASE("debug and direct memory access pass through exactly") {
  Bench bench;
  ::tlm::tlm_generic_payload payload;
  bench.data[0] = 0x42;
  InitiatorStub::prepare(payload, kWrite, kDdr + 0xffff, bench.data.data(), 4);
  CHECK(bench.cpu.socket->transport_dbg(payload) == 1);
  CHECK(bench.ddr.octets[0xffff] == 0x42);
  ::tlm::tlm_dmi dmi;
  payload.set_address(kDdr + 0x10);
  CHECK(bench.cpu.socket->get_direct_mem_ptr(payload, dmi));
  CHECK(dmi.get_start_address() == kDdr);
  CHECK(dmi.get_end_address() == kDdr + 0xffff);
  CHECK(dmi.get_dmi_ptr() == bench.ddr.octets.data());
  CHECK(bench.stat("cpu.transactions") == 0);
}

TEST_CASE("memory that takes its direct access back is asked again") {
  Bench bench;
  bench.access(bench.cpu, kRead, kDdr, 4, 0_us);
  CHECK(bench.ddr.seen.back().timing_only);
  bench.ddr.dmi = false;
  bench.ddr.socket->invalidate_direct_mem_ptr(0, 0xffff);
  CHECK(bench.cpu.invalidated.size() == 1);
  bench.access(bench.cpu, kRead, kDdr, 4, 1_us);
  CHECK(bench.ddr.seen.back() == Seen{false, 0, 4, false});  // now as a device: the octets come from the target itself
}

TEST_CASE("functional fidelity: two hops and the target, no cache, data and snoops as always") {
  Bench bench(small_cache(), Fidelity::kFunctional);
  bench.attributes.allocate = true;
  bench.data[0] = 1;
  for (const Time at : {0_us, 1_us, 1_us}) CHECK(bench.access(bench.nic, kWrite, kDdr, 1500, at) == 56_ns);
  CHECK(bench.ddr.octets[0] == 1);
  CHECK(bench.core.seen.size() == 3);
  CHECK(bench.stat("nic.l3_misses") == 0);
}

TEST_CASE("without a cache everything goes to memory") {
  CrossbarConfig config;
  config.l3_size = 0_B;
  Bench bench(config);
  bench.attributes.allocate = true;
  CHECK(bench.access(bench.cpu, kRead, kDdr + 3, 100, 0_us) == 56_ns);
  CHECK(bench.access(bench.cpu, kWrite, kDdr, 64, 1_us) == 1'600_ps + 56_ns);
  CHECK(bench.ddr.seen == std::vector<Seen>{{false, 3, 100, true}, {true, 0, 64, true}});
  CHECK(bench.noc.last_level_cache() == nullptr);
}

TEST_CASE("an initiator that is behind is not delayed by one that ran ahead") {
  Bench bench;
  bench.attributes.allocate = true;
  bench.access(bench.cpu, kRead, kDdr, 64, 0_us);
  bench.access(bench.cpu, kRead, kDdr, 64, 10_us);
  CHECK(bench.access(bench.cpu, kRead, kDdr, 64, 5_us) == 19'600_ps);
}

TEST_CASE("the family's table makes a crossbar and refuses impossible caches") {
  Run run(Fidelity::kApproximate);
  const auto types = interconnect::block_types();
  REQUIRE(types.size() == 1);
  CHECK(types[0].name == "crossbar");
  const auto make = [&](const char* text) {
    return types[0].make(run.context("noc"), nlohmann::ordered_json::parse(text), "blocks.noc");
  };
  CHECK(dynamic_cast<AddressSpace*>(make(R"({"l3_size": "16MiB"})").get()) != nullptr);
  CHECK_THROWS_AS(make(R"({"l3_size": "1000000B"})"), ConfigError);
  CHECK_THROWS_AS(make(R"({"l3_ways": 0})"), ConfigError);
  CHECK_THROWS_AS(make(R"({"l3_sise": "1MiB"})"), ConfigError);
}
