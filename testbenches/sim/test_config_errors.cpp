// The message of every error of a configuration table: JSON path, found, expected.
#include <catch2/catch.hpp>
#include <limits>
#include <string>

#include "sim/nearest.h"
#include "test_config_structs.h"

using namespace config_test;
using Json = nlohmann::ordered_json;

TEST_CASE("an unknown key names the nearest, or all when none is near") {
  CHECK(message(R"({"raet": 1})") == "blocks.p0.raet: found unknown key \"raet\", expected \"rate\"");
  CHECK(message(R"({"MTU": 1})") == "blocks.p0.MTU: found unknown key \"MTU\", expected \"mtu\"");
  CHECK(message(R"({"timing": {"trcd": 1}})") ==
        "blocks.p0.timing.trcd: found unknown key \"trcd\", expected \"tRCD\"");
  CHECK(message(R"({"timing": {"colour": 1}})") ==
        "blocks.p0.timing.colour: found unknown key \"colour\", expected one of \"tRCD\", \"factor\"");
  CHECK(message(R"({"banks": [{}, {"fctor": 1}]})") ==
        "blocks.p0.banks[1].fctor: found unknown key \"fctor\", expected \"factor\"");
}

TEST_CASE("a wrong type is named with what fits") {
  CHECK(message(R"({"rate": true})") ==
        "blocks.p0.rate: found true, expected a bit rate from 1Gb/s to 800Gb/s, such as \"100Gb/s\"");
  CHECK(message(R"({"rate": null})") ==
        "blocks.p0.rate: found null, expected a bit rate from 1Gb/s to 800Gb/s, such as \"100Gb/s\"");
  CHECK(message(R"({"rate": []})") ==
        "blocks.p0.rate: found a list of 0 elements, expected a bit rate from 1Gb/s to 800Gb/s, "
        "such as \"100Gb/s\"");
  CHECK(message(R"({"offset": false})") ==
        "blocks.p0.offset: found false, expected an integer of at least -5, such as -3");
  CHECK(message(R"({"enabled": 1})") == "blocks.p0.enabled: found 1, expected true or false");
  CHECK(message(R"({"enabled": "true"})") == "blocks.p0.enabled: found \"true\", expected true or false");
  CHECK(message(R"({"name": 5})") == "blocks.p0.name: found 5, expected a string, such as \"eth\"");
  CHECK(message(R"({"load": "0.5"})") ==
        "blocks.p0.load: found \"0.5\", expected a number of at least 0.0, such as 0.25");
  CHECK(message(R"({"mode": 3})") == "blocks.p0.mode: found 3, expected one of \"open\", \"closed\"");
  CHECK(message(R"({"timing": 3})") == "blocks.p0.timing: found 3, expected an object");
  CHECK(message(R"({"timing": null})") == "blocks.p0.timing: found null, expected an object");
  CHECK(message(R"({"banks": {}})") ==
        "blocks.p0.banks: found an object without \"value\", expected a plain value, or {\"value\": ..., \"source\": "
        "\"...\", "
        "\"confidence\": \"document\"}");
  CHECK(message(R"([])") == "blocks.p0: found a list of 0 elements, expected an object");
}

TEST_CASE("a wrong or missing unit is named with the valid ones") {
  CHECK(message(R"({"rate": "25GB/s"})") ==
        "blocks.p0.rate: found \"25GB/s\", with unknown unit \"GB/s\" (units: b/s, kb/s, Mb/s, Gb/s, Tb/s), expected a "
        "bit rate "
        "from 1Gb/s to 800Gb/s, such as \"100Gb/s\"");
  CHECK(message(R"({"rate": 25})") ==
        "blocks.p0.rate: found 25, which has no unit, expected a bit rate from 1Gb/s to 800Gb/s, such "
        "as \"100Gb/s\"");
  CHECK(message(R"({"clock": "2.5"})") ==
        "blocks.p0.clock: found \"2.5\", which has no unit (Hz, kHz, MHz, GHz), expected a frequency of at least 1MHz, "
        "such as "
        "\"2.5GHz\"");
  CHECK(message(R"({"delay": "1.5ps"})") ==
        "blocks.p0.delay: found \"1.5ps\", which is no whole number of ps, expected a time from 0ps to 1s, such as "
        "\"12.5us\"");
}

