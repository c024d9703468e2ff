// Tests the engine alone: a memory, a register access, the interrupt.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstdio>

#include "crc_engine.h"
#include "sim/systemc_time.h"

namespace {

struct Host : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Host, 64> registers{"registers"};
  explicit Host(const sc_core::sc_module_name& name) : sc_module(name) {}
  static void move(tlm_utils::simple_initiator_socket<Host, 64>& socket, bool write, std::uint64_t address, void* data,
                   unsigned size) {
    ::tlm::tlm_generic_payload payload;
    payload.set_command(write ? ::tlm::TLM_WRITE_COMMAND : ::tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(size);
    payload.set_streaming_width(size);
    sc_core::sc_time delay;
    socket->b_transport(payload, delay);
    if (payload.is_response_error())
      std::printf("address %#lx: %s\n", static_cast<unsigned long>(address), payload.get_response_string().c_str());
  }
  std::uint32_t read(std::uint64_t offset) {
    std::uint32_t value = 0;
    move(registers, false, offset, &value, 4);
    return value;
  }
  void write(std::uint64_t offset, std::uint32_t value) { move(registers, true, offset, &value, 4); }
};

// A memory of zero octets that takes 6 ns.
struct Memory : sc_core::sc_module {
  tlm_utils::simple_target_socket<Memory, 64> socket{"socket"};
  explicit Memory(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &Memory::b_transport);
  }
  void b_transport(::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    std::fill_n(payload.get_data_ptr(), payload.get_data_length(), 0);
    delay += sc_core::sc_time(6, sc_core::SC_NS);
    payload.set_response_status(::tlm::TLM_OK_RESPONSE);
  }
};

struct Listener : dpusim::IrqSink {
  void irq_changed(unsigned, bool level) override { high = level; }
  bool high = false;
};

int failures = 0;
void expect(bool condition, const char* what) {
  if (condition) return;
  ++failures;
  std::printf("failed: %s\n", what);
}

void run(const dpusim::Time time) {
  sc_core::sc_start(dpusim::to_sc(time));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

}  // namespace

int sc_main(int, char*[]) {
  dpusim::Log log([](dpusim::LogLevel, const std::string& line) { std::puts(line.c_str()); },
                  [] { return dpusim::now(); });
  dpusim::Simulation simulation(log, 1, dpusim::Fidelity::kApproximate, ".");
  const dpusim::Fidelity fidelity = dpusim::Fidelity::kApproximate;
  Memory memory("memory");
  example::CrcEngineConfig config;
  config.clock = dpusim::Frequency(1'000'000'000);
  config.octets_per_cycle = 1;
  example::CrcEngine engine(dpusim::BlockContext(simulation, "crc", fidelity), config);
  Host host("host");
  Listener listener;
  auto ports = engine.ports();
  host.registers.bind(*std::get<dpusim::MemoryTargetSocket*>(ports[0].endpoint));
  std::get<dpusim::MemoryInitiatorSocket*>(ports[1].endpoint)->bind(memory.socket);
  std::get<dpusim::IrqLine*>(ports[2].endpoint)->connect(listener, 0);
  run(dpusim::Time(0));

  expect(host.read(0x04) == 0, "STATUS after reset is 0");
  // No octet: the CRC of nothing is 0, at once.
  host.write(0x00, 1);
  run(dpusim::Time(0));
  expect(host.read(0x04) == 1 && host.read(0x14) == 0, "a job without octets is done at once with 0");
  expect(!listener.high, "no interrupt without IRQ_ENABLE");
  host.write(0x00, 2);
  expect(listener.high, "IRQ_ENABLE with DONE raises the line");
  host.write(0x04, 1);
  expect(!listener.high && host.read(0x04) == 0, "writing one to DONE clears it and lowers the line");
  // 4 octets take the engine 4 ns, so the memory's 6 ns count.
  host.write(0x10, 4);
  host.write(0x00, 3);
  run(dpusim::Time(5'999));
  expect(host.read(0x04) == 4 && !listener.high, "busy until 1 ps before 6 ns");
  run(dpusim::Time(1));
  expect(host.read(0x04) == 1 && listener.high, "done at 6 ns");
  expect(host.read(0x14) == 0x2144df1c, "CRC of four zero octets, as Python's zlib.crc32");
  // 64 octets: the engine's 64 ns count.
  host.write(0x10, 64);
  host.write(0x00, 3);
  run(dpusim::Time(63'999));
  expect(host.read(0x04) == 4, "busy until 1 ps before 64 ns");
  run(dpusim::Time(1));
  expect(host.read(0x04) == 1, "done at 64 ns");
  expect(host.read(0x14) == 0x758d6336, "CRC of 64 zero octets, as Python's zlib.crc32");
  std::puts(failures == 0 ? "ok" : "FAILED");
  return failures == 0 ? 0 : 1;
}
