#include <catch2/catch.hpp>

#include "sweep/json_read.h"
#include "sweep_bench.h"

namespace dpusim::sweep {
namespace {

using namespace test;
using Json = nlohmann::ordered_json;

const char* const kResults = R"({"fidelity": "approximate",
  "rates": {"p0.ifOutOctets": {"per_second": 2e9, "total": 50}, "p1.ifOutOctets": {"per_second": 1.2e9, "total": 30}, "p1.frames": {"per_second": 7, "total": 1}},
  "levels": {"cpu.core0.ipc": {"value": 1.25}},
  "histograms": {"nic.card_latency": {"count": 4, "mean": 1500.5, "p99": 2000}, "nic.rx_latency": {"count": 0, "p99": 0}},
  "resources": [{"name": "ddr.channel1_bus", "occupancy": 0.97}, {"name": "noc.bus", "occupancy": 0.5}, {"name": "ddr.channel0_bus", "occupancy": 0.93}],
  "bottleneck": {"resource": "ddr.channel1_bus", "occupancy": 0.97, "saturated": true, "text": "The bus was full."}})";
const char* const kStats =
    R"({"stats": {"p1": {"ifInErrors": {"value": 0}}, "nic": {"tx_latency": {"count": 0}}, "cpu": {"core1": {"ipc": {"value": 0}, "utilisation": {"value": 0}}}, "sram": {"bus_utilisation": {"value": 0}}}})";

std::optional<double> value(const std::string& keys, const std::string& results = kResults) {
  const auto measures = parse_measures(parse_json(R"([{"name": "M", )" + keys + "}]", "test.json"), "measures");
  return measure(measures, Json::parse(results), [] { return Json::parse(kStats); }).values[0];
}
std::string problem(const std::string& keys, const std::string& results = kResults) {
  return error_of([&] { value(keys, results); });
}

TEST_CASE("measures are taken from the results and scaled") {
  CHECK(value(R"("rate": "p1.ifOutOctets", "scale": 8e-9)") == 9.6);  // 1.2e9 octets/s x 8 bits
  CHECK(value(R"("total": "p1.ifOutOctets")") == 30);
  CHECK(value(R"("rates": ["p0.ifOutOctets", "p1.ifOutOctets"])") == 3.2e9);
  CHECK(value(R"("totals": ["p*.ifOutOctets", "p1.frames"])") == 81);
  CHECK(value(R"("histogram": "nic.card_latency", "field": "p99", "scale": 1e-3)") == 2);
  CHECK(value(R"("histogram": "nic.card_latency", "field": "count")") == 4);
  CHECK(value(R"("level": "cpu.core0.ipc")") == 1.25);
  CHECK(value(R"("occupancy": "ddr.*")") == 0.97);
  CHECK(value(R"("occupancy": "ddr.channel0_bus", "scale": 100)") == 93);
}

TEST_CASE("a run that did not reach its window measured nothing") {
  Json results = Json::parse(kResults);
  results["window"] = nullptr;
  CHECK_THAT(problem(R"("rate": "p1.ifOutOctets")", results.dump()), Catch::Contains("before its measuring window"));
}

TEST_CASE("a level and a resource that were 0 all the time are 0") {
  CHECK(value(R"("level": "cpu.core1.ipc")") == 0);
  CHECK(value(R"("occupancy": "cpu.core1")") == 0);
  CHECK(value(R"("occupancy": "sram.*")") == 0);
  CHECK_THAT(problem(R"("occupancy": "sram.port")"), Catch::Contains("no resource of the run"));
}

TEST_CASE("a counter that did not move is 0, a histogram without samples has no value") {
  CHECK(value(R"("rate": "p1.ifInErrors")") == 0);
  CHECK(value(R"("rates": ["p1.ifInErrors", "p1.frames"])") == 7);
  CHECK(value(R"("histogram": "nic.tx_latency", "field": "p99")") == std::nullopt);
  CHECK(value(R"("histogram": "nic.rx_latency", "field": "p99")") == std::nullopt);
  CHECK(value(R"("histogram": "nic.rx_latency", "field": "count")") == 0);
  CHECK(value(R"("histogram": "nic.card_latency", "field": "p50")") == std::nullopt);
}

TEST_CASE("a name that the run does not have is refused with the nearest") {
  CHECK_THAT(problem(R"("rate": "p1.ifOutOctetz")"),
             Catch::Contains("measures[0]") && Catch::Contains("\"p1.ifOutOctets\""));
  CHECK_THAT(problem(R"("rates": ["p1.frames", "p2.*"])"), Catch::Contains("\"p2.*\""));
  CHECK_THAT(problem(R"("level": "cpu.core9.ipc")"), Catch::Contains("\"cpu.core0.ipc\""));
  CHECK_THAT(problem(R"("histogram": "nic.card_latncy", "field": "p99")"), Catch::Contains("\"nic.card_latency\""));
  CHECK_THAT(problem(R"("occupancy": "dd.*")"), Catch::Contains("no resource of the run"));
}

TEST_CASE("a functional run has totals, but no rates and no bottleneck") {
  Json results = Json::parse(kResults);
  results["fidelity"] = "functional";
  CHECK(value(R"("total": "p1.ifOutOctets")", results.dump()) == 30);
  CHECK_THAT(problem(R"("rate": "p1.ifOutOctets")", results.dump()),
             Catch::Contains("functional runs measure no time"));
  CHECK_THAT(problem(R"("occupancy": "ddr.*")", results.dump()), Catch::Contains("functional runs measure no time"));
  CHECK(measure({}, results, {}).bottleneck.resource.empty());
}

TEST_CASE("the bottleneck is the run's, or none") {
  const Bottleneck found = measure({}, Json::parse(kResults), {}).bottleneck;
  CHECK(found.resource == "ddr.channel1_bus");
  CHECK(found.occupancy == 0.97);
  CHECK(found.saturated);
  CHECK(found.text == "The bus was full.");
  CHECK(measure({}, Json::parse(R"({"bottleneck": null})"), {}).bottleneck.resource.empty());
  CHECK(measure({}, Json::parse(R"({})"), {}).bottleneck.resource.empty());
}

TEST_CASE("patterns match with stars only") {
  CHECK(matches("ddr.*", "ddr.channel0_bus"));
  CHECK(matches("*", ""));
  CHECK(matches("*.bus", "noc.a.bus"));
  CHECK(matches("a*b*c", "aXbYbZc"));
  CHECK_FALSE(matches("a*b", "abc"));
  CHECK_FALSE(matches("ddr.", "ddr.x"));
  CHECK_FALSE(matches("d?r", "ddr"));
  CHECK(matches("rx[0].frames", "rx[0].frames"));
}

}  // namespace
}  // namespace dpusim::sweep