TEST_CASE("out of range says which way, and the range") {
  CHECK(message(R"({"rate": "999Mb/s"})") ==
        "blocks.p0.rate: found \"999Mb/s\", which is too small, expected a bit rate from 1Gb/s to 800Gb/s, such as "
        "\"100Gb/s\"");
  CHECK(message(R"({"rate": "801Gb/s"})") ==
        "blocks.p0.rate: found \"801Gb/s\", which is too large, expected a bit rate from 1Gb/s to 800Gb/s, such as "
        "\"100Gb/s\"");
  CHECK(message(R"({"mtu": -1})") ==
        "blocks.p0.mtu: found -1, which is negative, expected a size from 64B to 9978B, such as \"9KiB\"");
  CHECK(message(R"({"mtu": 64.5})") ==
        "blocks.p0.mtu: found 64.5, which is no whole number, expected a size from 64B to 9978B, such as \"9KiB\"");
  CHECK(message(R"({"seed": -1})") ==
        "blocks.p0.seed: found -1, which is negative, expected an integer from 0 to "
        "18446744073709551615, such as 18446744073709551615");
  CHECK(message(R"({"seed": "18446744073709551616"})") ==
        "blocks.p0.seed: found \"18446744073709551616\", which is too large, expected an integer from 0 to "
        "18446744073709551615, such "
        "as 18446744073709551615");
  // Beyond 64 bits a JSON number is a double.
  CHECK_THAT(message(R"({"seed": 18446744073709551616})"), Catch::Contains("which is too large"));
  CHECK(message(R"({"timing": {"factor": 2}})") ==
        "blocks.p0.timing.factor: found 2, which is too large, expected a number from 0.0 to 1.5, such as 0.5");
  CHECK(message(R"({"load": -0.5})") ==
        "blocks.p0.load: found -0.5, which is too small, expected a number of at least 0.0, such as 0.25");
  CHECK(message(R"({"map": [1, 8]})") ==
        "blocks.p0.map[1]: found 8, which is too large, expected an integer from 0 to 7, such as 2");
}

TEST_CASE("powers of two, lists of values and names say so") {
  CHECK(message(R"({"ways": 12})") ==
        "blocks.p0.ways: found 12, which is no power of two, expected a power of two from 1 to 128, such as 8");
  CHECK(message(R"({"ways": 0})") ==
        "blocks.p0.ways: found 0, which is too small, expected a power of two from 1 to 128, such as 8");
  CHECK(message(R"({"line": "96B"})") ==
        "blocks.p0.line: found \"96B\", which is no power of two, expected a size that is a power of two from 32B to "
        "4KiB, such as "
        "\"64B\"");
  CHECK(message(R"({"lanes": 3})") == "blocks.p0.lanes: found 3, expected one of 1, 2, 4, 8");
  CHECK(message(R"({"speed": "40Gb/s"})") ==
        "blocks.p0.speed: found \"40Gb/s\", expected one of \"10Gb/s\", \"25Gb/s\"");
  CHECK(message(R"({"mode": "opne"})") ==
        "blocks.p0.mode: found \"opne\", expected \"open\" (one of \"open\", \"closed\")");
  CHECK(message(R"({"mode": "close"})") ==
        "blocks.p0.mode: found \"close\", expected \"closed\" (one of \"open\", \"closed\")");
  CHECK(message(R"({"mode": "adaptive"})") ==
        "blocks.p0.mode: found \"adaptive\", expected one of \"open\", \"closed\"");
}

