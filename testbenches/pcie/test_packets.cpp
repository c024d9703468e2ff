// Splitting rules and octets on the wire, against the specification and the published arithmetic.
#include <catch2/catch.hpp>

#include <vector>

#include "pcie/pcie_link_config.h"
#include "sim/error.h"

using namespace dpusim;
using namespace dpusim::pcie;

namespace {

constexpr std::uint64_t kHigh = 0x1'0000'0000;  // addresses from here on take the header of four doublewords

LinkShape shape(unsigned generation, unsigned lanes) { return {.generation = generation, .lanes = lanes}; }

double write_gbps(const LinkShape& link, std::uint64_t octets) {
  return ideal_rate(link, Bytes(octets), write_on_wire(link, kHigh, Bytes(octets))) / 1e9;
}

std::vector<std::uint64_t> requests(std::uint64_t address, std::uint64_t octets, std::uint64_t most) {
  std::vector<std::uint64_t> pieces;
  while (octets > 0) {
    pieces.push_back(request_piece(address, octets, most));
    address += pieces.back();
    octets -= pieces.back();
  }
  return pieces;
}

std::vector<std::uint64_t> completions(std::uint64_t address, std::uint64_t octets, std::uint64_t mps,
                                       std::uint64_t rcb) {
  std::vector<std::uint64_t> pieces;
  while (octets > 0) {
    pieces.push_back(completion_piece(address, octets, mps, rcb));
    address += pieces.back();
    octets -= pieces.back();
  }
  return pieces;
}

using Pieces = std::vector<std::uint64_t>;

}  // namespace

