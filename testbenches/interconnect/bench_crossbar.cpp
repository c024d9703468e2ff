// Host cost of accesses through crossbar and DDR. Hidden: run with `test_interconnect "[.benchmark]"`.
#include <catch2/catch.hpp>
#include <cstdio>
#include <ctime>

#include "interconnect/crossbar.h"
#include "mem/ddr.h"
#include "testbenches/tlm/memory_stub.h"

using namespace dpusim;
using namespace dpusim::literals;
using namespace dpusim::test;

namespace {

double process_ns() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

}  // namespace

TEST_CASE("host cost of an access", "[.benchmark]") {
  Log log([](LogLevel, const std::string&) {}, [] { return Time(0); });
  Simulation simulation(log, 1, Fidelity::kApproximate, ".");
  interconnect::Crossbar noc({simulation, "noc", Fidelity::kApproximate}, {});
  mem::DdrConfig config;
  config.capacity = 1_GiB;
  mem::Ddr ddr({simulation, "ddr", Fidelity::kApproximate}, config);
  InitiatorStub cpu("cpu"), nic("nic");
  struct : CoherentAgent {
    void snoop_write(std::uint64_t, std::uint64_t) override {}
  } agent;
  noc.map("ddr", 0, std::uint64_t{1} << 30, ddr.socket);
  const unsigned port = noc.connect("cpu", cpu.socket);
  noc.connect("nic", nic.socket);
  noc.add_agent(port, agent);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);

  std::vector<std::uint8_t> data(4096);
  TransferAttributes attributes;
  attributes.allocate = true;
  ::tlm::tlm_generic_payload payload;
  payload.set_extension(&attributes);
  const auto measure = [&](const char* what, InitiatorStub& who, ::tlm::tlm_command command, unsigned length,
                           std::uint64_t step, std::uint64_t span, Time gap) {
    double best = 1e99;
    std::uint64_t address = 0;
    for (int pass = 0; pass < 5; ++pass) {
      constexpr int kCount = 200'000;
      const double from = process_ns();
      sc_core::sc_time delay;
      Time at{0};
      for (int i = 0; i < kCount; ++i) {
        InitiatorStub::prepare(payload, command, address, data.data(), length);
        delay = sc_core::sc_time::from_value(static_cast<std::uint64_t>(at.count()));
        who.socket->b_transport(payload, delay);
        at += gap;
        address = (address + step) % span;
        if (at > 1_us) {  // a quantum
          at = Time(0);
          sc_core::sc_start(1, sc_core::SC_US);
        }
      }
      best = std::min(best, (process_ns() - from) / kCount);
    }
    std::printf("%-40s %7.1f ns\n", what, best);
  };
  constexpr std::uint64_t kMiB = 1 << 20;
  measure("64 octets, L3 hit, read", cpu, ::tlm::TLM_READ_COMMAND, 64, 64, kMiB, 10_ns);
  attributes.timing_only = true;
  measure("64 octets, L3 hit, read, timing only", cpu, ::tlm::TLM_READ_COMMAND, 64, 64, kMiB, 10_ns);
  measure("64 octets, L3 miss, read, timing only", cpu, ::tlm::TLM_READ_COMMAND, 64, 64 * 67, 900 * kMiB, 10_ns);
  attributes.timing_only = false;
  measure("64 octets, L3 miss, device read", nic, ::tlm::TLM_READ_COMMAND, 64, 64 * 67, 64 * kMiB, 10_ns);
  measure("1500 octets, device write, L3 hit", nic, ::tlm::TLM_WRITE_COMMAND, 1500, 2048, 2 * kMiB, 120_ns);
  measure("1500 octets, device write, DDIO thrash", nic, ::tlm::TLM_WRITE_COMMAND, 1500, 2048, 64 * kMiB, 120_ns);
  measure("1500 octets, device read, L3 miss", nic, ::tlm::TLM_READ_COMMAND, 1500, 2048, 512 * kMiB, 120_ns);
  attributes.allocate = false;
  measure("1500 octets, device write around", nic, ::tlm::TLM_WRITE_COMMAND, 1500, 2048, 64 * kMiB, 120_ns);
  payload.clear_extension(&attributes);
}
