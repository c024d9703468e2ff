#include "l3fwd.h"

using namespace l3fwd_test;

namespace {

Flow flow4(const char* source, const char* destination, unsigned protocol, int source_port = -1,
           int destination_port = -1) {
  Flow flow{};
  std::uint8_t address[16];
  unsigned length = 0;
  REQUIRE(config_parse_prefix(source, address, &length) == 4);
  std::memcpy(flow.source, address, 4);
  REQUIRE(config_parse_prefix(destination, address, &length) == 4);
  std::memcpy(flow.destination, address, 4);
  flow.version = 4;
  flow.protocol = static_cast<std::uint8_t>(protocol);
  flow.has_ports = source_port >= 0;
  flow.source_port = static_cast<std::uint16_t>(source_port);
  flow.destination_port = static_cast<std::uint16_t>(destination_port);
  return flow;
}

bool allows(const Router& router, const Flow& flow, unsigned expected_rule) {
  unsigned rule = 0;
  const bool allowed = firewall_allows(&router.tables->firewall, &flow, &rule);
  CHECK(rule == expected_rule);
  return allowed;
}

}  // namespace

TEST_CASE("the first rule that matches decides") {
  const Router router(
      "allow tcp src 10.1.0.0/16 dport 23\n"
      "deny tcp dport 23\n"
      "deny src 10.2.0.0/15\n"
      "default allow\n");
  REQUIRE(router.errors == 0);
  CHECK(allows(router, flow4("10.1.2.3", "10.9.9.9", 6, 1000, 23), 0));
  CHECK_FALSE(allows(router, flow4("10.4.2.3", "10.9.9.9", 6, 1000, 23), 1));
  CHECK_FALSE(allows(router, flow4("10.3.0.1", "10.9.9.9", 17, 1000, 23), 2));
  CHECK(allows(router, flow4("10.4.0.1", "10.9.9.9", 17, 1000, 23), 3));
}

TEST_CASE("the default holds when none matches") {
  const Router router("allow icmp\ndefault deny\n");
  CHECK(allows(router, flow4("10.0.0.1", "10.0.0.2", 1), 0));
  CHECK_FALSE(allows(router, flow4("10.0.0.1", "10.0.0.2", 6, 1, 2), 1));
}

TEST_CASE("port ranges include both ends") {
  const Router router("deny udp sport 100-200 dport 5000-5001\n");
  CHECK_FALSE(allows(router, flow4("10.0.0.1", "10.0.0.2", 17, 100, 5000), 0));
  CHECK_FALSE(allows(router, flow4("10.0.0.1", "10.0.0.2", 17, 200, 5001), 0));
  CHECK(allows(router, flow4("10.0.0.1", "10.0.0.2", 17, 99, 5000), 1));
  CHECK(allows(router, flow4("10.0.0.1", "10.0.0.2", 17, 201, 5000), 1));
  CHECK(allows(router, flow4("10.0.0.1", "10.0.0.2", 17, 150, 4999), 1));
  CHECK(allows(router, flow4("10.0.0.1", "10.0.0.2", 17, 150, 5002), 1));
  CHECK(allows(router, flow4("10.0.0.1", "10.0.0.2", 17), 1));  // a fragment without ports
}

TEST_CASE("addresses of one version do not match the other") {
  const Router router("deny src ::/0\ndeny dst 0.0.0.0/0 proto 47\n");
  CHECK(allows(router, flow4("10.0.0.1", "10.0.0.2", 6, 1, 2), 2));
  CHECK_FALSE(allows(router, flow4("10.0.0.1", "10.0.0.2", 47), 1));
  Flow flow{};
  flow.version = 6;
  CHECK_FALSE(allows(router, flow, 0));
}

TEST_CASE("IPv6 rules compare all 128 bits") {
  const Router router("deny src 2001:db8:1::bad\n");
  Flow flow{};
  flow.version = 6;
  std::uint8_t address[16];
  unsigned length = 0;
  REQUIRE(config_parse_prefix("2001:db8:1::bad", address, &length) == 6);
  std::memcpy(flow.source, address, 16);
  CHECK_FALSE(allows(router, flow, 0));
  reinterpret_cast<std::uint8_t*>(flow.source)[15] ^= 1;
  CHECK(allows(router, flow, 1));
}
