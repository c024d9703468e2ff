#include <catch2/catch.hpp>

#include "sweep_bench.h"

namespace dpusim::sweep {
namespace {

using namespace test;
using Texts = std::vector<std::string>;

const std::string kThreeAxes = R"([{"name": "Port speed", "path": "p0.rate", "values": ["25Gb/s", "50Gb/s"]},
  {"name": "Frame size", "path": "scenario.receive.p0.generate.size", "values": [64, 1518]},
  {"name": "Memory", "values": [{"label": "one", "set": {"ddr.channels": 1}}, {"label": "two", "set": {"ddr.channels": 2}}]}])";

TEST_CASE("a sweep file is read whole, with comments and quantities") {
  const SweepFile sweep = sweep_of(R"({
    // what and where
    "name": "Ports", "description": "Speed of ports", "platform": "bluefield2", "scenario": "forward.json",
    "set": {"cpu.cores": 4, "nic.x": {"value": "1us", "source": "assumed here"}},
    "run": {"until": "2ms", "seed": 7, "firmware": ["a.elf", "b.elf"], "args": "-v x", "max_instructions": "1000"},
    "axes": )" + kThreeAxes + R"(,
    "measures": [{"name": "Forwarded", "unit": "Gb/s", "rate": "p1.ifOutOctets", "scale": 8e-9}, {"name": "p99", "unit": "us", "histogram": "nic.card_latency", "field": "p99", "scale": 1e-6}],
    "charts": [{"title": "Throughput", "x": "Frame size", "y": "Forwarded", "series": "Port speed", "panel": "Memory", "scale": "log", "x_scale": "linear"}]})");
  CHECK(sweep.name == "Ports");
  CHECK(sweep.points() == 8);
  CHECK(sweep.settings == Texts{"cpu.cores=4", "nic.x=1us"});
  CHECK(sweep.arguments == Texts{"--until=2ms", "--seed=7", "--firmware=a.elf", "--firmware=b.elf", "--args=-v x",
                                 "--max-instructions=1000"});
  CHECK(sweep.limited);
  CHECK_FALSE(sweep.functional);
  REQUIRE(sweep.charts.size() == 1);
  const Chart& chart = sweep.charts[0];
  CHECK(chart.title == "Throughput");
  CHECK(chart.x == 1);
  CHECK(chart.series == 0U);
  CHECK(chart.panels == std::vector<std::size_t>{2});
  CHECK(chart.log_y);
  CHECK(chart.x_scale == Chart::Scale::kLinear);
}

TEST_CASE("without charts there is one a measure: first axis as x, last as series, others as panels") {
  const SweepFile sweep = sweep_of(with_axes(kThreeAxes));
  CHECK(sweep.name == "test");
  REQUIRE(sweep.charts.size() == 1);
  CHECK(sweep.charts[0].title == "Forwarded");
  CHECK(sweep.charts[0].x == 0);
  CHECK(sweep.charts[0].series == 2U);
  CHECK(sweep.charts[0].panels == std::vector<std::size_t>{1});
  const SweepFile single = sweep_of(with_axes(R"([{"name": "A", "path": "b.c", "values": [1]}])"));
  CHECK_FALSE(single.charts[0].series);
  CHECK(single.charts[0].panels.empty());
}

TEST_CASE("axes that a chart does not name become series and panels") {
  const auto chart = [](const std::string& keys) {
    return sweep_of(with_axes(kThreeAxes, R"(, "charts": [{"y": "Forwarded")" + keys + "}]")).charts[0];
  };
  CHECK(chart(R"(, "x": "Memory")").series == 1U);
  CHECK(chart(R"(, "x": "Memory")").panels == std::vector<std::size_t>{0});
  CHECK(chart(R"(, "series": "Frame size")").panels == std::vector<std::size_t>{2});
  CHECK(chart(R"(, "panel": "Memory")").series == 1U);
  CHECK(chart(R"(, "panel": ["Memory", "Frame size"])").panels == std::vector<std::size_t>{2, 1});
}

