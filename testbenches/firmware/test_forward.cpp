#include "l3fwd.h"

using namespace l3fwd_test;

namespace {

const char* const kTables =
    "port 0 mac 02:00:00:00:01:01\nport 1 mac 02:00:00:00:02:01 mtu 200\n"
    "route 0.0.0.0/0 port 1 via 02:00:00:00:02:02\nroute 192.168.0.128/25 port 2 via 02:00:00:00:03:03\n"
    "local 192.168.0.1\n";

Octets frame_to(const char* destination, unsigned ttl = 64) {
  Octets header = octets_of("4500 0073 0000 4000 0011 0000 0a000001") + octets_of(destination);
  header[8] = static_cast<std::uint8_t>(ttl);
  const auto sum = static_cast<std::uint16_t>(~checksum_sum(header.data(), 20));
  header[10] = static_cast<std::uint8_t>(sum >> 8);
  header[11] = static_cast<std::uint8_t>(sum);
  return octets_of(kMac) + octets_of("0800") + header + Octets(95, 0x5a);
}

Decision forward(const Router& router, Octets& frame) {
  return forward_frame(router.tables.get(), 0, frame.data(), static_cast<std::uint32_t>(frame.size()), false);
}

}  // namespace

TEST_CASE("a forwarded frame has new addresses, one less to live, and no padding") {
  const Router router{kTables};
  REQUIRE(router.errors == 0);
  Octets frame = octets_of(kMac) + octets_of("0800") + octets_of(kKnownHeader) + Octets(95, 0x11) + Octets(5, 0);
  const Decision decision = forward(router, frame);
  CHECK(decision.verdict == FORWARDED);
  CHECK(decision.port == 2);  // 192.168.0.199 is in 192.168.0.128/25
  CHECK(decision.length == 129);
  // TTL 64 to 63: the checksum grows by 0100, b861 to b961.
  const Octets expected =
      octets_of("020000000303 020000000301 0800 4500 0073 0000 4000 3f11 b961 c0a8 0001 c0a8 00c7") + Octets(95, 0x11);
  frame.resize(decision.length);
  CHECK(frame == expected);
}

TEST_CASE("verdicts in order: local, no route, ttl, firewall, size") {
  const Router router{kTables};
  Octets frame = frame_to("c0a80001");
  CHECK(forward(router, frame).verdict == DROP_LOCAL);
  frame = frame_to("08080808", 2);
  CHECK(forward(router, frame).verdict == FORWARDED);
  frame = frame_to("08080808", 1);
  CHECK(forward(router, frame).verdict == DROP_TTL);
  frame = frame_to("08080808", 0);
  CHECK(forward(router, frame).verdict == DROP_TTL);
  const Router empty{""};
  frame = frame_to("08080808");
  CHECK(forward(empty, frame).verdict == DROP_NO_ROUTE);
  const Router closed{std::string(kTables) + "default deny\n"};
  frame = frame_to("08080808");
  const Octets before = frame;
  const Decision decision = forward(closed, frame);
  CHECK(decision.verdict == DROP_DENIED);
  CHECK(decision.filtered);
  CHECK(decision.rule == 0);
  CHECK(frame == before);  // a dropped frame is not touched
  const Router small{std::string(kTables) + "port 1 mtu 114\n"};
  frame = frame_to("08080808");
  CHECK(forward(small, frame).verdict == DROP_TOO_BIG);
  const Router enough{std::string(kTables) + "port 1 mtu 115\n"};
  frame = frame_to("08080808");
  CHECK(forward(enough, frame).verdict == FORWARDED);
}

TEST_CASE("any-mac off takes only frames to the port") {
  const Router router{std::string(kTables) + "any-mac off\n"};
  Octets frame = frame_to("08080808");
  CHECK(forward(router, frame).verdict == FORWARDED);
  frame = frame_to("08080808");
  frame[5] = 0x77;
  CHECK(forward(router, frame).verdict == DROP_OTHER_HOST);
}
