// What a run's exit code is told of programs, and defaults that the library has.
#include <catch2/catch.hpp>

#include "nic_host.h"
#include "real_card.h"

using namespace host_bench;
using namespace dpusim::literals;

TEST_CASE("failure: nothing when all went well") {
  NicHost bench(Json::array({Json{{"type", "ping_pong"}, {"name", "ping"}, {"count", 3}},
                             Json{{"type", "reflect"}, {"name", "echo"}, {"port", 1}}}));
  bench.run_out();
  CHECK(bench.stat("ping.answers") == 3);
  CHECK(bench.stat("ping.bad_completions") + bench.stat("echo.bad_completions") == 0);
  CHECK_FALSE(bench.host.failure());
}
TEST_CASE("failure: rounds that were all lost") {
  NicHost bench(Json::array({Json{{"type", "ping_pong"}, {"name", "ping"}, {"count", 3}, {"timeout", "50us"}}}));
  bench.run_out();
  CHECK(bench.host.failure() == "program ping: all 3 rounds timed out");
}
TEST_CASE("failure: not when one of the rounds was answered") {
  // The reflector begins when two rounds are lost.
  NicHost bench(Json::array({Json{{"type", "ping_pong"}, {"name", "ping"}, {"count", 20}, {"timeout", "50us"}},
                             Json{{"type", "reflect"}, {"name", "echo"}, {"port", 1}, {"start", "200us"}}}));
  bench.run_out();
  CHECK(bench.stat("ping.timeouts") > 0);
  CHECK(bench.stat("ping.answers") > 0);
  CHECK_FALSE(bench.host.failure());
}
TEST_CASE("failure: frames that the NIC refuses to send") {
  net::NicConfig nic;
  nic.max_frame = 1514_B;
  NicHost bench(Json::array({Json{{"type", "send"}, {"name", "tx"}, {"count", 5}, {"size", 1519}}}), NicHost::small(),
                nic);
  bench.run_out();
  CHECK(bench.host.failure() == "program tx: 5 of 5 frames failed, first with status 2 (BAD_LENGTH)");
}
TEST_CASE("failure: a receive queue in error") {
  host::HostConfig config = NicHost::small();
  config.bus_master = false;  // the NIC cannot read its ring
  NicHost bench(Json::array({Json{{"type", "receive"}, {"name", "rx"}},
                             Json{{"type", "reflect"}, {"name", "echo"}, {"port", 1}}}),
                config);
  bench.run_out();
  CHECK(bench.host.failure() ==
        "program rx: receive queue 0 is in error, reason 5 (DESCRIPTOR_BUS_ERROR); "
        "program echo: receive queue 1 is in error, reason 5 (DESCRIPTOR_BUS_ERROR)");
}
TEST_CASE("failure: jobs whose source is nowhere") {
  RealCard card(Json::array(
      {Json{{"type", "dma"}, {"name", "wr"}, {"direction", "to_host"}, {"count", 5}, {"card_buffer", "0x7000_0000"}}}));
  card.run_out();
  CHECK(card.host->failure() == "program wr: 5 of 5 jobs failed, first with status 6 (SOURCE_BUS_ERROR)");
}
TEST_CASE("failure: jobs whose destination is nowhere") {
  RealCard card(Json::array(
      {Json{{"type", "dma"}, {"name", "rd"}, {"direction", "to_card"}, {"count", 5}, {"card_buffer", "0x7000_0000"}}}));
  card.run_out();
  CHECK(card.host->failure() == "program rd: 5 of 5 jobs failed, first with status 7 (DESTINATION_BUS_ERROR)");
}

TEST_CASE("the library's own defaults are those of the README") {
  // By way of the type's row: what the library fills in, not what this file was compiled with.
  const BlockType& row = host::block_types().front();
  REQUIRE(row.name == "host");
  const Json filled = row.config->effective(Json::object(), "blocks.host");
  CHECK(filled.at("read_latency") == "176ns");
  CHECK(filled.at("write_latency") == "100ns");
  CHECK(filled.at("memory_bandwidth") == "546Gb/s");
  CHECK(host::HostConfig::table().dump(host::HostConfig{}) == filled);
}
