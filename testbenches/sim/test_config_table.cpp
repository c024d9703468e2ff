// ConfigTable: parsing, defaults, dumping, annotations and the tables' own mistakes.
#include <catch2/catch.hpp>
#include <limits>
#include <string>

#include "test_config_structs.h"

using namespace config_test;
using Json = nlohmann::ordered_json;

TEST_CASE("an empty object gives the defaults") {
  const Port port = parse("{}");
  CHECK(port.rate == 100_Gbps);
  CHECK(port.mtu == 9216_B);
  CHECK(port.mode == Mode::kClosed);
  CHECK(port.map == std::vector<unsigned>{1, 2});
  CHECK(port.timing.trcd == Cycles(22));
  CHECK(port.enabled);
}

TEST_CASE("every member type is read") {
  const Port port = parse(R"({
    "rate": "25Gb/s", "mtu": 1500, "lanes": 8, "seed": 18446744073709551615, "offset": "-0x5", "ways": 128, "line": "4KiB",
    "mode": "open", "timing": {"tRCD": 17}, "banks": [{"factor": 1}, {"tRCD": "9cycles"}], "map": [7, "0x3"], "name": "p",
    "enabled": false, "delay": "1s", "base": "0x0C10_0000", "clock": "62.5MHz", "data_rate": "5600MT/s", "load": 3,
    "modes": ["open", "open"], "speed": "10000Mb/s"})");
  CHECK(port.rate == BitRate(25'000'000'000));
  CHECK(port.mtu == Bytes(1500));
  CHECK(port.lanes == 8);
  CHECK(port.seed == UINT64_MAX);
  CHECK(port.offset == -5);
  CHECK(port.ways == 128);
  CHECK(port.line == Bytes(4096));
  CHECK(port.mode == Mode::kOpen);
  CHECK(port.timing.trcd == Cycles(17));
  CHECK(port.timing.factor == 0.5);
  REQUIRE(port.banks.size() == 2);
  CHECK(port.banks[0].trcd == Cycles(22));
  CHECK(port.banks[0].factor == 1.0);
  CHECK(port.banks[1].trcd == Cycles(9));
  CHECK(port.map == std::vector<unsigned>{7, 3});
  CHECK(port.name == "p");
  CHECK_FALSE(port.enabled);
  CHECK(port.delay == Time(1'000'000'000'000));
  CHECK(port.base == Address(0x0C100000));
  CHECK(port.clock == Frequency(62'500'000));
  CHECK(port.data_rate == DataRate(5'600'000'000));
  CHECK(port.load == 3.0);
  CHECK(port.modes == std::vector<Mode>{Mode::kOpen, Mode::kOpen});
  CHECK(port.speed == BitRate(10'000'000'000));
}

TEST_CASE("a whole number may be written as a real or with an exponent") {
  CHECK(parse(R"({"mtu": 1.5e3})").mtu == Bytes(1500));
  CHECK(parse(R"({"seed": 1e3})").seed == 1000);
}

TEST_CASE("limits of a range are inside and their neighbours outside") {
  CHECK(parse(R"({"mtu": 64})").mtu == 64_B);
  CHECK_THROWS_AS(parse(R"({"mtu": 63})"), ConfigError);
  CHECK(parse(R"({"mtu": 9978})").mtu == 9978_B);
  CHECK_THROWS_AS(parse(R"({"mtu": 9979})"), ConfigError);
  CHECK(parse(R"({"offset": -5})").offset == -5);
  CHECK_THROWS_AS(parse(R"({"offset": -6})"), ConfigError);
  CHECK(parse(R"({"offset": 9223372036854775807})").offset == INT64_MAX);
  CHECK_THROWS_AS(parse(R"({"offset": 9223372036854775808})"), ConfigError);
  CHECK(parse(R"({"timing": {"factor": 1.5}})").timing.factor == 1.5);
  CHECK_THROWS_AS(parse(R"({"timing": {"factor": 1.5000001}})"), ConfigError);
  CHECK(parse(R"({"map": [0]})").map.size() == 1);
  CHECK(parse(R"({"map": [0, 1, 2, 3]})").map.size() == 4);
  CHECK_THROWS_AS(parse(R"({"map": []})"), ConfigError);
  CHECK_THROWS_AS(parse(R"({"map": [0, 1, 2, 3, 4]})"), ConfigError);
}

TEST_CASE("the cross-field check runs after the fields, with the path") {
  CHECK_NOTHROW(parse(R"({"rate": "2Gb/s"})"));
  CHECK_NOTHROW(parse(R"({"rate": "1999Mb/s", "mtu": 1500})"));
  CHECK(message(R"({"rate": "1999Mb/s", "mtu": 1501})") ==
        "blocks.p0: found an mtu of 1501B, expected at most 1500B below 2Gb/s");
}

TEST_CASE("a list replaces the default list, and a nested object changes only what it sets") {
  CHECK(parse(R"({"map": [5]})").map == std::vector<unsigned>{5});
  CHECK(parse(R"({"timing": {"factor": 0}})").timing.trcd == Cycles(22));
}

TEST_CASE("dump has every field in the table's order, quantities with unit") {
  const Json expected = Json::parse(R"({
    "rate": "100Gb/s", "mtu": "9KiB", "lanes": 4, "seed": 18446744073709551615, "offset": -3, "ways": 8, "line": "64B",
    "mode": "closed", "timing": {"tRCD": "22cycles", "factor": 0.5}, "banks": [], "map": [1, 2], "name": "eth",
    "enabled": true, "delay": "12.5us", "base": "0x4000_0000", "clock": "2.5GHz", "data_rate": "3200MT/s", "load": 0.25,
    "modes": [], "speed": "25Gb/s"})");
  CHECK(Port::table().dump(Port{}).dump() == expected.dump());
}

TEST_CASE("what is dumped parses to the same configuration") {
  for (
      const char* text :
      {"{}",
       R"({"rate": "1.000000001Gb/s", "mtu": 65, "banks": [{"tRCD": 1}, {"factor": 0.1}], "modes": ["open"], "load": 1e-300})",
       R"({"seed": 0, "offset": 9223372036854775807, "delay": "1ps", "base": "0xffff_ffff_ffff_ffff", "name": "\u00e9\n\""})"}) {
    const Json once = Port::table().dump(parse(text));
    CHECK(Port::table().dump(parse(once.dump())).dump() == once.dump());
  }
}

TEST_CASE("annotated scalars, elements and lists are read") {
  const Port port = parse(R"({
    "rate": {"value": "25Gb/s", "source": "data sheet 3.1", "confidence": "document"},
    "mode": {"value": "open", "confidence": "measured"}, "enabled": {"value": false, "confidence": "derived"},
    "map": {"value": [3, {"value": 4, "confidence": "assumed"}], "source": "me"},
    "timing": {"tRCD": {"value": 5}}})");
  CHECK(port.rate == 25_Gbps);
  CHECK(port.mode == Mode::kOpen);
  CHECK_FALSE(port.enabled);
  CHECK(port.map == std::vector<unsigned>{3, 4});
  CHECK(port.timing.trcd == Cycles(5));
}

TEST_CASE("effective has every field, and annotations where they were given") {
  const Json given = Json::parse(R"({
    "rate": {"value": "25000Mb/s", "source": "data sheet 3.1", "confidence": "document"},
    "map": {"value": [3, {"value": "0x4", "confidence": "assumed"}], "source": "me"},
    "banks": [{"tRCD": {"value": 5, "source": "x"}}], "mtu": 1500})");
  const ConfigTableBase& table = Port::table();
  const Json effective = table.effective(given, "blocks.p0");
  Json expected = Port::table().dump(Port{});
  expected["rate"] = Json::parse(R"({"value": "25Gb/s", "source": "data sheet 3.1", "confidence": "document"})");
  expected["map"] = Json::parse(R"({"value": [3, {"value": 4, "confidence": "assumed"}], "source": "me"})");
  expected["banks"] = Json::parse(R"([{"tRCD": {"value": "5cycles", "source": "x"}, "factor": 0.5}])");
  expected["mtu"] = "1500B";
  CHECK(effective.dump() == expected.dump());
  // Reproduces itself: an effective configuration is a configuration.
  CHECK(table.effective(effective, "").dump() == effective.dump());
  CHECK_THROWS_WITH(table.effective(Json::parse(R"({"mtu": 1})"), "x"),
                    Catch::StartsWith("x.mtu: found 1, which is too small"));
}

TEST_CASE("the table tells its title and keys") {
  CHECK(Port::table().text() == "Ethernet port");
  CHECK(Timing::table().keys() == std::vector<std::string>{"tRCD", "factor"});
}

namespace {

struct Bad {
  unsigned n = 0;
  std::uint8_t small = 1;
  Mode mode = Mode::kOpen;
  std::vector<unsigned> list;
};
enum class Other { kX };

}  // namespace

TEST_CASE("a table's own mistakes are defects, found when the table is made") {
  using Table = ConfigTable<Bad>;
  CHECK_NOTHROW(Table("t", {field("n", &Bad::n, between(0, 3), "")}));
  CHECK_THROWS_AS(Table("t", {field("n", &Bad::n, between(1, 3), "")}), Defect);            // default 0 outside
  CHECK_THROWS_AS(Table("t", {field("n", &Bad::n, power_of_two(0, 8), "")}), Defect);       // 0 is no power of two
  CHECK_THROWS_AS(Table("t", {field("small", &Bad::small, between(1, 256), "")}), Defect);  // uint8_t ends at 255
  CHECK_NOTHROW(Table("t", {field("small", &Bad::small, between(1, 255), "")}));
  CHECK_THROWS_AS(Table("t", {field("small", &Bad::small, between(3, 2), "")}), Defect);
  CHECK_THROWS_AS(Table("t", {field("mode", &Bad::mode, one_of({{"closed", Mode::kClosed}}), "")}), Defect);
  CHECK_THROWS_AS(Table("t", {field("mode", &Bad::mode, one_of({{"x", Other::kX}}), "")}), Defect);
  CHECK_THROWS_AS(Table("t", {field("list", &Bad::list, items(1, 2), "")}), Defect);
  CHECK_THROWS_AS(Table("t", {field("n", &Bad::n, ""), field("n", &Bad::small, "")}), Defect);
  CHECK_THROWS_AS(Table("t", {field("a.b", &Bad::n, "")}), Defect);
  CHECK_THROWS_AS(Table("t", {field("", &Bad::n, "")}), Defect);
}
