// A plain NIC as platform `nic` has it, with the real endpoint, link, fabric and accelerator, and a host.
#pragma once

#include "accel/accel_types.h"
#include "card_stub.h"
#include "host/host_types.h"
#include "interconnect/crossbar.h"
#include "mem/ram.h"
#include "net/mac/ethernet_port.h"
#include "net/net_types.h"
#include "pcie/pcie_endpoint.h"
#include "pcie/pcie_link.h"

namespace host_bench {

using Json = nlohmann::ordered_json;

class RealCard {
 public:
  static constexpr std::uint64_t kWindow = 0x80'0000'0000, kBuffer = 0, kBar = 0x0c00'0000, kDma = 0x0d00'0000;

  explicit RealCard(const Json& programs, const Json& link_config = Json::object(),
                    const Json& host_config = Json::object(), const Json& dma_config = {{"overlap", 8}})
      : host(make<host::Host>(host::block_types(), "host", host_config)),
        link(run.context("link"), pcie::PcieLinkConfig::table().parse(link_config, "link")),
        endpoint(run.context("pcie"), endpoint_config()),
        noc(run.context("noc"), interconnect::CrossbarConfig::table().parse({{"l3_size", "0B"}}, "noc")),
        buffer(run.context("buffer"),
               mem::RamConfig::table().parse({{"capacity", "1MiB"}, {"width", "64B"}}, "buffer")),
        dma(make<Block>(accel::block_types(), "dma", dma_config)),
        nic(make<Block>(net::block_types(), "nic", {{"ports", 2}})),
        p0(make<Block>(net::block_types(), "ethernet_port", {{"rate", "100Gb/s"}}, "p0")),
        p1(make<Block>(net::block_types(), "ethernet_port", {{"rate", "100Gb/s"}}, "p1")) {
    link.root.bind(host->root_port);
    endpoint.link.bind(link.device);
    noc.map("buffer", kBuffer, 1U << 20U, *port<MemoryTargetSocket*>(buffer, "bus"));
    noc.map("nic", kBar, 0x100000, *port<MemoryTargetSocket*>(*nic, "bus"));
    noc.map("p0", kBar + 0x100000, 0x10000, *port<MemoryTargetSocket*>(*p0, "bus"));
    noc.map("p1", kBar + 0x110000, 0x10000, *port<MemoryTargetSocket*>(*p1, "bus"));
    noc.map("dma", kDma, 0x10000, *port<MemoryTargetSocket*>(*dma, "bus"));
    noc.map("pcie.regs", kBar + 0x200000, 0x1000, endpoint.regs());
    noc.map("pcie.window", kWindow, std::uint64_t{64} << 30U, endpoint.window);
    attach(endpoint, "bus", "pcie");
    attach(*nic, "dma", "nic");
    attach(*dma, "dma", "dma");
    for (unsigned i = 0; i < 2; ++i) {
      Block& mac = i == 0 ? *p0 : *p1;
      port<EthernetInitiatorSocket*>(mac, "host_out")
          ->bind(*port<EthernetTargetSocket*>(*nic, fmt::format("port_in[{}]", i)));
      port<EthernetInitiatorSocket*>(*nic, fmt::format("port_out[{}]", i))
          ->bind(*port<EthernetTargetSocket*>(mac, "host_in"));
    }
    port<EthernetInitiatorSocket*>(*p0, "wire_out")->bind(*port<EthernetTargetSocket*>(*p1, "wire_in"));
    port<EthernetInitiatorSocket*>(*p1, "wire_out")->bind(*port<EthernetTargetSocket*>(*p0, "wire_in"));
    for (unsigned i = 0; i < 64; ++i) port<IrqLine*>(*nic, fmt::format("irq[{}]", i))->connect(endpoint.inputs(), i);
    host->set_programs(programs, "scenario");
  }
  void run_out() {
    sc_core::sc_start();
    host->finish();
  }
  double stat(const std::string& path) { return run.stat("host." + path); }
  const Histogram& histogram(const std::string& path) { return run.find<Histogram>("host." + path); }
  bool lawful() { return run.simulation.stats().broken_laws(now()).empty(); }

  Run run;
  std::unique_ptr<host::Host> host;
  pcie::PcieLink link;
  pcie::PcieEndpoint endpoint;
  interconnect::Crossbar noc;
  mem::Ram buffer;
  std::unique_ptr<Block> dma, nic, p0, p1;

 private:
  static pcie::PcieEndpointConfig endpoint_config() {
    return pcie::PcieEndpointConfig::table().parse(
        {{"bar2", {{"size", "64MiB"}, {"at", "0x0c00_0000"}, {"prefetchable", false}}}, {"vectors", 80}}, "pcie");
  }
  template <class Kind>
  std::unique_ptr<Kind> make(std::span<const BlockType> types, const std::string& type, const Json& json,
                             std::string name = "") {
    for (const BlockType& row : types) {
      if (row.name != type) continue;
      auto block = row.make(run.context(name.empty() ? type : name), json, "blocks." + type);
      return std::unique_ptr<Kind>(dynamic_cast<Kind*>(block.release()));
    }
    throw std::runtime_error("no type " + type);
  }
  template <class Kind>
  Kind port(Block& block, const std::string& name) {
    auto& ports = ports_[&block];
    if (ports.empty()) ports = block.ports();
    for (Port& one : ports) {
      if (one.name == name || (ports.size() == 1)) return std::get<Kind>(one.endpoint);
    }
    throw std::runtime_error("no port " + name);
  }
  void attach(Block& block, const std::string& name, const std::string& as) {
    const unsigned requester = noc.connect(as, *port<MemoryInitiatorSocket*>(block, name));
    block.attached(name, noc, requester);
  }
  std::map<Block*, std::vector<Port>> ports_;
};

}  // namespace host_bench
