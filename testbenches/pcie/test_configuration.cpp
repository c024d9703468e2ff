// Configuration space as an operating system walks it. Offsets and values are the specification's, written beside each
// check.
#include <catch2/catch.hpp>

#include "endpoint_bench.h"

using namespace pcie_bench;

namespace {
ConfigSpace space() { return ConfigSpace(EndpointBench::endpoint_config()); }
template <class T>
T get(const ConfigSpace& from, std::size_t offset) {
  std::array<std::uint8_t, sizeof(T)> octets{};
  from.read(offset, octets);
  T value;
  std::memcpy(&value, octets.data(), sizeof value);
  return value;
}
template <class T>
void put(ConfigSpace& to, std::size_t offset, T value) {
  std::array<std::uint8_t, sizeof(T)> octets{};
  std::memcpy(octets.data(), &value, sizeof value);
  to.write(offset, octets);
}
}  // namespace

TEST_CASE("the header names the device") {
  PcieEndpointConfig config = EndpointBench::endpoint_config();
  config.vendor_id = 0x1af4;
  config.device_id = 0x10f0;
  config.class_code = 0x020000;
  config.revision = 7;
  const ConfigSpace s(config);
  CHECK(get<std::uint32_t>(s, 0x00) == 0x10f0'1af4);
  CHECK(get<std::uint16_t>(s, 0x04) == 0);            // command: all off
  CHECK(get<std::uint16_t>(s, 0x06) == 0x0010);       // status: capabilities list
  CHECK(get<std::uint32_t>(s, 0x08) == 0x0200'0007);  // class and revision
  CHECK(get<std::uint8_t>(s, 0x0e) == 0);             // header type 0, one function
  CHECK(get<std::uint32_t>(s, 0x2c) == 0x0001'1234);  // subsystem
  CHECK(get<std::uint8_t>(s, 0x3d) == 0);             // no INTx pin
}

// 7.5.1.2.1: software writes all ones, reads back, and takes the two's complement of the address bits.
TEST_CASE("BARs tell their size when written with all ones") {
  ConfigSpace s = space();
  CHECK(get<std::uint32_t>(s, 0x10) == 0x4);  // 64 bits, not prefetchable
  CHECK(get<std::uint32_t>(s, 0x18) == 0xc);  // 64 bits, prefetchable
  CHECK(get<std::uint32_t>(s, 0x20) == 0x4);
  for (unsigned bar = 0; bar < 6; ++bar) put(s, 0x10 + 4 * bar, 0xffff'ffffU);
  CHECK(get<std::uint64_t>(s, 0x10) == 0xffff'ffff'ffff'0004);  // 64 KiB
  CHECK(get<std::uint64_t>(s, 0x18) == 0xffff'ffff'fff0'000c);  // 1 MiB
  CHECK(get<std::uint64_t>(s, 0x20) == 0xffff'ffff'ffff'f004);  // 4 KiB
  PcieEndpointConfig config = EndpointBench::endpoint_config();
  config.bar4.size = Bytes(0);
  config.bar2.size = Bytes(std::uint64_t{1} << 33U);
  config.bar2.at = Address(0);
  ConfigSpace other(config);
  for (unsigned bar = 0; bar < 6; ++bar) put(other, 0x10 + 4 * bar, 0xffff'ffffU);
  CHECK(get<std::uint64_t>(other, 0x18) == 0xffff'fffe'0000'000c);  // 8 GiB
  CHECK(get<std::uint64_t>(other, 0x20) == 0);                      // not there
  CHECK(get<std::uint32_t>(other, 0x30) == 0);                      // no expansion ROM
}

TEST_CASE("the capability list leads to power management, MSI-X and PCI Express") {
  const ConfigSpace s = space();
  std::vector<unsigned> ids;
  std::map<unsigned, unsigned> at;
  for (unsigned offset = get<std::uint8_t>(s, 0x34); offset != 0; offset = get<std::uint8_t>(s, offset + 1)) {
    REQUIRE(ids.size() < 10);
    REQUIRE(offset % 4 == 0);
    ids.push_back(get<std::uint8_t>(s, offset));
    at[ids.back()] = offset;
  }
  CHECK(ids == std::vector<unsigned>{0x01, 0x11, 0x10});
  // MSI-X: 64 vectors as N - 1, table and pending bits in BAR 0.
  CHECK(get<std::uint16_t>(s, at[0x11] + 2) == 63);
  CHECK(get<std::uint32_t>(s, at[0x11] + 4) == 0x8000);
  CHECK(get<std::uint32_t>(s, at[0x11] + 8) == 0x4000);
  // PCI Express: version 2 endpoint; MPS 256 supported and set, MRRS 512, speed 3, width 8, speeds 1 to 3 supported.
  const unsigned express = at[0x10];
  CHECK(get<std::uint16_t>(s, express + 0x02) == 0x0002);
  CHECK((get<std::uint32_t>(s, express + 0x04) & 0x7) == 1);
  CHECK((get<std::uint16_t>(s, express + 0x08) >> 5 & 0x7) == 1);
  CHECK((get<std::uint16_t>(s, express + 0x08) >> 12 & 0x7) == 2);
  CHECK((get<std::uint32_t>(s, express + 0x0c) & 0x3ff) == 0x83);
  CHECK((get<std::uint16_t>(s, express + 0x12) & 0x3ff) == 0x83);
  CHECK(get<std::uint32_t>(s, express + 0x2c) == 0x0e);
}

// 7.9.5: extended capability 000Bh with ID, revision and length of the vendor's structure.
TEST_CASE("a vendor-specific capability tells where the card sees the host") {
  PcieEndpointConfig config = EndpointBench::endpoint_config();
  config.window_at = Address(0x80'0000'0000);
  ConfigSpace s(config);
  CHECK(get<std::uint32_t>(s, 0x100) == 0x0001'000b);  // the last one
  CHECK(get<std::uint32_t>(s, 0x104) == 0x0201'0001);  // 32 octets, revision 1, ID 1
  CHECK(get<std::uint64_t>(s, 0x108) == 0x80'0000'0000);
  CHECK(get<std::uint64_t>(s, 0x110) == 0x1'0000'0000);
  CHECK(get<std::uint64_t>(s, 0x118) == Host::kBase);
  s.set_host_base(0x1234'5000);
  CHECK(get<std::uint64_t>(s, 0x118) == 0x1234'5000);
}

TEST_CASE("only writable bits change, and status bits clear by writing 1") {
  ConfigSpace s = space();
  for (unsigned offset = 0; offset < ConfigSpace::kSize; offset += 4) put(s, offset, 0xffff'ffffU);
  CHECK(get<std::uint32_t>(s, 0x00) == 0xd9c0'1234);
  CHECK(get<std::uint16_t>(s, 0x04) == 0x0546);  // memory, master, parity, SERR#, INTx disable
  CHECK(get<std::uint8_t>(s, 0x3c) == 0xff);
  CHECK(get<std::uint16_t>(s, 0x52) == 0xc03f);
  CHECK(get<std::uint32_t>(s, 0x108) == 0x0);  // of 0x80'0000'0000
  CHECK(get<std::uint32_t>(s, 0xffc) == 0);
  s = space();
  s.note_answer(CompletionStatus::kCompleterAbort, false);
  s.note_answer(CompletionStatus::kUnsupportedRequest, true);
  s.note_completion(CompletionStatus::kUnsupportedRequest);
  s.note_completion(CompletionStatus::kCompleterAbort);
  CHECK(get<std::uint16_t>(s, 0x06) == 0x3810);  // master abort received, target abort received and signalled
  CHECK(get<std::uint16_t>(s, 0x6a) == 0x000b);  // unsupported request, non-fatal, correctable
  put<std::uint16_t>(s, 0x06, 0x2000);
  CHECK(get<std::uint16_t>(s, 0x06) == 0x1810);
  put<std::uint16_t>(s, 0x6a, 0x0009);
  CHECK(get<std::uint16_t>(s, 0x6a) == 0x0002);
  put<std::uint16_t>(s, 0x04, 0x0006);  // does not touch status
  CHECK(get<std::uint16_t>(s, 0x06) == 0x1810);
}

TEST_CASE("an address is in a BAR when all of the access is, and memory is enabled in D0") {
  ConfigSpace s = space();
  put<std::uint64_t>(s, 0x18, EndpointBench::kBar2);
  put<std::uint32_t>(s, 0x20, 0x8000'0000);
  CHECK_FALSE(s.decode(EndpointBench::kBar2, 4));
  put<std::uint16_t>(s, 0x04, 0x6);
  const auto hit = s.decode(EndpointBench::kBar2 + 0xfffff, 1);
  REQUIRE(hit);
  CHECK(hit->bar == 2);
  CHECK(hit->offset == 0xfffff);
  CHECK_FALSE(s.decode(EndpointBench::kBar2 + 0xfffff, 2));
  CHECK_FALSE(s.decode(EndpointBench::kBar2 - 1, 2));
  CHECK_FALSE(s.decode(EndpointBench::kBar2 + 0x100000, 1));
  CHECK(s.decode(0x8000'0fff, 1)->bar == 4);
  CHECK(s.decode(0, 4)->bar == 0);  // nobody gave it an address, so it is at 0
  CHECK(s.bus_master());
  put<std::uint8_t>(s, 0x44, 3);  // D3hot
  CHECK_FALSE(s.decode(0x8000'0000, 4));
  CHECK_FALSE(s.bus_master());
  put<std::uint8_t>(s, 0x44, 1);  // D1 does not exist
  CHECK((get<std::uint8_t>(s, 0x44) & 3) == 3);
  put<std::uint8_t>(s, 0x44, 0);
  CHECK(s.decode(0x8000'0000, 4));
}

TEST_CASE("MSI-X: entries, masks and pending bits") {
  MsixTable table(65);
  CHECK(table.masked(64));  // 7.7.2.8: masked after reset
  CHECK(table.read(64 * 4 + 3) == 1);
  table.write(64 * 4 + 0, 0xfee0'0013);  // the address's bits 1:0 are 0
  table.write(64 * 4 + 1, 0x12);
  table.write(64 * 4 + 2, 0xabcd);
  table.write(64 * 4 + 3, 0xffff'fffe);  // reserved bits read 0
  CHECK(table.message(64).address == 0x12'fee0'0010);
  CHECK(table.message(64).data == 0xabcd);
  CHECK(table.read(64 * 4 + 3) == 0);
  CHECK(table.read(65 * 4) == 0);  // beyond the last
  table.write(65 * 4, 1);
  table.set_pending(64, true);
  table.set_pending(63, true);
  table.set_pending(63, true);
  CHECK(table.pending_count() == 2);
  CHECK(table.read_pending(1) == 0x8000'0000);
  CHECK(table.read_pending(2) == 1);
  CHECK(table.read_pending(4) == 0);
  std::vector<unsigned> sent;
  table.release([&](unsigned vector) { sent.push_back(vector); });
  CHECK(sent == std::vector<unsigned>{64});  // 63 is masked
  CHECK(table.pending_count() == 1);
}

TEST_CASE("an endpoint's parameters are checked") {
  const auto parse = [](const char* json) {
    return PcieEndpointConfig::table().parse(nlohmann::ordered_json::parse(json), "blocks.pcie");
  };
  CHECK(parse(R"({"vendor_id": "0x15b3", "bar2": {"size": "2MiB", "at": "0x4000_0000"}})").vendor_id == 0x15b3);
  CHECK_THROWS_WITH(parse(R"({"bar2": {"size": "3MiB"}})"), Catch::Contains("power of two"));
  CHECK_THROWS_WITH(parse(R"({"bar4": {"size": "2KiB"}})"), Catch::Contains("blocks.pcie.bar4.size"));
  CHECK_THROWS_WITH(parse(R"({"bar4": {"size": "1MiB", "at": "0x1000"}})"), Catch::Contains("multiple of the size"));
  CHECK_THROWS_AS(parse(R"({"vectors": 0})"), ConfigError);
  CHECK_THROWS_AS(parse(R"({"vectors": 2049})"), ConfigError);
  CHECK(parse(R"({"vectors": 2048})").vectors == 2048);
  CHECK_THROWS_AS(parse(R"({"vendor_id": "0xffff"})"), ConfigError);
  CHECK_THROWS_AS(parse(R"({"class_code": "0x1000000"})"), ConfigError);
  CHECK_THROWS_WITH(parse(R"({"host_base": "0xffff_ffff_ffff_0000"})"), Catch::Contains("host_base"));
}
