// Sockets that nobody is connected to.
#include <catch2/catch.hpp>

#include "endpoint_bench.h"

using namespace pcie_bench;

TEST_CASE("a link without a device answers like an empty slot") {
  Run run;
  Host host("host");
  PcieLink link(run.context("link"), EndpointBench::link_config());
  link.root.bind(host.port);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::uint32_t value = 0xffff'ffff;
  // 20 octets down (2539), 100000, a completion without data back (2539), 100000.
  CHECK(host.request(TlpType::kConfigurationRead, 0, &value, 4) == Time(205'078));
  CHECK(host.status == CompletionStatus::kUnsupportedRequest);
  CHECK(value == 0xffff'ffff);
}

TEST_CASE("an endpoint without a link, and a link without a root, refuse the card's requests") {
  Run run;
  PcieLink link(run.context("link"), EndpointBench::link_config());
  PcieEndpoint alone(run.context("alone"), EndpointBench::endpoint_config()),
      linked(run.context("linked"), EndpointBench::endpoint_config());
  linked.link.bind(link.device);
  test::InitiatorStub cores[4] = {test::InitiatorStub("a"), test::InitiatorStub("b"), test::InitiatorStub("c"),
                                  test::InitiatorStub("d")};
  test::MemoryStub memories[2] = {{"m", 4096}, {"n", 4096}};
  cores[0].socket.bind(alone.window);
  cores[1].socket.bind(alone.regs());
  alone.bus.bind(memories[0].socket);
  cores[2].socket.bind(linked.window);
  cores[3].socket.bind(linked.regs());
  linked.bus.bind(memories[1].socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::uint64_t value = 0;
  CHECK(cores[0].access(::tlm::TLM_READ_COMMAND, 0, &value, 8) == ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(cores[2].access(::tlm::TLM_WRITE_COMMAND, 0, &value, 8) == ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  alone.inputs().irq_changed(0, true);
  CHECK(run.stat("alone.msix_disabled") == 1);
}

TEST_CASE("the family offers its types with all their ports") {
  Run run;
  std::vector<std::string> names;
  for (const BlockType& type : block_types()) {
    names.push_back(type.name);
    CHECK(type.family == "pcie");
  }
  CHECK(names == std::vector<std::string>{"pcie_link", "pcie_endpoint"});
  const auto link = block_types()[0].make(run.context("link"), nlohmann::ordered_json::object(), "link");
  const auto endpoint = block_types()[1].make(run.context("endpoint"), nlohmann::ordered_json::object(), "endpoint");
  const auto ports = [](Block& block) {
    std::map<std::string, std::uint64_t> all;
    for (const Port& port : block.ports()) all[port.name] = port.size;
    return all;
  };
  CHECK(ports(*link) == std::map<std::string, std::uint64_t>{{"device", 0}, {"root", 0}});
  CHECK(ports(*endpoint) ==
        std::map<std::string, std::uint64_t>{
            {"link", 0}, {"window", std::uint64_t{64} << 30U}, {"regs", 4096}, {"bus", 0}, {"irq", 0}, {"msix", 0}});
  CHECK_THROWS_AS(block_types()[0].make(run.context("other"), nlohmann::ordered_json{{"generation", 6}}, "link"),
                  ConfigError);
}
