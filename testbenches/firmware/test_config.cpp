#include "l3fwd.h"

using namespace l3fwd_test;

namespace {

std::string prefix(const char* text) {
  std::uint8_t address[16] = {};
  unsigned length = 0;
  const unsigned version = config_parse_prefix(text, address, &length);
  if (version == 0) return "bad";
  std::string out;
  char octet[4];
  for (unsigned i = 0; i < (version == 4 ? 4U : 16U); ++i) {
    std::snprintf(octet, sizeof octet, "%02x", address[i]);
    out += octet;
  }
  return out + "/" + std::to_string(length);
}

}  // namespace

TEST_CASE("prefixes") {
  CHECK(prefix("192.0.2.1") == "c0000201/32");
  CHECK(prefix("192.0.2.255/25") == "c0000280/25");
  CHECK(prefix("1.2.3.4/0") == "00000000/0");
  CHECK(prefix("::") == "00000000000000000000000000000000/128");
  CHECK(prefix("::1") == "00000000000000000000000000000001/128");
  CHECK(prefix("2001:db8:1::bad") == "20010db8000100000000000000000bad/128");
  CHECK(prefix("2001:DB8::/33") == "20010db8000000000000000000000000/33");
  CHECK(prefix("1:2:3:4:5:6:7:8/127") == "00010002000300040005000600070008/127");
  CHECK(prefix("1:2:3:4:5:6:7::") == "00010002000300040005000600070000/128");
  CHECK(prefix("ffff::/12") == "fff00000000000000000000000000000/12");
  for (const char* bad : {"", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.4/33", "1.2.3.4/", "1.2.3.4x", "1::2::3",
                          "1:2:3:4:5:6:7:8:9", "12345::", "1:2:3:4:5:6:7", "::/129", "1:", ":1", "::g"}) {
    INFO(bad);
    CHECK(prefix(bad) == "bad");
  }
}

TEST_CASE("the built-in tables have no errors") {
  const Router router{std::string(config_default)};
  CHECK(router.errors == 0);
  CHECK(router.tables->route_count == 8);
  CHECK(router.tables->firewall.count == 4);
}

TEST_CASE("bad lines are reported with their number and skipped, good ones hold") {
  const Router router(
      "# tables\n"
      "route 10.0.0.0/8 port 1 via 02:00:00:00:00:09   # fine\n"
      "route 10.0.0.0/8 port 9 via 02:00:00:00:00:09\n"
      "\n"
      "deny tcp dport 70000\n"
      "allow tcp dport 80 quickly\n"
      "port 0 mtu 67\n"
      "frobnicate\n"
      "deny src 10.0.0.0/8 dst 2001:db8::/32\n"
      "default maybe\n"
      "any-mac off now\n"
      "local 10.0.0.0/8\r\n"
      "deny udp\r\n");
  const std::vector<std::pair<unsigned, std::string>> expected{{3, "9"},      {5, "70000"},      {6, "quickly"},
                                                               {7, "67"},     {8, "frobnicate"}, {9, "2001:db8::/32"},
                                                               {10, "maybe"}, {11, "now"},       {12, "10.0.0.0/8"}};
  REQUIRE(config_messages.size() == expected.size());
  CHECK(router.errors == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(config_messages[i].line == expected[i].first);
    CHECK(config_messages[i].word == expected[i].second);
  }
  CHECK(router.tables->route_count == 1);
  CHECK(router.tables->firewall.count == 1);
  CHECK(router.tables->firewall.rules[0].line == 13);
}

TEST_CASE("a missing word is named as such") {
  const Router router("route 10.0.0.0/8 port 1 via");
  CHECK(router.errors == 1);
  CHECK(config_messages[0].word == "end of line");
}
