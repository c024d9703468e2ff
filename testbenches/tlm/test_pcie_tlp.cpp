#include <catch2/catch.hpp>

#include <vector>

#include "tlm/pcie.h"

using namespace dpusim;

// PCIe Base 4.0, 2.2.4.1: requests below 4 GiB use the 3 DW header, others the 4 DW one; 2.2.9: completions have 3 DW.
TEST_CASE("a packet's header has three or four doublewords") {
  Tlp read{.type = TlpType::kMemoryRead, .address = 0xffff'fffc};
  CHECK(read.header() == Bytes(12));
  read.address = 0x1'0000'0000;
  CHECK(read.header() == Bytes(16));
  CHECK(Tlp{.type = TlpType::kMessage}.header() == Bytes(16));
  CHECK(Tlp{.type = TlpType::kCompletionData, .address = 0x1'0000'0000}.header() == Bytes(12));
  CHECK(Tlp{.type = TlpType::kConfigurationWrite}.header() == Bytes(12));
}

TEST_CASE("writes and messages are posted, and only some packets carry data") {
  CHECK(Tlp{.type = TlpType::kMemoryWrite}.posted());
  CHECK(Tlp{.type = TlpType::kMessage}.posted());
  CHECK_FALSE(Tlp{.type = TlpType::kMemoryRead}.posted());
  CHECK_FALSE(Tlp{.type = TlpType::kConfigurationWrite}.posted());
  CHECK(Tlp{.type = TlpType::kConfigurationWrite}.has_data());
  CHECK_FALSE(Tlp{.type = TlpType::kMemoryRead}.has_data());
  CHECK_FALSE(Tlp{.type = TlpType::kCompletion}.has_data());
}

// PCIe Base 4.0, 2.2.4.2: bus 7:0, device 4:0, function 2:0.
TEST_CASE("an ID packs bus, device and function") { CHECK(PcieId{0x12, 0x1f, 0x7}.packed() == 0x12ff); }

namespace {
struct Device : sc_core::sc_module, PcieDownstream {
  explicit Device(const sc_core::sc_module_name& name) : sc_module(name) { link.bind(static_cast<PcieDownstream&>(*this)); }
  Time to_device(PcieRequest& request, Time when) override {
    request.status = CompletionStatus::kUnsupportedRequest;
    return when + Time(1);
  }
  PcieInitiatorSocket link;
};
struct Root : sc_core::sc_module, PcieUpstream {
  explicit Root(const sc_core::sc_module_name& name) : sc_module(name) { port.bind(static_cast<PcieUpstream&>(*this)); }
  Time to_root(PcieRequest& request, Time when) override {
    octets += request.data.size();
    request.sent = when;
    return when + Time(2);
  }
  PcieTargetSocket port;
  std::size_t octets = 0;
};
}  // namespace

TEST_CASE("requests cross a connection both ways") {
  Device device("device");
  Root root("root");
  device.link.bind(root.port);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::vector<std::uint8_t> data(64);
  PcieRequest write{.type = TlpType::kMemoryWrite, .data = data};
  CHECK(device.link->to_root(write, Time(10)) == Time(12));
  CHECK(root.octets == 64);
  CHECK(write.sent == Time(10));
  PcieRequest read{.type = TlpType::kMemoryRead, .data = data};
  CHECK(root.port->to_device(read, Time(20)) == Time(21));
  CHECK(read.status == CompletionStatus::kUnsupportedRequest);
}
