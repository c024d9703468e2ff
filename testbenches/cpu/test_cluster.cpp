// The cluster with guests from cluster_guests.S, a flat memory with a device behind it, and a stand-in for the
// interrupt controller.
#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>

#include "cpu/a64/arm_cluster.h"
#include "sim/systemc_time.h"
#include "tlm/bus_ports.h"
#include "tlm/transfer.h"

namespace dpusim::cpu {

using namespace dpusim::literals;

namespace {

constexpr std::uint64_t kMemory = 1 << 20, kDevice = kMemory;

// Memory below 1 MiB with direct access, three device registers at 1 MiB, nothing above. Each access takes 100 ns.
struct Bus : sc_core::sc_module, ::tlm::tlm_fw_transport_if<> {
  struct Access {
    std::uint64_t address, value;
    bool write;
    Time when;
    unsigned requester;
  };
  std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(kMemory);
  std::vector<Access> device;
  std::vector<Access> uncached;  // `value` is the number of octets
  std::uint64_t line_reads = 0, line_writes = 0;
  std::vector<std::unique_ptr<MemoryTargetSocket>> sockets;

  explicit Bus(const sc_core::sc_module_name& name) : sc_module(name) {}
  void connect(MemoryInitiatorSocket& initiator) {
    const HierarchyScope scope(*this);
    sockets.push_back(std::make_unique<MemoryTargetSocket>(sc_core::sc_gen_unique_name("from")));
    sockets.back()->bind(*this);
    initiator.bind(*sockets.back());
  }
  void b_transport(::tlm::tlm_generic_payload& p, sc_core::sc_time& delay) override {
    const auto* attributes = p.get_extension<TransferAttributes>();
    REQUIRE(attributes != nullptr);
    delay += to_sc(100_ns);
    const std::uint64_t address = p.get_address();
    if (attributes->timing_only) {
      if (attributes->allocate) {
        REQUIRE(address % 64 == 0);
        REQUIRE(p.get_data_length() == 64);
        ++(p.is_write() ? line_writes : line_reads);
      } else {
        uncached.push_back({address, p.get_data_length(), p.is_write(), now(), attributes->requester});
      }
      p.set_response_status(::tlm::TLM_OK_RESPONSE);
      return;
    }
    if (address < kDevice || address >= kDevice + 12) {
      p.set_response_status(::tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    std::uint64_t value = 0;
    if (p.is_write()) {
      std::memcpy(&value, p.get_data_ptr(), p.get_data_length());
    } else {
      value = 0xcafe;
      std::memcpy(p.get_data_ptr(), &value, p.get_data_length());
    }
    device.push_back({address - kDevice, value, p.is_write(), now() + from_sc(delay) - 100_ns, attributes->requester});
    p.set_response_status(::tlm::TLM_OK_RESPONSE);
  }
  ::tlm::tlm_sync_enum nb_transport_fw(::tlm::tlm_generic_payload&, ::tlm::tlm_phase&, sc_core::sc_time&) override {
    return ::tlm::TLM_COMPLETED;
  }
  bool get_direct_mem_ptr(::tlm::tlm_generic_payload& p, ::tlm::tlm_dmi& dmi) override {
    dmi.init();
    if (p.get_address() >= kMemory) return false;
    dmi.set_dmi_ptr(memory.data());
    dmi.set_start_address(0);
    dmi.set_end_address(kMemory - 1);
    dmi.set_granted_access(::tlm::tlm_dmi::DMI_ACCESS_READ_WRITE);
    return true;
  }
  unsigned int transport_dbg(::tlm::tlm_generic_payload&) override { return 0; }
  std::uint64_t word(std::uint64_t address) const {
    std::uint64_t value = 0;
    std::memcpy(&value, memory.data() + address, 8);
    return value;
  }
};

// Passes one line on as IRQ, as an interrupt controller without priorities would.
struct Gic final : GicCpuInterface, IrqSink {
  IrqSink* core = nullptr;
  void connect(IrqSink& sink) override { core = &sink; }
  bool read(std::uint16_t, const GicContext&, std::uint64_t&) override { return false; }
  bool peek(std::uint16_t, const GicContext&, std::uint64_t&) const override { return false; }
  bool write(std::uint16_t, const GicContext&, std::uint64_t) override { return false; }
  void state_changed(const GicContext&) override {}
  void reset() override {}
  void irq_changed(unsigned, bool level) override {
    core->irq_changed(static_cast<unsigned>(CoreInterrupt::kIrq), level);
  }
};

struct Card {
  std::filesystem::path directory =
      std::filesystem::temp_directory_path() / ("dpusim-cluster-" + std::to_string(::getpid()));
  std::vector<std::string> lines;
  Log log{[this](LogLevel, const std::string& line) { lines.push_back(line); }, [] { return now(); }};
  Simulation simulation;
  Bus bus;
  Gic gic;
  ArmCluster cluster;
  std::string console;

  Card(const std::string& name, ArmClusterConfig config, Fidelity fidelity)
      : simulation(log, 1, fidelity, directory),
        bus((name + "_bus").c_str()),
        cluster(BlockContext(simulation, name, fidelity), config) {
    simulation.stop_hook = [] { sc_core::sc_stop(); };
    std::ifstream file(CLUSTER_GUESTS, std::ios::binary);
    const std::vector<char> image{std::istreambuf_iterator<char>(file), {}};
    REQUIRE(image.size() > 0x3000);
    std::memcpy(bus.memory.data(), image.data(), image.size());
    bus.memory[0x7800] =
        fidelity == Fidelity::kApproximate ? 1 : 0;  // guests turn the MMU on: without it nothing is cached
    cluster.set_console([this](std::string_view text) { console += text; });
    for (Port& port : cluster.ports()) {
      if (auto* socket = std::get_if<MemoryInitiatorSocket*>(&port.endpoint)) bus.connect(**socket);
      if (port.name == "gic[0]") std::get<ServicePort>(port.endpoint).accept(static_cast<GicCpuInterface*>(&gic));
      if (port.name == "cntp[0]") std::get<IrqLine*>(port.endpoint)->connect(gic, 0);
    }
    for (unsigned number = 0; number < config.cores; ++number) cluster.core(number).set_requester(40 + number);
  }
  [[nodiscard]] std::uint64_t count(const std::string& path) const {
    const Statistic* statistic = simulation_stats().find(path);
    REQUIRE(statistic != nullptr);
    return static_cast<std::uint64_t>(statistic->scalar(now()));
  }
  [[nodiscard]] const StatGroup& simulation_stats() const { return const_cast<Simulation&>(simulation).stats(); }
  void run(std::uint64_t entry, Time limit = 10_ms) {
    cluster.set_entry(entry, 0);
    sc_core::sc_start(to_sc(limit));
  }
};

ArmClusterConfig one_gigahertz(unsigned cores) {
  ArmClusterConfig config;
  config.cores = cores;
  config.clock = Frequency(1'000'000'000);
  return config;
}

}  // namespace

TEST_CASE("A guest writes by semihosting and ends the run with success") {
  Card card("cpu", one_gigahertz(1), Fidelity::kFunctional);
  card.run(0x0);
  CHECK(card.console == "hello from the guest\n");
  CHECK(card.simulation.stop_requested());
  CHECK(card.simulation.stop_code() == 0);
}

TEST_CASE("WFI sleeps until the timer's deadline without executing, and the IRQ handler sees the count reached") {
  Card card("cpu", one_gigahertz(1), Fidelity::kFunctional);
  card.run(0x400);
  REQUIRE(card.simulation.stop_code() == 0);
  REQUIRE(card.simulation.stop_requested());
  CHECK(card.bus.word(0x8000) == 625);  // 10 us at 62.5 MHz
  CHECK(card.count("cpu.core0.instructions") < 40);
  CHECK(card.count("cpu.core0.irqs") == 1);
  CHECK(now() >= 10_us);
  CHECK(now() < 10'100_ns);
  // The kernel stands where the last instruction, which ends the run, began.
  const Time accounted(static_cast<std::int64_t>(card.count("cpu.core0.wfi_time") + card.count("cpu.core0.busy_time")));
  CHECK(accounted == now() + 1_ns);
}

TEST_CASE("Two cores share a counter under a spinlock; the second is started and stopped by PSCI") {
  Card card("cpu", one_gigahertz(2), Fidelity::kFunctional);
  card.run(0x1000);
  REQUIRE(card.simulation.stop_requested());
  CHECK(card.simulation.stop_code() == 0);
  CHECK(card.bus.word(0x8000) == 2000);
  CHECK(card.cluster.core(1).power_state() == PowerState::kOff);
  CHECK(card.count("cpu.core1.instructions") > 6000);
}

TEST_CASE("Two cores with caches and time modelled count to the same sum") {
  Card card("cpu", one_gigahertz(2), Fidelity::kApproximate);
  card.run(0x1000);
  REQUIRE(card.simulation.stop_requested());
  CHECK(card.simulation.stop_code() == 0);
  CHECK(card.bus.word(0x8000) == 2000);
  CHECK(card.count("cpu.core0.l1d_refills") > 0);
  CHECK(card.bus.line_reads > 0);
}

TEST_CASE("A run repeats exactly in another process") {
  constexpr const char* kCounters[] = {"cpu.core0.instructions", "cpu.core0.cycles",    "cpu.core1.instructions",
                                       "cpu.core1.cycles",       "cpu.core1.busy_time", "cpu.core0.l1d_refills",
                                       "cpu.core1.snoops"};
  std::array<int, 2> channel{};
  REQUIRE(::pipe(channel.data()) == 0);
  const pid_t child = ::fork();
  Card card("cpu", one_gigahertz(2), Fidelity::kApproximate);
  card.run(0x1000);
  std::array<std::uint64_t, std::size(kCounters)> mine{}, theirs{};
  std::transform(std::begin(kCounters), std::end(kCounters), mine.begin(),
                 [&](const char* path) { return card.count(path); });
  if (child == 0) {
    const bool sent = ::write(channel[1], mine.data(), sizeof(mine)) == static_cast<ssize_t>(sizeof(mine));
    ::_exit(sent ? 0 : 1);
  }
  REQUIRE(::read(channel[0], theirs.data(), sizeof(theirs)) == static_cast<ssize_t>(sizeof(theirs)));
  ::waitpid(child, nullptr, 0);
  CHECK(card.bus.word(0x8000) == 2000);
  CHECK(mine == theirs);
  CHECK(mine[2] > 6000);
}

TEST_CASE("Device accesses happen at the core's own time: one cycle an instruction, 1 ns a cycle") {
  Card card("cpu", one_gigahertz(1), Fidelity::kFunctional);
  card.run(0x1800);
  REQUIRE(card.bus.device.size() == 3);
  CHECK(card.bus.device[0].when == 100_ns);  // MOV and 99 ADD before it
  CHECK(card.bus.device[0].write);
  CHECK(card.bus.device[0].address == 0);
  CHECK(card.bus.device[0].requester == 40);
  // The store's own cycle, its 100 ns on the bus, and 199 ADD.
  CHECK(card.bus.device[1].when == card.bus.device[0].when + 1_ns + 100_ns + 199_ns);
  CHECK(card.bus.device[2].when == card.bus.device[1].when + 1_ns + 100_ns);
  CHECK_FALSE(card.bus.device[2].write);
  CHECK(card.bus.word(0x8000) == 0xcafe);
  CHECK(card.count("cpu.core0.device_writes") == 2);
  CHECK(card.count("cpu.core0.device_reads") == 1);
}

TEST_CASE("The two accesses of a pair to a device follow one another, each made once") {
  Card card("cpu", one_gigahertz(1), Fidelity::kFunctional);
  card.run(0x3800);
  REQUIRE(card.simulation.stop_requested());
  CHECK(card.simulation.stop_code() == 0);
  const auto& device = card.bus.device;
  REQUIRE(device.size() == 4);
  CHECK((!device[0].write && device[0].address == 0));
  CHECK((!device[1].write && device[1].address == 4));
  CHECK((device[2].write && device[2].address == 4));
  CHECK((device[3].write && device[3].address == 8));
  CHECK(device[1].when == device[0].when + 100_ns);
  CHECK(device[2].when == device[1].when + 100_ns + 1_ns);  // and the LDP's own cycle
  CHECK(device[3].when == device[2].when + 100_ns);
}

TEST_CASE("A part of a cycle on the bus is a whole cycle of the core") {
  ArmClusterConfig config = one_gigahertz(1);
  config.clock = Frequency(1'015'000'000);  // 100 ns are 101.5 cycles
  Card card("cpu", config, Fidelity::kFunctional);
  card.run(0x1800);
  REQUIRE(card.bus.device.size() == 3);
  // One cycle of the store and 102 of the bus: 103 / 1.015 GHz = 101,478 ps, within rounding of each end.
  const Time between = card.bus.device[2].when - card.bus.device[1].when;
  CHECK(between >= Time(101'477));
  CHECK(between <= Time(101'479));
}

TEST_CASE("With the MMU off, accesses to memory are charged as what they are and do not allocate") {
  Card card("cpu", one_gigahertz(1), Fidelity::kApproximate);
  card.run(0x1800);
  REQUIRE(card.simulation.stop_requested());
  std::uint64_t stores = 0;
  for (const Bus::Access& access : card.bus.uncached) {
    CHECK(access.value <= 8);  // a general register at most
    if (access.address != 0x8000) continue;
    ++stores;
    CHECK(access.write);
    CHECK(access.value == 8);
  }
  CHECK(stores == 1);
  CHECK(card.bus.line_reads == card.count("cpu.core0.l2_refills"));  // code only
}

TEST_CASE("A core that polls memory sees what is written within its quantum 50 ns late at most") {
  Card card("cpu", one_gigahertz(1), Fidelity::kApproximate);  // the quantum is 1 us
  sc_core::sc_spawn([&] {
    sc_core::wait(to_sc(20'333_ns));
    card.bus.memory[0x8000] = 1;
  });
  card.run(0x3c00);
  REQUIRE(card.bus.device.size() == 1);
  CHECK(card.bus.device[0].when >= 20'333_ns);
  // And the rest of the iteration: a load of 4 cycles, a branch and a mispredict of at most 20.
  CHECK(card.bus.device[0].when <= 20'333_ns + 50_ns + 25_ns);
}

TEST_CASE("WFE wakes when the marked word is changed by a device, without SEV") {
  Card card("cpu", one_gigahertz(1), Fidelity::kFunctional);
  card.cluster.set_entry(0x2000, 0);
  sc_core::sc_start(to_sc(50_us));
  REQUIRE_FALSE(card.simulation.stop_requested());
  CHECK(card.cluster.idle());
  const std::uint64_t before = card.count("cpu.core0.instructions");
  CHECK(before < 10);  // it does not poll
  const std::uint32_t five = 5;
  std::memcpy(card.bus.memory.data() + 0x8000, &five, 4);
  card.cluster.snoop_write(0x8000, 4);
  sc_core::sc_start(to_sc(1_us));
  CHECK(card.simulation.stop_requested());
  CHECK(card.simulation.stop_code() == 0);
}

TEST_CASE("A bus error is a synchronous External abort") {
  Card card("cpu", one_gigahertz(1), Fidelity::kFunctional);
  card.run(0x2400);
  REQUIRE(card.simulation.stop_requested());
  CHECK(card.simulation.stop_code() == 0);
  CHECK(card.count("cpu.core0.bus_errors") == 1);
  CHECK(card.count("cpu.core0.data_aborts") == 1);
}

TEST_CASE("A walk of twice the L1D misses it on both passes and the L2 on the first only") {
  ArmClusterConfig config = one_gigahertz(1);
  config.prefetch_lines = 0;
  Card card("cpu", config, Fidelity::kApproximate);
  card.run(0x2c00);
  REQUIRE(card.simulation.stop_requested());
  // 1024 lines; 2 ways of 256 sets hold 512, so LRU misses all of them on each pass. The exit adds its literal and its
  // block.
  CHECK(card.count("cpu.core0.l1d_refills") == 2 * 1024 + 2);
  // Sent to the bus: 1024 lines of the walk, a few of code and of the exit; on the bus, also what was not cached before
  // the MMU was on.
  CHECK(card.count("cpu.core0.l2_refills") > 1024);
  CHECK(card.count("cpu.core0.l2_refills") < 1040);
  CHECK(card.bus.line_reads >= card.count("cpu.core0.l2_refills"));
  CHECK(card.bus.line_reads < card.count("cpu.core0.l2_refills") + 10);
  // Each first-pass miss waits 100 cycles for the bus and 7 for the L2, each second-pass miss 7.
  CHECK(card.count("cpu.core0.cycles") > 1024 * 107 + 1024 * 7);
  CHECK(card.count("cpu.core0.cycles") < 1024 * 107 + 1024 * 7 + 2048 * 4 + 2500);
}

TEST_CASE("A cluster whose cores all sleep is idle and leaves the kernel without events") {
  Card card("cpu", one_gigahertz(2), Fidelity::kFunctional);
  card.run(0x3000, 1_ms);
  CHECK_FALSE(card.simulation.stop_requested());
  CHECK(card.cluster.idle());
  CHECK_FALSE(sc_core::sc_pending_activity());
  CHECK(card.count("cpu.core0.instructions") == 1);
}

TEST_CASE("The configuration refuses what it cannot be") {
  CHECK_THROWS_AS(ArmClusterConfig::table().parse(nlohmann::ordered_json::parse(R"({"cores": 0})"), "cpu"),
                  ConfigError);
  CHECK_THROWS_AS(ArmClusterConfig::table().parse(nlohmann::ordered_json::parse(R"({"core": "cortex-a53"})"), "cpu"),
                  ConfigError);
  const auto config = ArmClusterConfig::table().parse(
      nlohmann::ordered_json::parse(R"({"core": "cortex-a78", "clock": "3GHz"})"), "cpu");
  CHECK(config.core == CoreModel::kCortexA78);
  CHECK(config.clock == Frequency(3'000'000'000));
}

}  // namespace dpusim::cpu
