// An endpoint behind a link, between a host and a card that tests look into.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <vector>

#include "pcie/pcie_endpoint.h"
#include "pcie/pcie_endpoint_host_regs.h"
#include "pcie/pcie_endpoint_regs.h"
#include "pcie/pcie_link.h"
#include "pcie/pcie_types.h"
#include "pcie_bench.h"
#include "testbenches/tlm/memory_stub.h"
#include "tlm/protocol_checker.h"

namespace pcie_bench {

using namespace dpusim::pcie;
namespace card_regs = dpusim::pcie_endpoint_regs;
namespace host_regs = dpusim::pcie_endpoint_host_regs;

/// A root complex with memory from address kBase on; writes to kMessages are interrupt messages.
struct Host : sc_core::sc_module, PcieUpstream {
  static constexpr std::uint64_t kBase = 0x1'0000'0000, kMessages = 0xfee0'0000;
  struct Message {
    std::uint64_t address;
    std::uint32_t data;
    Time arrival;
  };
  struct Seen {
    TlpType type;
    std::uint64_t address;
    std::size_t octets;
    Time arrival;
  };
  explicit Host(const sc_core::sc_module_name& name) : sc_module(name), port("port") {
    port.bind(static_cast<PcieUpstream&>(*this));
  }
  Time to_root(PcieRequest& request, Time when) override {
    seen.push_back({request.type, request.address, request.data.size(), when});
    if (on_request && on_request(request, when)) return when;
    if (request.address >> 12 == kMessages >> 12) {
      std::uint32_t data = 0;
      std::memcpy(&data, request.data.data(), std::min<std::size_t>(4, request.data.size()));
      messages.push_back({request.address, data, when});
    } else if (request.address < kBase || request.address - kBase + request.data.size() > memory.size()) {
      request.status = CompletionStatus::kUnsupportedRequest;
    } else if (request.address >> 12 == bad_page) {
      request.status = CompletionStatus::kCompleterAbort;
    } else if (request.type == TlpType::kMemoryWrite) {
      std::memcpy(&memory[request.address - kBase], request.data.data(), request.data.size());
    } else {
      std::memcpy(request.data.data(), &memory[request.address - kBase], request.data.size());
    }
    return when + latency;
  }

  /// Makes a request of the device. @return when it is done.
  Time request(TlpType type, std::uint64_t address, void* data, std::size_t octets, Time when = now(),
               PcieId target = {5, 0, 0}) {
    PcieRequest request{
        .type = type, .address = address, .data = {static_cast<std::uint8_t*>(data), octets}, .target = target};
    const Time done = port->to_device(request, when);
    status = request.status;
    return done;
  }
  template <class T>
  T config_read(std::uint64_t offset) {
    T value{};
    request(TlpType::kConfigurationRead, offset, &value, sizeof value);
    return value;
  }
  template <class T>
  void config_write(std::uint64_t offset, T value) {
    request(TlpType::kConfigurationWrite, offset, &value, sizeof value);
  }
  template <class T>
  T read(std::uint64_t address) {
    T value{};
    request(TlpType::kMemoryRead, address, &value, sizeof value);
    return value;
  }
  template <class T>
  void write(std::uint64_t address, T value) {
    request(TlpType::kMemoryWrite, address, &value, sizeof value);
  }

