// A host with a NIC of two ports behind a card stub; the ports are cabled to each other.
#pragma once

#include "card_stub.h"
#include "net/mac/ethernet_port.h"
#include "net/queues/nic.h"
#include "testbenches/net/net_bench.h"

namespace host_bench {

using Json = nlohmann::ordered_json;

struct NicHost {
  explicit NicHost(Json programs, const host::HostConfig& config = small(), const net::NicConfig& nic_config = {},
                   Fidelity fidelity = Fidelity::kApproximate, bool cabled = true)
      : run(fidelity),
        host(run.context("host"), config),
        card("card", {{2, {0x400000, true}}}, 64),
        nic(run.context("nic"), nic_config),
        p0(run.context("p0"), {}),
        p1(run.context("p1"), {}) {
    card.up.bind(host.root_port);
    card.bus.bind(nic.bus());
    nic.dma_socket.bind(card.dma);
    for (unsigned i = 0; i < nic_config.completion_queues; ++i) nic.irq(i).connect(card.msix(), i);
    connect(p0, 0, bus0);
    connect(p1, 1, bus1);
    p1.wire_out.bind(p0.wire_in);
    if (cabled) {
      p0.wire_out.bind(p1.wire_in);
    } else {
      network = std::make_unique<net_bench::Sender>("network");
      away = std::make_unique<net_bench::Receiver>("away");
      p0.wire_out.bind(away->in);
      network->out.bind(p1.wire_in);
    }
    host.set_programs(programs, "scenario");
  }
  static host::HostConfig small() {
    host::HostConfig config;
    config.memory_size = Bytes(256U << 20U);
    return config;
  }
  /// Runs until nothing is left to happen.
  void run_out() {
    sc_core::sc_start();
    ended = now();
    host.finish();
  }
  double stat(const std::string& path) { return run.stat("host." + path); }
  const Histogram& histogram(const std::string& path) { return run.find<Histogram>("host." + path); }
  bool lawful() { return run.simulation.stats().broken_laws(now()).empty(); }

  Run run;
  host::Host host;
  CardStub card;
  net::Nic nic;
  net::EthernetPort p0, p1;
  net_bench::BusMaster bus0{"bus0"}, bus1{"bus1"};
  std::unique_ptr<net_bench::Sender> network;  ///< sends into p1, unless the ports are cabled
  std::unique_ptr<net_bench::Receiver> away;   ///< takes from p0 then
  Time ended{0};

 private:
  void connect(net::EthernetPort& port, unsigned number, net_bench::BusMaster& bus) {
    port.host_out.bind(nic.port_in(number));
    nic.port_out(number).bind(port.host_in);
    bus.socket.bind(*std::get<MemoryTargetSocket*>(port.ports().front().endpoint));
  }
};

}  // namespace host_bench