TEST_CASE("what a sweep file may not have is refused with its place") {
  const std::string axis = R"([{"name": "A", "path": "b.c", "values": [1, "x"]}])";
  CHECK_THAT(error_of_file(R"({"platfrom": "x"})"), Catch::Contains("platfrom") && Catch::Contains("\"platform\""));
  CHECK_THAT(error_of_file(R"({"platform": "x"})"), Catch::Contains("no \"axes\""));
  CHECK_THAT(error_of_file(with_axes(axis, R"(, "set": ["p0.rate"])")), Catch::Contains("no '='"));
  CHECK_THAT(error_of_file(with_axes(axis, R"(, "set": 4)")), Catch::StartsWith("set: found"));
  CHECK_THAT(error_of_file(with_axes(axis, R"(, "run": {"utnil": "1ms"})")),
             Catch::Contains("run.utnil") && Catch::Contains("\"until\""));
  CHECK_THAT(error_of_file(with_axes(axis, R"(, "run": {"out": "x"})")), Catch::Contains("run.out"));
  CHECK_THAT(error_of_file(with_axes(axis, R"(, "run": {"until": "1GiB"})")), Catch::Contains("run.until"));
  CHECK_THAT(error_of_file(with_axes(axis, R"(, "run": {"seed": -1})")), Catch::Contains("run.seed"));
  CHECK_THAT(error_of_file(with_axes(axis, R"(, "run": {"fidelity": "exact"})")), Catch::Contains("run.fidelity"));
  const auto chart = [&](const std::string& keys) {
    return error_of_file(with_axes(axis, ", \"charts\": [{" + keys + "}]"));
  };
  CHECK_THAT(chart(R"("x": "A")"), Catch::Contains("charts[0]: found no \"y\""));
  CHECK_THAT(chart(R"("y": "Forwarde")"), Catch::Contains("charts[0].y[0]") && Catch::Contains("\"Forwarded\""));
  CHECK_THAT(chart(R"("y": "Forwarded", "x": "B")"), Catch::Contains("charts[0].x"));
  CHECK_THAT(chart(R"("y": "Forwarded", "x": "A", "series": "A")"), Catch::Contains("\"A\" twice"));
  CHECK_THAT(chart(R"("y": ["Forwarded", "Forwarded"])"), Catch::Contains("\"Forwarded\" twice"));
  CHECK_THAT(chart(R"("y": "Forwarded", "scale": "logarithmic")"), Catch::Contains("charts[0].scale"));
  CHECK_THAT(chart(R"("y": "Forwarded", "x_scale": "log")"), Catch::Contains("charts[0].x_scale"));
  CHECK_THAT(chart(R"("y": "Forwarded", "colour": "red")"), Catch::Contains("charts[0].colour"));
}

TEST_CASE("a measure has one source, a name of its own, and the field of a histogram") {
  const auto problem = [](const std::string& keys) {
    return error_of_file(R"({"platform": "x", "axes": [{"name": "A", "path": "b.c", "values": [1]}], "measures": [{)" +
                         keys + "}]}");
  };
  CHECK(problem(R"("name": "M", "rates": ["a.*", "b"])").empty());
  CHECK_THAT(problem(R"("rate": "a")"), Catch::StartsWith("measures[0]: found no \"name\""));
  CHECK_THAT(problem(R"("name": "M")"), Catch::Contains("no source"));
  CHECK_THAT(problem(R"("name": "M", "rate": "a", "level": "b")"), Catch::Contains("both \"rate\" and \"level\""));
  CHECK_THAT(problem(R"("name": "M", "histogram": "a")"), Catch::Contains("without \"field\""));
  CHECK_THAT(problem(R"("name": "M", "rate": "a", "field": "p99")"), Catch::Contains("\"field\" without"));
  CHECK_THAT(problem(R"("name": "M", "histogram": "a", "field": "p98")"), Catch::Contains("measures[0].field"));
  CHECK_THAT(problem(R"("name": "M", "rate": "a", "scale": "8e-9")"), Catch::Contains("measures[0].scale"));
  CHECK_THAT(problem(R"("name": "A", "rate": "a")"), Catch::Contains("\"A\" twice"));
  CHECK_THAT(problem(R"("name": "M", "rate": "a"}, {"name": "M", "rate": "b")"), Catch::Contains("\"M\" twice"));
  CHECK_THAT(error_of_file(R"({"platform": "x", "axes": [{"name": "A", "path": "b.c", "values": [1]}],
    "measures": [{"name": "M", "unit": "Gb/s", "rate": "a"}, {"name": "N", "unit": "ns", "rate": "b"}], "charts": [{"y": ["M", "N"]}]})"),
             Catch::Contains("the units \"Gb/s\" and \"ns\""));
}

TEST_CASE("functional sweeps measure no time") {
  const auto problem = [](const std::string& measure) {
    return error_of_file(
        R"({"platform": "x", "run": {"fidelity": "functional"}, "axes": [{"name": "A", "path": "b.c", "values": [1]}], "measures": [{"name": "M", )" +
        measure + "}]}");
  };
  CHECK(problem(R"("total": "p1.ifOutOctets")").empty());
  for (const char* measure :
       {R"("rate": "a")", R"("histogram": "a", "field": "p99")", R"("level": "a")", R"("occupancy": "ddr.*")"})
    CHECK_THAT(problem(measure), Catch::Contains("measures[0]") && Catch::Contains("functional runs measure no time"));
}

TEST_CASE("a sweep file is found with its folder, and may extend another") {
  const Folder folder;
  std::ofstream(folder / "base.json") << with_axes(R"([{"name": "A", "path": "b.c", "values": [1, 2]}])");
  std::ofstream(folder / "more.json")
      << R"({"extends": "base.json", "name": "More", "axes": [{"name": "B", "path": "b.d", "values": [1]}]})";
  const SweepFile sweep = read_sweep(folder / "more.json");
  CHECK(sweep.name == "More");
  CHECK(sweep.points() == 1);
  CHECK(sweep.folder == folder.path());
  CHECK_THAT(error_of([&] { read_sweep(folder / "none.json"); }), Catch::Contains("none.json"));
}

}  // namespace
}  // namespace dpusim::sweep
