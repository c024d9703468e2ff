// Quantities as text: sim/quantity_text.h. Expected numbers are the SI and IEC 80000-13 prefixes, multiplied by hand.
#include <catch2/catch.hpp>
#include <cstdint>
#include <regex>
#include <string>

#include "sim/error.h"
#include "sim/quantity_text.h"

using namespace dpusim;
using namespace dpusim::literals;

namespace {

template <class Q>
Q parse(const std::string& text) {
  return parse_quantity<Q>(text, "here");
}

template <class Q>
std::string problem(const std::string& text) {
  try {
    (void)parse_quantity<Q>(text, "blocks.p0.x");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

using Catch::Contains;
using Catch::StartsWith;

}  // namespace

TEST_CASE("each unit of each dimension has its factor") {
  CHECK(parse<Time>("80ps") == Time(80));
  CHECK(parse<Time>("7ns") == Time(7'000));
  CHECK(parse<Time>("12.5us") == Time(12'500'000));
  CHECK(parse<Time>("1ms") == Time(1'000'000'000));
  CHECK(parse<Time>("2s") == Time(2'000'000'000'000));
  CHECK(parse<Bytes>("9600") == Bytes(9600));
  CHECK(parse<Bytes>("9600B") == Bytes(9600));
  CHECK(parse<Bytes>("3kB") == Bytes(3'000));
  CHECK(parse<Bytes>("64KiB") == Bytes(65'536));
  CHECK(parse<Bytes>("1MB") == Bytes(1'000'000));
  CHECK(parse<Bytes>("1MiB") == Bytes(1'048'576));
  CHECK(parse<Bytes>("1GB") == Bytes(1'000'000'000));
  CHECK(parse<Bytes>("16GiB") == Bytes(17'179'869'184));
  CHECK(parse<Bytes>("1TB") == Bytes(1'000'000'000'000));
  CHECK(parse<Bytes>("1TiB") == Bytes(1'099'511'627'776));
  CHECK(parse<BitRate>("9b/s") == BitRate(9));
  CHECK(parse<BitRate>("64kb/s") == BitRate(64'000));
  CHECK(parse<BitRate>("100Mb/s") == BitRate(100'000'000));
  CHECK(parse<BitRate>("25Gb/s") == BitRate(25'000'000'000));
  CHECK(parse<BitRate>("1.6Tb/s") == BitRate(1'600'000'000'000));
  CHECK(parse<BitRate>("25Gbps") == BitRate(25'000'000'000));
  CHECK(parse<Frequency>("50Hz") == Frequency(50));
  CHECK(parse<Frequency>("32.768kHz") == Frequency(32'768));
  CHECK(parse<Frequency>("62.5MHz") == Frequency(62'500'000));
  CHECK(parse<Frequency>("2.5GHz") == Frequency(2'500'000'000));
  CHECK(parse<DataRate>("3200MT/s") == DataRate(3'200'000'000));
  CHECK(parse<DataRate>("3.2GT/s") == DataRate(3'200'000'000));
  CHECK(parse<Cycles>("4") == Cycles(4));
  CHECK(parse<Cycles>("4cycles") == Cycles(4));
  CHECK(parse<Cycles>("1cycle") == Cycles(1));
  CHECK(parse<Address>("0x4000_0000") == Address(0x40000000));
  CHECK(parse<Address>("1GiB") == Address(0x40000000));
}

TEST_CASE("numbers may have underscores, a sign, a fraction and a space before the unit") {
  CHECK(parse<Bytes>("1_000_000B") == Bytes(1'000'000));
  CHECK(parse<Time>("-5ns") == Time(-5'000));
  CHECK(parse<Time>("+5ns") == Time(5'000));
  CHECK(parse<BitRate>("25 Gb/s") == BitRate(25'000'000'000));
  CHECK(parse<Bytes>("0.5KiB") == Bytes(512));
  CHECK(parse<Bytes>("1.50000000000000000000000000000000000000000000000000KiB") == Bytes(1536));
}

TEST_CASE("zero needs no unit") {
  CHECK(parse<Time>("0") == Time(0));
  CHECK(parse<BitRate>("0.0") == BitRate(0));
  CHECK(parse<Frequency>("0Hz") == Frequency(0));
}

TEST_CASE("a fraction is exact or an error, never rounded") {
  CHECK(parse<Time>("0.001ns") == Time(1));
  CHECK(parse<Time>("0.000000000001s") == Time(1));
  CHECK_THAT(problem<Time>("1.5ps"), Contains("found \"1.5ps\", which is no whole number of ps"));
  CHECK_THAT(problem<Time>("0.0001ns"), Contains("no whole number of ps"));
  CHECK_THAT(problem<Bytes>("0.5B"), Contains("no whole number of B"));
  // 0.3 KiB = 307.2 octets; 0.001953125 KiB = 2 octets exactly.
  CHECK_THAT(problem<Bytes>("0.3KiB"), Contains("no whole number of B"));
  CHECK(parse<Bytes>("0.001953125KiB") == Bytes(2));
  // 2^63 + 1 octets as a fraction of 1 GB: a double has 53 bits and would lose the last one.
  CHECK(parse<Bytes>("9223372036.854775809GB") == Bytes(9'223'372'036'854'775'809ULL));
}

TEST_CASE("the largest value is taken and the one after it is an error") {
  CHECK(parse<Bytes>("18446744073709551615") == Bytes(UINT64_MAX));
  CHECK(parse<Address>("0xffff_ffff_ffff_ffff") == Address(UINT64_MAX));
  CHECK(parse<Time>("9223372036854775807ps") == kTimeMax);
  CHECK(parse<Time>("-9223372036854775808ps") == Time(INT64_MIN));
  CHECK_THAT(problem<Bytes>("18446744073709551616"), Contains("which is too large"));
  CHECK_THAT(problem<Address>("0x1_0000_0000_0000_0000"), Contains("which is too large"));
  CHECK_THAT(problem<Time>("9223372036854775808ps"), Contains("which is too large"));
  CHECK_THAT(problem<Time>("9223373s"), Contains("which is too large"));  // 9223372.03 s is the most
  CHECK(parse<Time>("9223372s") == Time(9'223'372'000'000'000'000));
  // Beyond 128 bits as well: neither the digits nor the product may wrap round.
  CHECK_THAT(problem<Bytes>("999999999999999999999999999999999999999999999TiB"), Contains("which is too large"));
  CHECK_THAT(problem<Bytes>("340282366920938463463374607431768211456"), Contains("which is too large"));
  CHECK_THAT(problem<Bytes>("85070591730234615865843651857942052864TiB"), Contains("which is too large"));
}

TEST_CASE("what is no quantity is refused with the place, the text and the units") {
  CHECK_THAT(problem<BitRate>("25GB/s"),
             StartsWith("blocks.p0.x: found \"25GB/s\", with unknown unit \"GB/s\" (units: b/s, kb/s, "
                        "Mb/s, Gb/s, Tb/s), expected a bit rate in b/s, kb/s, Mb/s, Gb/s, Tb/s"));
  CHECK_THAT(problem<BitRate>("25"), Contains("which has no unit (b/s, kb/s, Mb/s, Gb/s, Tb/s)"));
  CHECK_THAT(problem<Bytes>("64KB"), Contains("unknown unit \"KB\""));
  CHECK_THAT(problem<Frequency>("0x10"), Contains("which has no unit"));
  CHECK_THAT(problem<Address>("0x10KiB"), Contains("a unit after a hexadecimal number"));
  CHECK_THAT(problem<Bytes>("-1"), Contains("which is negative"));
  for (const char* text : {"", "B", " 1B", ".5KiB", "1.B", "_1B", "0x", "--1", "NaN"}) {
    INFO(text);
    CHECK_THAT(problem<Bytes>(text), Contains("which does not start with a number"));
  }
  for (const char* text : {"1_B", "1__0B", "1e3B", "1,5KiB", "1B ", "1\tB"}) {
    INFO(text);
    CHECK_THAT(problem<Bytes>(text), Contains("unknown unit"));
  }
  CHECK_THAT(problem<Bytes>("1 "), Contains("ends in white space"));
}

TEST_CASE("whole numbers are read in decimal and hexadecimal") {
  CHECK(read_integer("1_000").value == 1000);
  CHECK(read_integer("0xFf").value == 255);
  CHECK(read_integer("-0x10").value == -16);
  CHECK(read_integer("007").value == 7);
  CHECK(read_integer("18446744073709551615").value == static_cast<Wide>(UINT64_MAX));
  for (const char* text : {"", "1.5", "1k", "0x", "x", "1 ", " 1", "1_", "-"}) {
    INFO(text);
    CHECK(read_integer(text).problem == "which is no whole number");
  }
}

TEST_CASE("printing takes the largest unit that is exact") {
  CHECK(to_text(Bytes(0)) == "0B");
  CHECK(to_text(Bytes(1023)) == "1023B");
  CHECK(to_text(Bytes(1024)) == "1KiB");
  CHECK(to_text(Bytes(1025)) == "1025B");
  CHECK(to_text(Bytes(9600)) == "9600B");
  CHECK(to_text(Bytes(1'000'000)) == "1MB");
  CHECK(to_text(16_GiB) == "16GiB");
  CHECK(to_text(Bytes(UINT64_MAX)) == "18446744073709551615B");
  CHECK(to_text(Time(80)) == "80ps");
  CHECK(to_text(Time(12'500'000)) == "12.5us");
  CHECK(to_text(Time(-1'001)) == "-1.001ns");
  CHECK(to_text(Time(1'000'001)) == "1000.001ns");  // 1.000001us would need six digits
  CHECK(to_text(Time(INT64_MIN)) == "-9223372036854775.808ns");
  CHECK(to_text(BitRate(25'000'000'000)) == "25Gb/s");
  CHECK(to_text(Frequency(62'500'000)) == "62.5MHz");
  CHECK(to_text(DataRate(3'200'000'000)) == "3200MT/s");
  CHECK(to_text(Address(0)) == "0x0000");
  CHECK(to_text(Address(0x12345)) == "0x0001_2345");
  CHECK(to_text(Address(0x40'0000'0000)) == "0x0040_0000_0000");
  CHECK(to_text(Cycles(3)) == "3cycles");
}

namespace {

// Values at and beside the places where units, digits and type limits change.
template <class Q>
void check_round_trip() {
  const Dimension& dim = dimension<Q>();
  const std::regex pattern(quantity_pattern(dim));
  std::vector<Wide> values{dim.min, dim.min + 1, dim.max, dim.max - 1, 0, 1};
  for (const Unit& unit : dim.units) {
    for (const Wide n : {1, 2, 3, 5, 9, 10, 999, 1000, 1001, 1023, 1024, 1025, 12345}) {
      for (const Wide off : {-1, 0, 1}) values.push_back(n * static_cast<Wide>(unit.factor) + off);
      values.push_back(n * static_cast<Wide>(unit.factor) / 1000);
      values.push_back(-n * static_cast<Wide>(unit.factor) / 8);
    }
  }
  for (const Wide value : values) {
    if (value < dim.min || value > dim.max) continue;
    const std::string text = quantity_text(dim, value);
    INFO(text);
    const TextValue back = read_quantity(dim, text);
    REQUIRE(back.problem.empty());
    REQUIRE(back.value == value);
    REQUIRE(std::regex_match(text, pattern));
  }
}

}  // namespace

TEST_CASE("what is printed reads back as the same value and fits the pattern") {
  check_round_trip<Time>();
  check_round_trip<Bytes>();
  check_round_trip<BitRate>();
  check_round_trip<Frequency>();
  check_round_trip<DataRate>();
  check_round_trip<Cycles>();
  check_round_trip<Address>();
}

TEST_CASE("the texts of the documentation print as they are written") {
  CHECK(to_text(parse<BitRate>("25Gb/s")) == "25Gb/s");
  CHECK(to_text(parse<BitRate>("100Mb/s")) == "100Mb/s");
  CHECK(to_text(parse<Bytes>("64KiB")) == "64KiB");
  CHECK(to_text(parse<Bytes>("1MB")) == "1MB");
  CHECK(to_text(parse<DataRate>("3200MT/s")) == "3200MT/s");
  CHECK(to_text(parse<Frequency>("2.5GHz")) == "2.5GHz");
  CHECK(to_text(parse<Frequency>("62.5MHz")) == "62.5MHz");
  CHECK(to_text(parse<Address>("0x4000_0000")) == "0x4000_0000");
  CHECK(to_text(parse<Time>("12.5us")) == "12.5us");
  CHECK(to_text(parse<Time>("1ms")) == "1ms");
  CHECK(to_text(parse<Time>("80ps")) == "80ps");
}

TEST_CASE("the pattern refuses what reading refuses") {
  const std::regex rate(quantity_pattern(dimension<BitRate>()));
  const std::regex size(quantity_pattern(dimension<Bytes>()));
  for (const char* text : {"25GB/s", "25", "Gb/s", "25Gb/sx", "_", ""}) {
    INFO(text);
    CHECK_FALSE(std::regex_match(text, rate));
    CHECK_FALSE(read_quantity(dimension<BitRate>(), text).problem.empty());
  }
  CHECK_FALSE(std::regex_match("-1Gb/s", rate));
  for (const char* text : {"1_B", "0x", "0x1KiB", "1..5KiB", "1KB"}) {
    INFO(text);
    CHECK_FALSE(std::regex_match(text, size));
    CHECK_FALSE(read_quantity(dimension<Bytes>(), text).problem.empty());
  }
}
