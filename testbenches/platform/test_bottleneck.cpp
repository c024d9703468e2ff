#include <catch2/catch.hpp>

#include "platform/bottleneck.h"

using namespace dpusim::platform;
using Catch::Contains;

namespace {
constexpr auto kPath = ResourceClass::kPath;
constexpr auto kServer = ResourceClass::kServer;
constexpr auto kSlots = ResourceClass::kSlots;
constexpr auto kOffered = ResourceClass::kOffered;
}  // namespace

TEST_CASE("names tell what a resource is") {
  CHECK(classify_resource("utilisation", false) == kServer);
  CHECK(classify_resource("engine3_utilisation", false) == kServer);
  CHECK(classify_resource("thread0_utilisation", false) == kServer);
  CHECK(classify_resource("rx_utilisation", true) == kOffered);
  CHECK(classify_resource("tx_utilisation", true) == kPath);
  CHECK(classify_resource("dma_read_slots_utilisation", false) == kSlots);
  CHECK(classify_resource("upstream_tags_utilisation", false) == kSlots);
  CHECK(classify_resource("downstream_credits_utilisation", false) == kSlots);
  CHECK(classify_resource("data_bus_utilisation", false) == kPath);
}

TEST_CASE("a full bus bounds the run, whatever waits for it") {
  const Bottleneck b = find_bottleneck(
      {{"cpu.core0", "core", 1.0, kServer}, {"ddr.bus", "data bus", 0.97, kPath}, {"nic.slots", "slots", 1.0, kSlots}},
      {});
  CHECK(b.resource == "ddr.bus");
  CHECK(b.saturated);
  CHECK(b.occupancy == 0.97);
}

TEST_CASE("a full wire in is the bound only when all was taken") {
  const std::vector<Resource> resources = {
      {"p0.rx", "wire in", 1.0, kOffered}, {"cpu.core0", "core", 0.99, kServer}, {"p1.tx", "wire out", 1.0, kPath}};
  const Bottleneck taken = find_bottleneck(resources, {});
  CHECK(taken.resource == "p0.rx");
  CHECK_THAT(taken.text, Contains("all that was offered was taken"));
  const Bottleneck lossy = find_bottleneck({resources[0], resources[1]}, Losses{0.25, 0});
  CHECK(lossy.resource == "cpu.core0");
  CHECK(lossy.saturated);
  CHECK_THAT(lossy.text, Contains("25.0 % of the frames were dropped"));
}

TEST_CASE("a pipeline full of frames that are dropped behind it is not the bound") {
  const std::vector<Resource> resources = {{"nic.rx_pipeline", "receive pipeline", 1.0, ResourceClass::kIntake},
                                           {"cpu.core0", "core", 1.0, kServer}};
  CHECK(find_bottleneck(resources, {0.8, 0.3}).resource == "cpu.core0");
  CHECK(find_bottleneck(resources, {0.8, 0}).resource == "nic.rx_pipeline");
}

TEST_CASE("slots bound only when nothing that carries or works does") {
  CHECK(find_bottleneck({{"a", "", 0.94, kPath}, {"b", "", 1.0, kSlots}}, {}).resource == "a");
  const Bottleneck b = find_bottleneck({{"a", "", 0.5, kPath}, {"b", "tags", 0.95, kSlots}}, {});
  CHECK(b.resource == "b");
  CHECK(b.saturated);
  CHECK_THAT(b.text, Contains("latency"));
}

TEST_CASE("a path from 90 % on goes before a server, which goes before slots") {
  CHECK(find_bottleneck({{"a", "", 0.90, kPath}, {"b", "", 1.0, kServer}}, {}).resource == "a");
  CHECK(find_bottleneck({{"a", "", 0.899, kPath}, {"b", "", 0.90, kServer}}, {}).resource == "b");
  CHECK(find_bottleneck({{"a", "", 0.5, kPath}, {"b", "", 0.91, kServer}, {"c", "", 1.0, kSlots}}, {}).resource == "b");
}

TEST_CASE("without a full resource the answer says so and names the busiest") {
  const Bottleneck b =
      find_bottleneck({{"a", "bus", 0.4, kPath}, {"b", "core", 0.6, kServer}, {"c", "slots", 0.8, kSlots}}, {});
  CHECK(b.resource == "b");
  CHECK_FALSE(b.saturated);
  CHECK_THAT(b.text, Contains("none is saturated") && Contains("b (core)") && Contains("60.0 %"));
  CHECK(find_bottleneck({}, {}).resource.empty());
}