// Base 5.0, 4.2: 2.5 and 5 GT/s lose a fifth to 8b/10b, the others 2 of 130. Rows D117, D125, D133: 63.02, 252.06,
// 504.12 Gb/s.
TEST_CASE("the rate of packets is the signalling rate less line coding") {
  CHECK(shape(1, 1).rate() == BitRate(2'000'000'000));
  CHECK(shape(2, 4).rate() == BitRate(16'000'000'000));
  CHECK(shape(3, 8).rate() == BitRate(63'015'384'615));    // 64e9 * 128 / 130
  CHECK(shape(4, 16).rate() == BitRate(252'061'538'462));  // 256e9 * 128 / 130
  CHECK(shape(5, 16).rate() == BitRate(504'123'076'923));  // 512e9 * 128 / 130
  LinkShape shared = shape(2, 4);
  shared.dllp_overhead = 0.25;
  CHECK(shared.rate() == BitRate(12'000'000'000));
}

// Rows D108 to D110: 24 octets about a request with a 64-bit address, 20 about a completion, 4 for ECRC; a 32-bit
// address saves 4.
TEST_CASE("a packet occupies framing, header and whole doublewords") {
  LinkShape link = shape(3, 8);
  const Tlp write{.type = TlpType::kMemoryWrite, .address = kHigh}, low{.type = TlpType::kMemoryWrite};
  CHECK(link.on_wire(write, 16) == Bytes(88));
  CHECK(link.on_wire(low, 16) == Bytes(84));
  CHECK(link.on_wire({.type = TlpType::kMemoryRead, .address = kHigh}, 0) == Bytes(24));
  CHECK(link.on_wire({.type = TlpType::kCompletionData, .address = kHigh}, 16) == Bytes(84));
  CHECK(link.on_wire({.type = TlpType::kConfigurationWrite}, 1) == Bytes(24));
  link.ecrc = true;
  CHECK(link.on_wire(write, 16) == Bytes(92));
  CHECK(doublewords(0, 1) == 1);
  CHECK(doublewords(3, 2) == 2);
  CHECK(doublewords(1, 4) == 2);
  CHECK(doublewords(0, 4096) == 1024);
}

TEST_CASE("requests are cut at the largest size and at 4 KiB") {
  CHECK(requests(0, 1, 128) == Pieces{1});
  CHECK(requests(0x1000, 256, 256) == Pieces{256});
  CHECK(requests(0x1000, 257, 256) == Pieces{256, 1});
  CHECK(requests(0x1010, 600, 256) == Pieces{256, 256, 88});
  CHECK(requests(0x1ff0, 600, 256) == Pieces{16, 256, 256, 72});
  CHECK(requests(0x1fff, 2, 4096) == Pieces{1, 1});
  CHECK(requests(0x1003, 300, 256) == Pieces{253, 47});  // 64 doublewords from 0x1000 on end at 0x1100
  CHECK(requests(0x1000, 8192, 4096) == Pieces{4096, 4096});
  CHECK(requests(~0ULL - 15, 16, 128) == Pieces{16});  // the last octets of the address space
}

// 2.3.1.1: completions but the last end at naturally aligned RCB boundaries, each with at most MPS.
TEST_CASE("completions end at the read completion boundary") {
  CHECK(completions(0x1000, 64, 128, 64) == Pieces{64});
  CHECK(completions(0x1000, 512, 256, 64) == Pieces{256, 256});
  CHECK(completions(0x1004, 512, 256, 64) == Pieces{252, 256, 4});
  CHECK(completions(0x103c, 512, 128, 64) == Pieces{68, 128, 128, 128, 60});
  CHECK(completions(0x1044, 512, 128, 128) == Pieces{60, 128, 128, 128, 68});
  CHECK(completions(0x1044, 100, 128, 128) == Pieces{100});  // crosses a boundary, but one packet can carry all
  CHECK(completions(0x1003, 300, 256, 64) == Pieces{253, 47});
  CHECK(completions(0x1fff, 1, 128, 64) == Pieces{1});
}

TEST_CASE("no piece breaks a rule, and pieces are whole") {
  for (const std::uint64_t most : {128U, 256U, 512U, 4096U}) {
    for (const std::uint64_t rcb : {64U, 128U}) {
      for (std::uint64_t address = 0xf80; address < 0x1084; ++address) {
        for (const std::uint64_t octets : {1U, 3U, 63U, 64U, 65U, 255U, 1518U, 4096U, 8191U}) {
          std::uint64_t at = address, sum = 0;
          for (const std::uint64_t piece : requests(address, octets, most)) {
            REQUIRE(piece > 0);
            REQUIRE(doublewords(at, piece) <= most / 4);
            REQUIRE(at / 4096 == (at + piece - 1) / 4096);
            at += piece;
            sum += piece;
          }
          REQUIRE(sum == octets);
          at = address;
          sum = 0;
          for (const std::uint64_t piece : completions(address, octets, most, rcb)) {
            REQUIRE(piece > 0);
            REQUIRE(doublewords(at, piece) <= most / 4);
            at += piece;
            sum += piece;
            REQUIRE((sum == octets || at % rcb == 0));
          }
          REQUIRE(sum == octets);
        }
      }
    }
  }
}

// pcie-bench's model (SIGCOMM 2018), MPS 256, 64-bit addresses: rows D118 to D123, D126 to D131, D134 to D139 of the
// fidelity table.
TEST_CASE("ideal write throughput by size") {
  struct Row {
    unsigned generation, lanes;
    std::uint64_t octets;
    double gbps;
  };
  static constexpr Row kRows[] = {{3, 8, 64, 45.8},     {3, 8, 128, 53.1},   {3, 8, 256, 57.6},    {3, 8, 512, 57.6},
                                  {3, 8, 1024, 57.6},   {3, 8, 4096, 57.6},  {4, 16, 64, 183.3},   {4, 16, 128, 212.3},
                                  {4, 16, 256, 230.5},  {4, 16, 512, 230.5}, {4, 16, 1024, 230.5}, {4, 16, 4096, 230.5},
                                  {5, 16, 64, 366.6},   {5, 16, 128, 424.5}, {5, 16, 256, 460.9},  {5, 16, 512, 460.9},
                                  {5, 16, 1024, 460.9}, {5, 16, 4096, 460.9}};
  for (const Row& row : kRows) {
    INFO(row.generation << " x" << row.lanes << ", " << row.octets);
    CHECK(write_gbps(shape(row.generation, row.lanes), row.octets) == Approx(row.gbps).epsilon(0.01));
  }
  // Rows D124, D132, D140: 64-octet writes a second.
  CHECK(write_gbps(shape(3, 8), 64) * 1e9 / 512 == Approx(89.5e6).epsilon(0.01));
  CHECK(write_gbps(shape(4, 16), 64) * 1e9 / 512 == Approx(358.0e6).epsilon(0.01));
  CHECK(write_gbps(shape(5, 16), 64) * 1e9 / 512 == Approx(716.1e6).epsilon(0.01));
}

// Row D116: completions S / (S + 20 ceil(S / MPS)), requests 24 ceil(S / MRRS).
TEST_CASE("reads are bound by completions, or by requests when these are larger") {
  const LinkShape link = shape(4, 16);
  const auto rate = [&](std::uint64_t octets) {
    return ideal_rate(link, Bytes(octets), read_on_wire(link, kHigh, Bytes(octets))) / 1e9;
  };
  CHECK(rate(64) == Approx(252.0615 * 64 / 84).epsilon(1e-6));
  CHECK(rate(512) == Approx(252.0615 * 512 / 552).epsilon(1e-6));
  CHECK(rate(1024) == Approx(252.0615 * 1024 / 1104).epsilon(1e-6));
  const WireOctets wire = read_on_wire(link, kHigh, Bytes(2048));
  CHECK(wire.requests == Bytes(4 * 24));
  CHECK(wire.completions == Bytes(2048 + 8 * 20));
  CHECK(rate(1) == Approx(252.0615 * 1 / 24).epsilon(1e-6));  // completion 24, request 24
  LinkShape checked = link;
  checked.ecrc = true;
  CHECK(read_on_wire(checked, kHigh, Bytes(64)).completions == Bytes(88));
}

TEST_CASE("a link's parameters are checked") {
  const auto parse = [](const char* json) {
    return PcieLinkConfig::table().parse(nlohmann::ordered_json::parse(json), "blocks.link");
  };
  const PcieLinkConfig config = parse(R"({"generation": 3, "lanes": 8, "mps": "128B", "mrrs": "4KiB", "rcb": "128B"})");
  CHECK(config.shape().rate() == BitRate(63'015'384'615));
  CHECK(config.rcb == Bytes(128));
  CHECK_THROWS_WITH(parse(R"({"generation": 6})"),
                    Catch::Contains("FLIT mode") && Catch::Contains("blocks.link.generation"));
  CHECK_THROWS_AS(parse(R"({"generation": 7})"), ConfigError);
  CHECK_THROWS_AS(parse(R"({"lanes": 3})"), ConfigError);
  CHECK_THROWS_AS(parse(R"({"mps": "64B"})"), ConfigError);
  CHECK_THROWS_AS(parse(R"({"mrrs": "300B"})"), ConfigError);
  CHECK_THROWS_AS(parse(R"({"rcb": "256B"})"), ConfigError);
  CHECK_THROWS_AS(parse(R"({"tags": 0})"), ConfigError);
  CHECK_THROWS_AS(parse(R"({"dllp_overhead": 0.6})"), ConfigError);
}