  PcieTargetSocket port;
  std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(1U << 20U);
  Time latency{50'000};
  std::uint64_t bad_page = 0;
  CompletionStatus status = CompletionStatus::kSuccessful;
  std::vector<Message> messages;
  std::vector<Seen> seen;
  std::function<bool(PcieRequest&, Time)> on_request;  // true: has answered
};

/// Gen3 x8 with 100 ns each way and 25 ns in the endpoint; BAR 0 at 0x9000'0000, BAR 2 (1 MiB) at 0x20'0000'0000 stands
/// for the card's memory from 1 MiB on, BAR 4 (4 KiB) at 0x8000'0000 for 0x3000. The window begins at Host::kBase.
struct EndpointBench {
  static constexpr std::uint64_t kBar0 = 0x9000'0000, kBar2 = 0x20'0000'0000, kBar4 = 0x8000'0000;
  static PcieLinkConfig link_config() { return {.generation = 3, .lanes = 8, .latency = Time(100'000)}; }
  static PcieEndpointConfig endpoint_config() {
    PcieEndpointConfig config;
    config.bar2 = {Bytes(1U << 20U), Address(1U << 20U), true};
    config.bar4 = {Bytes(4096), Address(0x3000), false};
    config.window_size = Bytes(std::uint64_t{1} << 32U);
    config.host_base = Address(Host::kBase);
    config.generation = 3;
    config.lanes = 8;
    return config;
  }
  explicit EndpointBench(const PcieEndpointConfig& config = endpoint_config(),
                         const PcieLinkConfig& wire = link_config(), Fidelity fidelity = Fidelity::kApproximate)
      : link(run.context("link", fidelity), wire), endpoint(run.context("endpoint", fidelity), config) {
    endpoint.link.bind(link.device);
    link.root.bind(host.port);
    window.socket.bind(window_checker.target);
    window_checker.initiator.bind(endpoint.window);
    regs.socket.bind(endpoint.regs());
    endpoint.bus.bind(bus_checker.target);
    bus_checker.initiator.bind(card.socket);
    endpoint.irq.connect(irq, 0);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  /// Does what an operating system does: addresses, then memory and bus master enable.
  void bring_up() {
    host.config_write<std::uint32_t>(0x10, kBar0);
    host.config_write<std::uint32_t>(0x14, 0);
    host.config_write<std::uint32_t>(0x18, static_cast<std::uint32_t>(kBar2));
    host.config_write<std::uint32_t>(0x1c, kBar2 >> 32);
    host.config_write<std::uint32_t>(0x20, kBar4);
    host.config_write<std::uint32_t>(0x24, 0);
    host.config_write<std::uint16_t>(0x04, 0x6);
  }
  /// Points vector v at message address kMessages + 16 v with data 0x100 + v, and enables MSI-X.
  void bring_up_msix(unsigned vectors) {
    for (unsigned v = 0; v < vectors; ++v) {
      const std::uint64_t entry = kBar0 + kTableOffset + 16 * v;
      host.write<std::uint64_t>(entry, Host::kMessages + 16 * v);
      host.write<std::uint32_t>(entry + 8, 0x100 + v);
      host.write<std::uint32_t>(entry + 12, 0);
    }
    host.config_write<std::uint16_t>(0x52, 0x8000);
  }
  /// Accesses the window at the kernel's present time. @return how long it took.
  Time access(bool write, std::uint64_t offset, void* data, unsigned octets) {
    sc_core::sc_time delay;
    response = window.access(write ? ::tlm::TLM_WRITE_COMMAND : ::tlm::TLM_READ_COMMAND, offset, data, octets, &delay);
    return from_sc(delay);
  }
  template <class T>
  T reg(std::uint64_t offset) {
    T value{};
    if (regs.access(::tlm::TLM_READ_COMMAND, offset, &value, sizeof value) != ::tlm::TLM_OK_RESPONSE)
      throw std::runtime_error("register read refused");
    return value;
  }
  template <class T>
  void set_reg(std::uint64_t offset, T value) {
    if (regs.access(::tlm::TLM_WRITE_COMMAND, offset, &value, sizeof value) != ::tlm::TLM_OK_RESPONSE)
      throw std::runtime_error("register write refused");
  }
  void line(unsigned vector, bool level) { endpoint.inputs().irq_changed(vector, level); }
  [[nodiscard]] bool clean() {
    const auto broken = run.simulation.stats().broken_laws(now());
    return window_checker.violations().empty() && bus_checker.violations().empty() && broken.empty();
  }
  struct Probe : IrqSink {
    void irq_changed(unsigned, bool level) override { changes.push_back({now().count(), level}); }
    std::vector<std::pair<std::int64_t, bool>> changes;
  };

  Run run;
  Host host{"host"};
  PcieLink link;
  PcieEndpoint endpoint;
  test::InitiatorStub window{"window_initiator"}, regs{"regs_initiator"};
  ProtocolChecker window_checker{"window_checker"}, bus_checker{"bus_checker"};
  test::MemoryStub card{"card", 2U << 20U, sc_core::sc_time(30, sc_core::SC_NS)};
  Probe irq;
  ::tlm::tlm_response_status response = ::tlm::TLM_INCOMPLETE_RESPONSE;
};

/// Runs until everything due at `until` is done (sc_start alone stops before events at its end).
inline void run_until(Time until) {
  if (until > now()) sc_core::sc_start(to_sc(until - now()));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

}  // namespace pcie_bench