TEST_CASE("NaN and infinity from a caller's JSON are refused") {
  const auto refuse = [](double value) {
    try {
      (void)Port::table().parse(Json{{"load", value}}, "");
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK(refuse(std::numeric_limits<double>::quiet_NaN()) ==
        "load: found NaN, which is not finite, expected a number of at least 0.0, such as 0.25");
  CHECK(refuse(-std::numeric_limits<double>::infinity()) ==
        "load: found -infinity, which is not finite, expected a number of at least 0.0, such as 0.25");
  const Json nan{{"mtu", std::numeric_limits<double>::quiet_NaN()}};
  CHECK_THROWS_WITH(Port::table().parse(nan, ""), Catch::StartsWith("mtu: found NaN, which is no whole number"));
}

TEST_CASE("list lengths are named") {
  CHECK(message(R"({"map": []})") == "blocks.p0.map: found a list of 0 elements, expected a list of 1 to 4 elements");
  CHECK(message(R"({"map": 3})") == "blocks.p0.map: found 3, expected a list of 1 to 4 elements");
  CHECK(message(R"({"modes": "open"})") == "blocks.p0.modes: found \"open\", expected a list");
  CHECK(message(R"({"modes": ["closed"]})") == "blocks.p0.modes[0]: found \"closed\", expected one of \"open\"");
}

TEST_CASE("annotations are checked") {
  CHECK(message(R"({"mtu": {"value": 1}})") ==
        "blocks.p0.mtu.value: found 1, which is too small, expected a size from 64B to 9978B, such as \"9KiB\"");
  CHECK(message(R"({"mtu": {"value": 64, "sorce": "x"}})") ==
        "blocks.p0.mtu.sorce: found unknown key \"sorce\", expected \"source\"");
  CHECK(message(R"({"mtu": {"source": "x"}})") ==
        "blocks.p0.mtu: found an object without \"value\", expected a plain value, or {\"value\": ..., \"source\": "
        "\"...\", "
        "\"confidence\": \"document\"}");
  CHECK(message(R"({"mtu": {"value": 64, "source": 3}})") == "blocks.p0.mtu.source: found 3, expected a string");
  CHECK(
      message(R"({"mtu": {"value": 64, "confidence": "sure"}})") ==
      "blocks.p0.mtu.confidence: found \"sure\", expected one of \"document\", \"measured\", \"derived\", \"assumed\"");
  CHECK(message(R"({"mtu": {"value": {"value": 64}}})") ==
        "blocks.p0.mtu.value: found an object, expected a size from 64B to 9978B, such as \"9KiB\"");
}

TEST_CASE("an empty path is the configuration itself") {
  CHECK_THROWS_WITH(Timing::table().parse(Json::array(), ""),
                    "configuration: found a list of 0 elements, expected an object");
  CHECK_THROWS_WITH(Timing::table().parse(Json{{"x", 1}}, ""),
                    "x: found unknown key \"x\", expected one of \"tRCD\", \"factor\"");
}

TEST_CASE("a long text is cut in the message, at a character's end") {
  const std::string text(1000, 'x');
  CHECK_THROWS_WITH(Port::table().parse(Json{{"mode", text}}, ""),
                    "mode: found \"" + std::string(79, 'x') + "...\", expected one of \"open\", \"closed\"");
  // One letter, then e-acutes of two octets each: octet 80 with the quote is the second one of a character.
  std::string accents = "x";
  for (int i = 0; i < 100; ++i) accents += "\u00e9";
  std::string shown = "x";
  for (int i = 0; i < 39; ++i) shown += "\u00e9";
  CHECK_THROWS_WITH(Port::table().parse(Json{{"mode", accents}}, ""),
                    "mode: found \"" + shown + "...\", expected one of \"open\", \"closed\"");
  CHECK_THROWS_WITH(
      Port::table().parse(Json{{"mode", "x" + accents}}, ""),
      "mode: found \"x" + shown.substr(0, shown.size() - 2) + "...\", expected one of \"open\", \"closed\"");
}

TEST_CASE("edit distance counts insertions, deletions and replacements") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);  // Levenshtein's textbook pair
  CHECK(edit_distance("saturday", "sunday") == 3);
  CHECK(edit_distance("abc", "abc") == 0);
  CHECK(edit_distance("ab", "ba") == 1);
  CHECK(edit_distance("ca", "abc") == 3);  // tells this distance from the unrestricted one, which is 2
}

TEST_CASE("nearest is near: at most a third of the letters differ") {
  const std::vector<std::string> keys{"rate", "lanes", "x"};
  CHECK(nearest("lane", keys) == "lanes");
  CHECK(nearest("rte", keys) == "rate");
  CHECK_FALSE(nearest("speed", keys));
  CHECK_FALSE(nearest("y", keys));  // one letter for another is no likeness
  CHECK_FALSE(nearest("", keys));
  CHECK(nearest("X", keys) == "x");
  CHECK_FALSE(nearest("abcdef", {"abcxyz"}));        // 3 of 6
  CHECK(nearest("abcdef", {"abcdxy"}) == "abcdxy");  // 2 of 6
  CHECK(nearest("raet", {"rate"}) == "rate");        // neighbours swapped
  CHECK(nearest_or_list("q", {}) == "nothing");
  CHECK(nearest_or_list("q", {"rate"}) == "\"rate\"");
}
