// The UART as a module: time on the line, the interrupt line, the host's end.
#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "../irq/bus_initiator.h"
#include "uart/pl011.h"

using namespace dpusim;
using namespace dpusim::uart;
using namespace dpusim::literals;

namespace {

std::string contents(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

struct TemporaryDirectory {
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "pl011-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

struct Sink : IrqSink {
  void irq_changed(unsigned, bool to) override {
    level = to;
    when = now();
  }
  bool level = false;
  Time when{-1};
};

struct Bench {
  Bench(Fidelity fidelity, Pl011Config config)
      : log([](LogLevel, const std::string&) {}, [] { return now(); }),
        simulation(log, 1, fidelity, directory.path),
        uart(BlockContext(simulation, "uart0", fidelity), config),
        cpu("cpu") {
    for (Port& port : uart.ports()) {
      if (port.name == "bus") cpu.socket.bind(*std::get<MemoryTargetSocket*>(port.endpoint));
      if (port.name == "irq") std::get<IrqLine*>(port.endpoint)->connect(irq, 0);
    }
  }
  void write(std::uint64_t offset, std::uint32_t value, unsigned size = 4) {
    REQUIRE(cpu.access(true, offset, value, delay, size) == ::tlm::TLM_OK_RESPONSE);
  }
  std::uint32_t read(std::uint64_t offset) {
    std::uint32_t value = 0;
    REQUIRE(cpu.access(false, offset, value, delay) == ::tlm::TLM_OK_RESPONSE);
    return value;
  }
  std::string logged() {
    uart.finish();
    return contents(directory.path / "uart0.log");
  }
  TemporaryDirectory directory;
  Log log;
  Simulation simulation;
  Pl011 uart;
  BusInitiator cpu;
  Sink irq;
  Time delay;
};

void run(Time time) {
  sc_core::sc_start(to_sc(time));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

Pl011Config quiet() {
  Pl011Config config;
  config.output = "none";
  return config;
}

}  // namespace

TEST_CASE("a character takes its bits' time on the line") {
  Bench bench(Fidelity::kApproximate, quiet());
  bench.write(0x00, 'A', 1);
  CHECK(bench.delay == 40_ns);
  bench.write(0x00, 'B', 1);
  // 10 bits of 16 * (13 + 1/64) cycles of 24 MHz: 86,770,833 ps.
  run(Time(86'770'832));
  CHECK(bench.logged().empty());
  CHECK((bench.read(0x18) & 0x8) != 0);
  run(Time(1));
  CHECK(bench.logged() == "A");
  run(Time(86'770'832));
  CHECK(bench.logged() == "A");
  run(Time(1));
  CHECK(bench.logged() == "AB");
  CHECK((bench.read(0x18) & 0x8) == 0);
}

TEST_CASE("functional fidelity sends at once and says so by interrupt") {
  Bench bench(Fidelity::kFunctional, quiet());
  bench.write(0x38, 0x20);
  CHECK_FALSE(bench.irq.level);
  bench.write(0x00, 'A', 1);
  CHECK(bench.logged() == "A");
  CHECK(bench.irq.level);
  CHECK(bench.read(0x18) == 0x90);
  bench.write(0x44, 0x20);
  CHECK_FALSE(bench.irq.level);
  CHECK(bench.delay == Time(0));
}

TEST_CASE("a file is received as fast as the guest takes it, and a timeout ends it") {
  TemporaryDirectory inputs;
  std::ofstream(inputs.path / "in") << std::string(40, 'z') << "end";
  Pl011Config config = quiet();
  config.input = (inputs.path / "in").string();
  Bench bench(Fidelity::kApproximate, config);
  bench.write(0x38, 0x40);  // receive timeout only
  run(10_ms);
  CHECK((bench.read(0x18) & 0x40) != 0);  // 32 characters fill the FIFO, none is lost
  CHECK(bench.irq.level);                 // the line was idle for 32 bit times
  std::string received;
  while (received.size() < 43) {
    if ((bench.read(0x18) & 0x10) != 0) {
      run(1_ms);
      continue;
    }
    const std::uint32_t character = bench.read(0x00);
    CHECK(character < 0x100);
    received.push_back(static_cast<char>(character));
  }
  CHECK(received == std::string(40, 'z') + "end");
  CHECK_FALSE(bench.irq.level);
}

TEST_CASE("output to a file beside the log") {
  Pl011Config config = quiet();
  config.output = "console.txt";
  Bench bench(Fidelity::kFunctional, config);
  bench.write(0x00, 'h');
  bench.write(0x00, 'i');
  bench.uart.finish();
  CHECK(contents(bench.directory.path / "console.txt") == "hi");
  CHECK(bench.logged() == "hi");
}

TEST_CASE("a pseudo-terminal carries both directions") {
  Pl011Config config = quiet();
  config.output = "pty";
  Bench bench(Fidelity::kFunctional, config);
  const int terminal = open(bench.uart.console().terminal().c_str(), O_RDWR | O_NOCTTY);
  REQUIRE(terminal >= 0);
  bench.write(0x00, 'o');
  bench.write(0x00, 'k');
  std::array<char, 2> text{};
  REQUIRE(read(terminal, text.data(), 2) == 2);
  CHECK(std::string(text.data(), 2) == "ok");
  REQUIRE(write(terminal, "q", 1) == 1);
  run(3_ms);
  CHECK(bench.read(0x00) == 'q');
  close(terminal);
}

TEST_CASE("what cannot be opened is the user's error") {
  Log log([](LogLevel, const std::string&) {}, [] { return Time(0); });
  TemporaryDirectory directory;
  Simulation simulation(log, 1, Fidelity::kFunctional, directory.path);
  Pl011Config config = quiet();
  config.input = (directory.path / "missing").string();
  CHECK_THROWS_AS(Console(config.output, config.input, directory.path, "uart0"), ConfigError);
  CHECK_THROWS_AS(Console("uart0.log", "", directory.path, "uart0"), ConfigError);
  CHECK_THROWS_AS(Console("no/such/folder/x", "", directory.path, "uart0"), ConfigError);
  CHECK_THROWS_AS(Pl011Config::table().parse({{"revision", "r9"}}, "blocks.uart0"), ConfigError);
}
