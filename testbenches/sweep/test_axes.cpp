#include <catch2/catch.hpp>

#include "sweep_bench.h"

namespace dpusim::sweep {
namespace {

using namespace test;

std::vector<Axis> axes(const std::string& text) { return parse_axes(parse_json(text, "test.json"), "axes"); }
std::string error(const std::string& text) {
  return error_of([&] { axes(text); });
}
std::vector<std::string> labels(const Axis& axis) {
  std::vector<std::string> texts;
  for (const AxisValue& value : axis.values) texts.push_back(value.label);
  return texts;
}
std::vector<double> numbers(const Axis& axis) {
  std::vector<double> all;
  for (const AxisValue& value : axis.values) all.push_back(value.number.value());
  return all;
}
Axis range(const std::string& text) { return axes(R"([{"name": "A", "path": "b.c", "range": )" + text + "}]")[0]; }
using Texts = std::vector<std::string>;
using Numbers = std::vector<double>;

TEST_CASE("an axis sets its path, or all its paths, to each value") {
  const Axis one = axes(R"([{"name": "Port speed", "path": "p0.rate", "values": ["25Gb/s", "50Gb/s"]}])")[0];
  CHECK(one.name == "Port speed");
  CHECK(labels(one) == Texts{"25Gb/s", "50Gb/s"});
  CHECK(one.values[1].settings == Texts{"p0.rate=50Gb/s"});
  const Axis both = axes(R"([{"name": "Port speed", "path": ["p0.rate", "p1.rate"], "values": ["25Gb/s"]}])")[0];
  CHECK(both.values[0].settings == Texts{"p0.rate=25Gb/s", "p1.rate=25Gb/s"});
}

TEST_CASE("a setting gives the parser of --set the very value of the file") {
  const Axis axis =
      axes(R"([{"name": "A", "path": "b.c", "values": [4, 0.5, true, "9600", "on", null, [1, "2"], "64 B"]}])")[0];
  Texts settings;
  for (const AxisValue& value : axis.values) settings.push_back(value.settings[0]);
  CHECK(settings ==
        Texts{"b.c=4", "b.c=0.5", "b.c=true", "b.c=\"9600\"", "b.c=on", "b.c=null", "b.c=[1,\"2\"]", "b.c=64 B"});
  CHECK(labels(axis) == Texts{"4", "0.5", "true", "9600", "on", "null", "[1,\"2\"]", "64 B"});
  CHECK_FALSE(axis.values[0].number);
}

TEST_CASE("ranges include their ends") {
  CHECK(labels(range(R"({"from": 1, "to": 8, "step": 1})")) == Texts{"1", "2", "3", "4", "5", "6", "7", "8"});
  CHECK(labels(range(R"({"from": 1, "to": 8, "step": 3})")) == Texts{"1", "4", "7"});
  CHECK(labels(range(R"({"from": 64, "to": 4096, "factor": 2})")) ==
        Texts{"64", "128", "256", "512", "1024", "2048", "4096"});
  CHECK(labels(range(R"({"from": 64, "to": 4095, "factor": 2})")).back() == "2048");
  CHECK(labels(range(R"({"from": 5, "to": 5, "step": 1})")) == Texts{"5"});
  CHECK(labels(range(R"({"from": 8, "to": 2, "step": -3})")) == Texts{"8", "5", "2"});
  CHECK(labels(range(R"({"from": 100, "to": 1, "factor": 0.1})")) == Texts{"100", "10", "1"});
}

TEST_CASE("ranges of fractions have no rounding in their texts, and do not lose the last value") {
  CHECK(labels(range(R"({"from": 0.1, "to": 0.7, "step": 0.1})")) ==
        Texts{"0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7"});
  CHECK(range(R"({"from": 0.1, "to": 0.3, "step": 0.1})").values[2].settings == Texts{"b.c=0.3"});
}

TEST_CASE("a number in the midst of a text is the value's place and label") {
  const auto read = axes(
      R"([{"name": "Size", "unit": "octets", "path": "scenario.arguments", "values": [64, {"value": 4096, "label": "page"}], "format": "size={} jobs=9"}])");
  CHECK(read[0].values[0].settings == std::vector<std::string>{"scenario.arguments=size=64 jobs=9"});
  CHECK(read[0].values[0].label == "64");
  CHECK(read[0].values[0].number == 64.0);
  CHECK(read[0].values[1].label == "page");
  CHECK(read[0].values[1].number == 4096.0);
  CHECK(read[0].unit == "octets");
}

TEST_CASE("a format puts numbers into a text") {
  const Axis axis = axes(
      R"([{"name": "A", "path": "ddr.data_rate", "range": {"from": 1600, "to": 3200, "step": 800}, "format": "{}MT/s"}])")
      [0];
  CHECK(axis.values[1].settings == Texts{"ddr.data_rate=2400MT/s"});
  CHECK(numbers(axis) == Numbers{1600, 2400, 3200});
  CHECK(axis.unit == "MT/s");
  CHECK(axes(R"([{"name": "A", "path": "b.c", "values": [1, 2], "format": "{}GiB"}])")[0].values[1].settings ==
        Texts{"b.c=2GiB"});
}

TEST_CASE("quantities get places in the axis's unit") {
  CHECK(numbers(axes(R"([{"name": "A", "path": "b.c", "unit": "Gb/s", "values": ["500Mb/s", "25Gb/s"]}])")[0]) ==
        Numbers{0.5, 25});
  const Axis sizes = axes(R"([{"name": "A", "path": "b.c", "values": ["512KiB", "1MiB", "1536KiB"]}])")[0];
  CHECK(sizes.unit == "KiB");
  CHECK(numbers(sizes) == Numbers{512, 1024, 1536});
  const Axis octets = axes(R"([{"name": "A", "path": "b.c", "unit": "octets", "values": ["64B", "1KiB"]}])")[0];
  CHECK(octets.unit == "octets");
  CHECK(numbers(octets) == Numbers{64, 1024});
  const Axis plain = axes(R"([{"name": "A", "path": "b.c", "unit": "octets", "values": [64, "1518"]}])")[0];
  CHECK(numbers(plain) == Numbers{64, 1518});
  CHECK(plain.unit == "octets");
  CHECK_FALSE(axes(R"([{"name": "A", "path": "b.c", "values": ["1us", "1KiB"]}])")[0].values[0].number);
}

TEST_CASE("labels are those of the list, or of each value") {
  CHECK(labels(axes(R"([{"name": "A", "path": "b.c", "values": [1, 2], "labels": ["one", "two"]}])")[0]) ==
        Texts{"one", "two"});
  const Axis sets = axes(R"([{"name": "Memory", "values": [
      {"label": "DDR4", "set": {"ddr.data_rate": "3200MT/s", "ddr.channels": 2}}, {"label": "DDR5", "set": ["ddr.channels=4"]}]}])")
      [0];
  CHECK(labels(sets) == Texts{"DDR4", "DDR5"});
  CHECK(sets.values[0].settings == Texts{"ddr.data_rate=3200MT/s", "ddr.channels=2"});
  CHECK(sets.values[1].settings == Texts{"ddr.channels=4"});
  const Axis mixed =
      axes(R"([{"name": "A", "path": "b.c", "values": [1, {"value": 2, "label": "two", "set": {"b.d": 3}}]}])")[0];
  CHECK(labels(mixed) == Texts{"1", "two"});
  CHECK(mixed.values[1].settings == Texts{"b.c=2", "b.d=3"});
  CHECK(numbers(mixed) == Numbers{1, 2});
  const Axis annotated = axes(
      R"([{"name": "A", "path": "b.c", "values": [{"value": 2, "source": "JEDEC", "confidence": "document"}]}])")[0];
  CHECK(annotated.values[0].settings == Texts{"b.c=2"});
}

