// Enumeration and interrupt routes, through a host's root port.
#include <catch2/catch.hpp>

#include "card_stub.h"
#include "host/host_types.h"

using namespace host_bench;
using namespace dpusim::host;
using namespace dpusim::literals;

namespace {

/// A device of nothing.
struct Nothing : sc_core::sc_module, private ::tlm::tlm_fw_transport_if<>, private ::tlm::tlm_bw_transport_if<> {
  explicit Nothing(const sc_core::sc_module_name& name) : sc_module(name), in("in"), out("out") {
    in.bind(static_cast<::tlm::tlm_fw_transport_if<>&>(*this));
    out.bind(static_cast<::tlm::tlm_bw_transport_if<>&>(*this));
  }
  MemoryTargetSocket in;
  MemoryInitiatorSocket out;

 private:
  void b_transport(::tlm::tlm_generic_payload& payload, sc_core::sc_time&) override {
    payload.set_response_status(::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  ::tlm::tlm_sync_enum nb_transport_fw(::tlm::tlm_generic_payload&, ::tlm::tlm_phase&, sc_core::sc_time&) override {
    return ::tlm::TLM_COMPLETED;
  }
  bool get_direct_mem_ptr(::tlm::tlm_generic_payload&, ::tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(::tlm::tlm_generic_payload&) override { return 0; }
  ::tlm::tlm_sync_enum nb_transport_bw(::tlm::tlm_generic_payload&, ::tlm::tlm_phase&, sc_core::sc_time&) override {
    return ::tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

struct Bench {
  explicit Bench(const HostConfig& config, std::vector<std::pair<unsigned, CardStub::Bar>> bars)
      : host(run.context("host"), config), card("card", std::move(bars), 8) {
    card.up.bind(host.root_port);
    card.bus.bind(nothing.in);
    nothing.out.bind(card.dma);
  }
  Run run;
  Host host;
  Nothing nothing{"nothing"};
  CardStub card;
};

}  // namespace

TEST_CASE("enumeration: functions, BARs, MSI-X and the card's window are found, and the function is enabled") {
  HostConfig config;
  config.memory_size = 128_GiB;
  Bench bench(config, {{0, {0x100000, false}}, {1, {0x1000, false}}, {2, {0x10000000, true}}, {4, {0x100000, true}}});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const auto& functions = bench.host.services().functions;
  REQUIRE(functions.size() == 1);
  const PcieFunction& f = functions[0];
  CHECK(f.id == PcieId{1, 0, 0});
  CHECK(f.vendor == 0x1af4);
  CHECK(f.device == 0xd905);
  // BARs of 32 bits from 3 GiB on, naturally aligned; of 64 bits above memory, which ends at 129 GiB: the next power of
  // two.
  CHECK(f.bars[0].address == 0xc0000000);
  CHECK(f.bars[0].size == 0x100000);
  CHECK(f.bars[1].address == 0xc0100000);
  CHECK(f.bars[2].address == 256ULL << 30);
  CHECK(f.bars[2].size == 0x10000000);
  CHECK(f.bars[3].size == 0);
  CHECK(f.bars[4].address == (256ULL << 30) + 0x10000000);
  CHECK(bench.card.config(0x18) == 0xc);
  CHECK(bench.card.config(0x1c) == 64);
  CHECK(f.msix.entries == 8);
  CHECK(f.msix.table == f.bars[4].address + 0x100000 - 0x8000);
  CHECK((bench.card.config(0x40) >> 31) == 1);
  CHECK(f.window.card == 0x80'0000'0000);
  CHECK(f.window.size == 1ULL << 39);
  CHECK(f.window.host == 0);
  CHECK((bench.card.config(4) & 7) == 6);
}

TEST_CASE("enumeration: bus mastering stays off when it is told so; a BAR without room is a configuration error") {
  HostConfig config;
  config.bus_master = false;
  Bench bench(config, {{0, {0x80000000, false}}});
  CHECK_THROWS_WITH(sc_core::sc_start(sc_core::SC_ZERO_TIME), Catch::Contains("BAR 0"));
}

TEST_CASE("enumeration: bus mastering can stay off") {
  HostConfig config;
  config.bus_master = false;
  Bench bench(config, {{0, {0x100000, true}}});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  CHECK((bench.card.config(4) & 7) == 2);
}

TEST_CASE("interrupts: each entry leads to a thread, once; there are as many as the function has") {
  HostConfig config;
  config.threads = 2;
  Bench bench(config, {{0, {0x100000, true}}});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  HostServices& services = bench.host.services();
  const auto threads = services.take_threads(2, "a");
  CHECK_THROWS_WITH(services.take_threads(1, "programs[7]"),
                    Catch::Contains("programs[7]") && Catch::Contains("0 of the host"));
  const PcieFunction& f = services.functions[0];
  const InterruptRoute route = services.route_interrupt(f, 7, *threads[1], "a");
  CHECK(route.entry == f.msix.table + 7 * 16);
  CHECK(route.address == 0xfee01000);
  CHECK_THROWS_WITH(services.route_interrupt(f, 8, *threads[0], "programs[1]"),
                    Catch::Contains("programs[1]") && Catch::Contains("8 entries"));
  CHECK_THROWS_WITH(services.route_interrupt(f, 7, *threads[0], "programs[1]"), Catch::Contains("which a has"));
  Task task = enable_interrupt(*threads[0], route);
  task.start();
  services.calendar.run(1_us);
  run_until(2_us);
  REQUIRE(task.done());
  bench.card.msix().irq_changed(7, true);
  services.calendar.run(3_us);
  threads[1]->rest(4_us);
  CHECK(threads[1]->interrupt_pending());
  CHECK_FALSE(threads[0]->interrupt_pending());
  CHECK(bench.run.stat("host.interrupts") == 1);
  CHECK(bench.run.stat("host.spurious_interrupts") == 0);
  std::uint32_t data = 0x99;
  bench.card.request(TlpType::kMemoryWrite, 0xfee00000, {reinterpret_cast<std::uint8_t*>(&data), 4}, now());
  data = 0x20;
  bench.card.request(TlpType::kMemoryWrite, 0xfee02000, {reinterpret_cast<std::uint8_t*>(&data), 4}, now());
  CHECK(bench.run.stat("host.spurious_interrupts") == 2);
}

TEST_CASE("host: an empty slot has no functions, and programs say so") {
  Run run;
  const auto types = dpusim::host::block_types();
  REQUIRE(types.size() == 1);
  const auto block = types[0].make(run.context("host"), {{"memory_size", "16MiB"}}, "blocks.host");
  auto& host = dynamic_cast<Host&>(*block);
  REQUIRE(host.ports().size() == 1);
  CHECK(host.ports()[0].name == "root_port");
  host.set_programs({{{"type", "receive"}, {"name", "rx"}}}, "scenario.host");
  CHECK_FALSE(host.has_active_programs());
  CHECK_THROWS_WITH(sc_core::sc_start(sc_core::SC_ZERO_TIME), Catch::Contains("scenario.host[0].device.function") &&
                                                                  Catch::Contains("a device at the host's root port"));
}

TEST_CASE("host: scenarios with mistakes are configuration errors that name the place") {
  Run run;
  Host host(run.context("host"), {});
  using Json = nlohmann::ordered_json;
  const auto refuse = [&](const Json& list, const char* place, const char* what) {
    CHECK_THROWS_WITH(host.set_programs(list, "p"), Catch::Contains(place) && Catch::Contains(what));
  };
  refuse(Json::object(), "p", "list");
  refuse({{{"name", "x"}}}, "p[0].type", "text");
  refuse({{{"type", "recieve"}, {"name", "x"}}}, "p[0].type", "receive");
  refuse({{{"type", "receive"}}}, "p[0].name", "nothing");
  refuse({{{"type", "receive"}, {"name", "a.b"}}}, "p[0].name", "without dots");
  refuse({{{"type", "receive"}, {"name", "memory_utilisation"}}}, "p[0].name", "taken");
  refuse({{{"type", "receive"}, {"name", "y"}, {"prot", 1}}}, "p[0].prot", "port");
  refuse({{{"type", "receive"}, {"name", "z"}, {"receive", {{"ring", 100}}}}}, "p[0].receive.ring", "100");
  refuse({{{"type", "send"}, {"name", "s"}}, {{"type", "send"}, {"name", "s"}}}, "p[1].name", "taken");
  const Json all = host.programs();
  REQUIRE(all.size() == 1);
  CHECK(all[0]["name"] == "s");
  CHECK(all[0]["batch"] == 32);
}
