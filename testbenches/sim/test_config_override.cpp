// Overrides, as of --set: sim/config_json.h.
#include <catch2/catch.hpp>
#include <string>

#include "sim/config_json.h"
#include "sim/error.h"

using namespace dpusim;
using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kForm = "expected path=value, such as blocks.p0.rate=25Gb/s or blocks.ddr.ranks[0].size=8GiB";

Json after(const std::string& json, const std::string& text) {
  Json result = Json::parse(json);
  apply_override(result, parse_override(text));
  return result;
}

std::string problem(const std::string& json, const std::string& text) {
  try {
    (void)after(json, text);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a value is JSON when it parses as such, else a string") {
  CHECK(parse_override("a=5").value == 5);
  CHECK(parse_override("a=-2.5").value == -2.5);
  CHECK(parse_override("a=true").value == true);
  CHECK(parse_override("a=[1, \"x\"]").value == Json::parse(R"([1, "x"])"));
  CHECK(parse_override("a={\"b\": 1}").value == Json::parse(R"({"b": 1})"));
  CHECK(parse_override("a=\"5\"").value == "5");
  CHECK(parse_override("a=25Gb/s").value == "25Gb/s");
  CHECK(parse_override("a=0x4000_0000").value == "0x4000_0000");
  CHECK(parse_override("a=007").value == "007");
  CHECK(parse_override("a=").value == "");
  CHECK(parse_override("a=b=c").value == "b=c");
  CHECK(parse_override("a=True").value == "True");
  CHECK(parse_override("a=1 // x").value == "1 // x");
  CHECK_THROWS_WITH(parse_override("a={\"b\": 1, \"b\": 2}"), Catch::Contains("key \"b\" a second time"));
}

TEST_CASE("a path has keys, indices and quoted keys") {
  using Steps = std::vector<PathStep>;
  CHECK(parse_override("a=1").steps == Steps{"a"});
  CHECK(parse_override("a.b[2].c=1").steps == Steps{"a", "b", std::size_t{2}, "c"});
  CHECK(parse_override("a[0][10]=1").steps == Steps{"a", std::size_t{0}, std::size_t{10}});
  CHECK(parse_override("a.\"tx[0].x=y\".b=1").steps == Steps{"a", "tx[0].x=y", "b"});
  CHECK(parse_override("a.b=1").text == "a.b=1");
}

TEST_CASE("a bad path says what is wrong, with an example") {
  CHECK_THROWS_WITH(parse_override("a.b"), std::string("--set a.b: found no '=', ") + kForm);
  CHECK_THROWS_WITH(parse_override(""), std::string("--set : found an empty key, ") + kForm);
  CHECK_THROWS_WITH(parse_override("=5"), std::string("--set =5: found an empty key, ") + kForm);
  CHECK_THROWS_WITH(parse_override("a..b=1"), std::string("--set a..b=1: found an empty key, ") + kForm);
  CHECK_THROWS_WITH(parse_override("a.=1"), std::string("--set a.=1: found an empty key, ") + kForm);
  CHECK_THROWS_WITH(parse_override("a[x]=1"), std::string("--set a[x]=1: found a bad index, ") + kForm);
  CHECK_THROWS_WITH(parse_override("a[-1]=1"), std::string("--set a[-1]=1: found a bad index, ") + kForm);
  CHECK_THROWS_WITH(parse_override("a[]=1"), std::string("--set a[]=1: found a bad index, ") + kForm);
  CHECK_THROWS_WITH(parse_override("a[1=1"), std::string("--set a[1=1: found a bad index, ") + kForm);
  CHECK_THROWS_WITH(parse_override("a[9999999999]=1"), Catch::Contains("found a bad index"));
  CHECK_THROWS_WITH(parse_override("a[1]b=1"), std::string("--set a[1]b=1: found 'b' after a key, ") + kForm);
  CHECK_THROWS_WITH(parse_override("\"a=1"), std::string("--set \"a=1: found a quote without its pair, ") + kForm);
}

TEST_CASE("an override sets what is there and what is not yet there") {
  CHECK(after(R"({"a": {"b": 1, "c": 2}})", "a.b=5").dump() == R"({"a":{"b":5,"c":2}})");
  CHECK(after(R"({"a": {"b": 1}})", "a.z=5").dump() == R"({"a":{"b":1,"z":5}})");
  CHECK(after(R"({"a": {}})", "a.timing.tRCD=5").dump() == R"({"a":{"timing":{"tRCD":5}}})");
  CHECK(after(R"({"a": [{"b": 1}, {"b": 2}]})", "a[1].b=9").dump() == R"({"a":[{"b":1},{"b":9}]})");
  CHECK(after(R"({"a": [[1, 2], [3, 4]]})", "a[1][0]=9").dump() == R"({"a":[[1,2],[9,4]]})");
  CHECK(after(R"({"a": [1, 2]})", "a=[3]").dump() == R"({"a":[3]})");
}

TEST_CASE("an annotated scalar keeps its form and names its new source") {
  CHECK(after(R"({"a": {"value": 1, "source": "s", "confidence": "document"}})", "a=2").dump() ==
        R"({"a":{"value":2,"source":"--set"}})");
  CHECK(after(R"({"a": {"value": 1, "source": "s", "confidence": "document"}})", "a.value=2").dump() ==
        R"({"a":{"value":2,"source":"--set"}})");
  CHECK(after(R"({"a": {"value": 1, "source": "s"}})", R"(a={"value": 3, "source": "t"})").dump() ==
        R"({"a":{"value":3,"source":"t"}})");
  CHECK(after(R"({"a": {"value": [1, 2], "source": "s"}})", "a[1]=5").dump() ==
        R"({"a":{"value":[1,5],"source":"s"}})");
  CHECK(after(R"({"a": [{"value": 1, "source": "s"}]})", "a[0]=5").dump() == R"({"a":[{"value":5,"source":"--set"}]})");
}

TEST_CASE("a key written with its index is found") {
  CHECK(after(R"({"connect": {"tx[0]": "x"}})", "connect.tx[0]=y").dump() == R"({"connect":{"tx[0]":"y"}})");
  CHECK(after(R"({"connect": {}})", "connect.\"tx[1]\"=y").dump() == R"({"connect":{"tx[1]":"y"}})");
  CHECK(after(R"({"m": {"a[0][1]": {"b": 1}}})", "m.a[0][1].b=2").dump() == R"({"m":{"a[0][1]":{"b":2}}})");
}

TEST_CASE("null deletes a key that is there") {
  CHECK(after(R"({"a": {"b": 1, "c": 2}})", "a.b=null").dump() == R"({"a":{"c":2}})");
  CHECK(problem(R"({"a": {"rate": 1}})", "a.raet=null") ==
        "--set a.raet=null: a.raet: found null, which deletes a key, expected a key that exists: \"rate\"");
  CHECK(problem(R"({"a": [1]})", "a[0]=null") ==
        "--set a[0]=null: a[0]: found null, which deletes a key, expected a value for a list's element");
}

TEST_CASE("an index beyond the list says its length, and a step into no container what stands there") {
  CHECK(problem(R"({"a": {"b": [1, 2]}})", "a.b[1]=5") == "accepted");
  CHECK(problem(R"({"a": {"b": [1, 2]}})", "a.b[2]=5") ==
        "--set a.b[2]=5: a.b: found index 2, expected 0 to 1, as the list has 2 elements");
  CHECK(problem(R"({"a": []})", "a[0]=5") == "--set a[0]=5: a: found index 0, expected no index, as the list is empty");
  CHECK(problem(R"({"a": {"b": 5}})", "a.b.c=1") == "--set a.b.c=1: a.b: found 5, expected an object");
  CHECK(problem(R"({"a": {"b": 5}})", "a.b[0]=1") == "--set a.b[0]=1: a.b: found 5, expected a list");
  CHECK(problem(R"({"a": [5]})", "a.b=1") == "--set a.b=1: a: found a list of 1 elements, expected an object");
  CHECK(problem(R"({"banks": [1]})", "bank[0]=1") == "--set bank[0]=1: bank: found no such key, expected \"banks\"");
  CHECK(problem("[]", "a=1") == "--set a=1: configuration: found a list of 0 elements, expected an object");
}