TEST_CASE("an axis that is wrong is refused with its place") {
  const auto axis = [](const std::string& keys) { return "[{\"name\": \"A\", " + keys + "}]"; };
  CHECK(error("[]") == "axes: found a list of 0 elements, expected a list of at least one axis");
  CHECK_THAT(error(R"([{"nam": "A"}])"), Catch::Contains("axes[0].nam") && Catch::Contains("\"name\""));
  CHECK_THAT(error(R"([{"path": "b.c", "values": [1]}])"), Catch::StartsWith("axes[0]: found no \"name\""));
  CHECK_THAT(error(axis(R"("values": [1])")), Catch::StartsWith("axes[0]: found no \"path\""));
  CHECK_THAT(error(axis(R"("path": "b.c")")), Catch::StartsWith("axes[0]: found neither"));
  CHECK_THAT(error(axis(R"("path": "b.c", "values": [1], "range": {"from": 1, "to": 2, "step": 1})")),
             Catch::StartsWith("axes[0]: found both"));
  CHECK_THAT(error(axis(R"("path": "b.c", "values": [])")), Catch::StartsWith("axes[0].values: "));
  CHECK_THAT(error(axis(R"("path": "b.c", "values": [1, 1])")), Catch::Contains("\"1\" twice"));
  CHECK_THAT(error(axis(R"("path": "b..c", "values": [1])")), Catch::Contains("an empty key"));
  CHECK_THAT(error(axis(R"("path": "b=3", "values": [1])")), Catch::Contains("axes[0].path"));
  CHECK_THAT(error(axis(R"("path": "b.c", "values": [1, 2], "labels": ["one"])")),
             Catch::Contains("1 labels, expected 2"));
  CHECK_THAT(error(axis(R"("path": "b.c", "values": [1], "format": "MT/s")")), Catch::Contains("axes[0].format"));
  CHECK_THAT(error(axis(R"("path": "b.c", "values": [1], "format": "{}{}")")), Catch::Contains("axes[0].format"));
  CHECK_THAT(error(axis(R"("path": "b.c", "values": ["x"], "format": "{}s")")), Catch::Contains("axes[0].values[0]"));
  CHECK_THAT(error(axis(R"("values": [{"set": {"b.c": 1}}])")), Catch::Contains("no \"label\""));
  CHECK_THAT(error(axis(R"("values": [{"label": "x"}])")), Catch::Contains("without \"value\" and \"set\""));
  CHECK_THAT(error(axis(R"("path": "b.c", "values": [{"lable": "x", "value": 1}])")), Catch::Contains("\"label\""));
  CHECK_THAT(error(axis(R"("path": "b.c", "unit": "GB/s", "values": ["1Gb/s"])")),
             Catch::Contains("axes[0].unit") && Catch::Contains("\"Gb/s\""));
  CHECK_THAT(error(R"([{"name": "A", "path": "b.c", "values": [1]}, {"name": "A", "path": "b.d", "values": [1]}])"),
             Catch::Contains("\"A\" twice"));
  CHECK_THAT(error(R"([{"name": "A", "path": "b.c", "values": [1]}, {"name": "B", "path": "b.c", "values": [1]}])"),
             Catch::Contains("which axis \"A\" sets as well"));
}

