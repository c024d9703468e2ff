// The GIC as a module: bus, lines with their delay, services.
#include <catch2/catch.hpp>
#include <map>
#include <vector>

#include "bus_initiator.h"
#include "irq/gicv3.h"
#include "irq/icc_registers.h"
#include "irq/irq_types.h"

using namespace dpusim;
using namespace dpusim::irq;
using namespace dpusim::literals;

namespace {

/// A core that notes what its lines do and when.
struct Core : IrqSink {
  struct Change {
    unsigned number;
    bool level;
    Time when;
  };
  void irq_changed(unsigned number, bool level) override { changes.push_back({number, level, now()}); }
  std::vector<Change> changes;
};

struct Bench {
  explicit Bench(Fidelity fidelity, const Gicv3Config& config)
      : log([](LogLevel, const std::string&) {}, [] { return now(); }),
        simulation(log, 1, fidelity, "."),
        gic(BlockContext(simulation, "gic", fidelity), config),
        dist("dist"),
        redist("redist") {
    for (Port& port : gic.ports()) ports.emplace(port.name, port);
    dist.socket.bind(*std::get<MemoryTargetSocket*>(ports.at("distributor").endpoint));
    redist.socket.bind(*std::get<MemoryTargetSocket*>(ports.at("redistributors").endpoint));
    cpu = static_cast<GicCpuInterface*>(std::get<ServicePort>(ports.at("cpu[0]").endpoint).provide);
    cpu->connect(core);
  }
  void write(BusInitiator& initiator, std::uint64_t address, std::uint32_t value) {
    Time delay;
    REQUIRE(initiator.access(true, address, value, delay) == ::tlm::TLM_OK_RESPONSE);
  }
  void start() {
    write(dist, 0x0, 2);
    write(redist, 0x14, 0);
    write(dist, 0x84, 0xffffffff);
    write(dist, 0x104, 0xffffffff);
    write(redist, 0x10080, 0xffffffff);
    write(redist, 0x10100, 0xffffffff);
    REQUIRE(cpu->write(kIccPmrEl1, kEl1, 0xff));
    REQUIRE(cpu->write(kIccIgrpen1El1, kEl1, 1));
  }
  static constexpr GicContext kEl1{1, false, false};
  Log log;
  Simulation simulation;
  Gicv3 gic;
  std::map<std::string, Port> ports;
  BusInitiator dist, redist;
  GicCpuInterface* cpu = nullptr;
  Core core;
};

void run(Time time) {
  sc_core::sc_start(to_sc(time));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

Gicv3Config config_of(unsigned cores, Time delivery) {
  Gicv3Config config;
  config.cores = cores;
  config.spis = 32;
  config.delivery = delivery;
  config.access = 30_ns;
  return config;
}

}  // namespace

TEST_CASE("a line rises after the delivery time and falls at the acknowledge") {
  Bench bench(Fidelity::kApproximate, config_of(1, 25_ns));
  bench.start();
  const IrqInputs spi = std::get<IrqInputs>(bench.ports.at("spi").endpoint);
  CHECK(spi.first == 0);
  CHECK(spi.count == 32);
  IrqLine line;
  line.connect(*spi.sink, spi.first + 1);
  run(100_ns);
  line.set(true);
  run(Time(24'999));
  CHECK(bench.core.changes.empty());
  run(Time(1));
  REQUIRE(bench.core.changes.size() == 1);
  CHECK(bench.core.changes[0].number == static_cast<unsigned>(CoreInterrupt::kIrq));
  CHECK(bench.core.changes[0].level);
  CHECK(bench.core.changes[0].when == 125_ns);
  run(10_ns);
  std::uint64_t intid = 0;
  REQUIRE(bench.cpu->read(kIccIar1El1, Bench::kEl1, intid));
  CHECK(intid == 33);
  REQUIRE(bench.core.changes.size() == 2);
  CHECK_FALSE(bench.core.changes[1].level);
  CHECK(bench.core.changes[1].when == 135_ns);
  const auto* delay = dynamic_cast<const Histogram*>(bench.simulation.stats().find("gic.cpu0.acknowledge_delay"));
  REQUIRE(delay != nullptr);
  CHECK(delay->count() == 1);
  CHECK(delay->max() == 10'000);
}

TEST_CASE("an interrupt withdrawn before delivery never shows") {
  Bench bench(Fidelity::kApproximate, config_of(1, 25_ns));
  bench.start();
  IrqLine line;
  line.connect(*std::get<IrqInputs>(bench.ports.at("spi").endpoint).sink, 0);
  line.set(true);
  run(24_ns);
  line.set(false);
  run(100_ns);
  CHECK(bench.core.changes.empty());
}

TEST_CASE("functional fidelity delivers at once and takes no time") {
  Bench bench(Fidelity::kFunctional, config_of(1, 25_ns));
  bench.start();
  const IrqInputs ppi = std::get<IrqInputs>(bench.ports.at("ppi[0]").endpoint);
  CHECK(ppi.count == 16);
  ppi.sink->irq_changed(ppi.first + 14, true);  // INTID 30, the EL1 physical timer
  REQUIRE(bench.core.changes.size() == 1);
  std::uint64_t intid = 0;
  REQUIRE(bench.cpu->peek(kIccIar1El1, Bench::kEl1, intid));
  CHECK(intid == 30);
  REQUIRE(bench.cpu->peek(kIccIar1El1, Bench::kEl1, intid));
  CHECK(intid == 30);  // peeking does not acknowledge
  std::uint32_t value = 0;
  Time delay;
  REQUIRE(bench.dist.access(false, 0x4, value, delay) == ::tlm::TLM_OK_RESPONSE);
  CHECK(delay == Time(0));
}

TEST_CASE("a core that connects late is told the level that is already high") {
  Bench bench(Fidelity::kFunctional, config_of(2, 0_ns));
  bench.start();
  std::get<IrqInputs>(bench.ports.at("ppi[0]").endpoint).sink->irq_changed(11, true);
  Core late;
  bench.cpu->connect(late);
  REQUIRE(late.changes.size() == 1);
  CHECK(late.changes[0].level);
}

TEST_CASE("bus accesses take their time and answer bad ones with bus errors") {
  Bench bench(Fidelity::kApproximate, config_of(2, 0_ns));
  std::uint32_t value = 0;
  Time delay;
  CHECK(bench.dist.access(false, 0xffe8, value, delay) == ::tlm::TLM_OK_RESPONSE);
  CHECK((value & 0xf0) == 0x30);
  CHECK(delay == 30_ns);
  CHECK(bench.dist.access(false, 0x100, value, delay, 1) == ::tlm::TLM_BURST_ERROR_RESPONSE);
  CHECK(bench.redist.access(false, 2 * 0x20000, value, delay) == ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(bench.ports.at("redistributors").size == 0x40000);
}

TEST_CASE("parameters out of range are refused") {
  CHECK_THROWS_AS(Gicv3Config::table().parse({{"spis", 989}}, "blocks.gic"), ConfigError);
  CHECK_THROWS_AS(Gicv3Config::table().parse({{"priority_bits", 3}}, "blocks.gic"), ConfigError);
  CHECK(Gicv3Config::table().parse({{"spis", 988}, {"priority_bits", 8}}, "blocks.gic").spis == 988);
  REQUIRE(irq::block_types().size() == 1);
  CHECK(irq::block_types()[0].name == "gicv3");
}
