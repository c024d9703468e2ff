#include <catch2/catch.hpp>

#include "tlm/pcie_tlp.h"

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
struct End : sc_core::sc_module, PcieForward, PcieBackward {
  explicit End(const sc_core::sc_module_name& name) : sc_module(name) {
    out.bind(static_cast<PcieBackward&>(*this));
    in.bind(static_cast<PcieForward&>(*this));
  }
  void send(TlpPtr packet, Time arrival) override {
    received = std::move(packet);
    in->credit(CreditKind::kPosted, {1, 4}, arrival);
  }
  void credit(CreditKind, PcieCredits given, Time) override { credits.push_back(given); }
  PcieInitiatorSocket out;
  PcieTargetSocket in;
  TlpPtr received;
  std::vector<PcieCredits> credits;
};
}  // namespace

TEST_CASE("a packet crosses a link and its credits come back") {
  End a("a"), b("b");
  a.out.bind(b.in);
  b.out.bind(a.in);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  a.out->send(
      std::make_unique<Tlp>(Tlp{.type = TlpType::kMemoryWrite, .length = 16, .data = std::vector<std::uint8_t>(64)}),
      Time(10));
  REQUIRE(b.received);
  CHECK(b.received->data.size() == 64);
  REQUIRE(a.credits.size() == 1);
  CHECK(a.credits[0].headers == 1);
  CHECK(a.credits[0].data == 4);
}