TEST_CASE("a range that is wrong is refused") {
  const auto problem = [](const std::string& text) { return error_of([&] { range(text); }); };
  CHECK_THAT(problem(R"({"from": 1, "to": 2})"), Catch::Contains("neither \"step\" nor \"factor\""));
  CHECK_THAT(problem(R"({"from": 1, "to": 2, "step": 1, "factor": 2})"), Catch::Contains("both"));
  CHECK_THAT(problem(R"({"to": 2, "step": 1})"), Catch::Contains("no \"from\""));
  CHECK_THAT(problem(R"({"from": 1, "to": 2, "step": 0})"), Catch::Contains("axes[0].range.step: found 0"));
  CHECK_THAT(problem(R"({"from": 1, "to": 2, "step": -1})"), Catch::Contains("leads away"));
  CHECK_THAT(problem(R"({"from": 4, "to": 2, "factor": 2})"), Catch::Contains("leads away"));
  CHECK_THAT(problem(R"({"from": 1, "to": 2, "factor": 1})"), Catch::Contains("other than 1"));
  CHECK_THAT(problem(R"({"from": 1, "to": 2, "factor": -2})"), Catch::Contains("above 0"));
  CHECK_THAT(problem(R"({"from": 0, "to": 2, "factor": 2})"), Catch::Contains("range.from"));
  CHECK_THAT(problem(R"({"from": "1", "to": 2, "step": 1})"),
             Catch::Contains("range.from") && Catch::Contains("a number"));
  CHECK_THAT(problem(R"({"from": 1, "to": 2, "stepp": 1})"), Catch::Contains("\"step\""));
}

TEST_CASE("a sweep has at most 100000 points") {
  const auto product = [](int a, int b) {
    return R"([{"name": "A", "path": "b.c", "range": {"from": 1, "to": )" + std::to_string(a) +
           R"(, "step": 1}}, {"name": "B", "path": "b.d", "range": {"from": 1, "to": )" + std::to_string(b) +
           R"(, "step": 1}}])";
  };
  CHECK(axes(product(1000, 100)).size() == 2);
  CHECK_THAT(error(product(1001, 100)), Catch::Contains("at most 100000"));
  CHECK(range(R"({"from": 1, "to": 100000, "step": 1})").values.size() == 100'000);
  CHECK_THAT(error_of([] { range(R"({"from": 1, "to": 100001, "step": 1})"); }), Catch::Contains("at most 100000"));
}

}  // namespace
}  // namespace dpusim::sweep
