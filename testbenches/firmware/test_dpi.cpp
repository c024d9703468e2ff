// The parts of the dpi image without a device: the order of TCP flows, parsing, the table of flows.
#include <memory>
#include <string>

#include "l3fwd.h"

extern "C" {
#include "images/dpi/flows.h"
#include "images/dpi/segment.h"
#include "images/dpi/tcp.h"
}

using namespace l3fwd_test;

namespace {

constexpr std::uint32_t kStart = 0xfffffffa;  // the numbers wrap within the tests

/// A flow's order, and segments by their distance from kStart.
struct Order {
  TcpOrder order{};
  bool ends = false;
  Segment segment{};

  TcpAction take(std::uint32_t offset, const char* data, const char* flags = "") {
    const std::string marks = flags;
    segment = {};
    segment.tcp = true;
    segment.sequence = kStart + offset;
    segment.data = reinterpret_cast<const std::uint8_t*>(data);
    segment.length = static_cast<std::uint32_t>(std::string(data).size());
    segment.syn = marks.find('S') != std::string::npos;
    segment.fin = marks.find('F') != std::string::npos;
    segment.rst = marks.find('R') != std::string::npos;
    return tcp_take(&order, &segment, &ends);
  }
  [[nodiscard]] std::string left() const { return {reinterpret_cast<const char*>(segment.data), segment.length}; }
};

}  // namespace

TEST_CASE("dpi: a TCP flow's octets are taken once and in order") {
  Order flow;
  CHECK(flow.take(0, "", "S") == TCP_PASS);
  CHECK(flow.take(1, "abcde") == TCP_SCAN);
  CHECK(flow.left() == "abcde");
  CHECK(flow.order.next == 0);  // 0xfffffffa + 6
  CHECK(flow.take(1, "abcde") == TCP_PASS);
  CHECK(flow.take(0, "x") == TCP_PASS);  // a keep-alive probe: one octet before what is awaited
  CHECK(flow.take(6, "") == TCP_PASS);
  CHECK(flow.take(7, "g") == TCP_WAIT);
  CHECK(tcp_distance(&flow.order, &flow.segment) == 1);
  CHECK(flow.take(4, "defg") == TCP_SCAN);  // half of it is old
  CHECK(flow.left() == "fg");
  CHECK(flow.take(7, "g") == TCP_PASS);
  CHECK_FALSE(flow.ends);
}

TEST_CASE("dpi: a TCP flow begins with SYN, with SYN and data, or in its midst") {
  Order fast;
  CHECK(fast.take(0, "data", "S") == TCP_SCAN);
  CHECK(fast.left() == "data");
  CHECK(fast.take(5, "more") == TCP_SCAN);
  Order late;
  CHECK(late.take(100, "data") == TCP_SCAN);
  CHECK(late.take(104, "more") == TCP_SCAN);
  CHECK(late.take(90, "before") == TCP_PASS);
}

TEST_CASE("dpi: FIN ends a TCP flow when it is in order, once, and SYN begins it anew") {
  Order flow;
  flow.take(0, "", "S");
  CHECK(flow.take(3, "", "F") == TCP_WAIT);
  CHECK_FALSE(flow.ends);
  CHECK(flow.take(1, "ab", "F") == TCP_SCAN);
  CHECK(flow.ends);
  CHECK(flow.left() == "ab");
  CHECK(flow.take(1, "ab", "F") == TCP_PASS);
  CHECK(flow.take(3, "", "F") == TCP_PASS);
  CHECK(flow.take(4, "late") == TCP_REFUSE);
  CHECK(flow.take(4, "") == TCP_PASS);
  CHECK(flow.take(900, "", "S") == TCP_PASS);
  CHECK(flow.take(901, "new") == TCP_SCAN);
}

TEST_CASE("dpi: SYN within a TCP flow changes nothing") {
  Order flow;
  flow.take(0, "", "S");
  flow.take(1, "ab");
  CHECK(flow.take(500, "", "S") == TCP_PASS);
  CHECK(flow.take(3, "cd") == TCP_SCAN);
}

TEST_CASE("dpi: RST ends a TCP flow in order only, and its data is not the flow's") {
  Order flow;
  flow.take(0, "", "S");
  CHECK(flow.take(5, "", "R") == TCP_PASS);
  CHECK(flow.take(1, "ab") == TCP_SCAN);
  CHECK(flow.take(3, "reason", "R") == TCP_SCAN);
  CHECK(flow.ends);
  CHECK(flow.left().empty());
  CHECK(flow.take(3, "", "R") == TCP_PASS);
  CHECK(flow.take(3, "cd") == TCP_REFUSE);
}

namespace {

// 192.0.2.2 to 198.51.100.2, identification 0, time to live 64; the checksum is said to be known.
Octets ipv4(unsigned total, const char* fragment, const char* protocol) {
  Octets header = octets_of("4500");
  header.push_back(static_cast<std::uint8_t>(total >> 8));
  header.push_back(static_cast<std::uint8_t>(total));
  return header + octets_of("0000") + octets_of(fragment) + octets_of("40") + octets_of(protocol) +
         octets_of("0000 c0000202 c6336402");
}

struct Found {
  bool good;
  Segment segment;
  Octets frame;
  [[nodiscard]] std::string payload() const { return {reinterpret_cast<const char*>(segment.data), segment.length}; }
};

Found parse(Octets frame, unsigned port = 0) {
  Found found{};
  found.frame = std::move(frame);
  found.good =
      segment_parse(&found.segment, found.frame.data(), static_cast<std::uint32_t>(found.frame.size()), port, true);
  return found;
}

const char* const kUdp = "1f40 0035 000b 0000 616263";                                       // "abc"
const char* const kTcp = "1f40 0050 01020304 00000000 6019 ffff 0000 0000 01010101 616263";  // 24 octets of header, FIN

}  // namespace

TEST_CASE("dpi: UDP and TCP payloads are found, without the padding of the frame") {
  const Found udp =
      parse(octets_of(kMac) + octets_of("0800") + ipv4(31, "0000", "11") + octets_of(kUdp) + Octets(15, 0));
  REQUIRE(udp.good);
  CHECK_FALSE(udp.segment.tcp);
  CHECK(udp.payload() == "abc");
  CHECK(udp.segment.key.ports == 0x1f400035);
  const Found tcp =
      parse(octets_of(kMac) + octets_of("0800") + ipv4(47, "4000", "06") + octets_of(kTcp) + Octets(9, 0));
  REQUIRE(tcp.good);
  CHECK(tcp.segment.tcp);
  CHECK(tcp.payload() == "abc");
  CHECK(tcp.segment.sequence == 0x01020304);
  CHECK(tcp.segment.fin);
  CHECK_FALSE(tcp.segment.syn);
  CHECK_FALSE(tcp.segment.rst);
}

TEST_CASE("dpi: ports of the card and VLANs tell flows apart") {
  const Octets body = octets_of("0800") + ipv4(31, "0000", "11") + octets_of(kUdp);
  const auto key = [&](const char* tags, unsigned port) {
    const Found found = parse(octets_of(kMac) + octets_of(tags) + body, port);
    REQUIRE(found.good);
    CHECK(found.payload() == "abc");
    return std::string(reinterpret_cast<const char*>(&found.segment.key), sizeof(FlowKey));
  };
  CHECK(key("", 0) == key("", 0));
  CHECK(key("", 0) != key("", 1));
  CHECK(key("8100 0064", 0) != key("", 0));
  CHECK(key("8100 0000", 0) != key("", 0));
  CHECK(key("8100 6064", 0) == key("8100 0064", 0));  // priority is no part of it
  CHECK(key("88a8 0064 8100 0001", 0) != key("88a8 0064 8100 0002", 0));
}

TEST_CASE("dpi: payload behind IPv6 extension headers") {
  const auto frame = [](const char* length, const char* next, const char* rest) {
    return octets_of(kMac) + octets_of("86dd 60000000") + octets_of(length) + octets_of(next) + octets_of("40") +
           octets_of("20010db8000100000000000000000002 20010db8000200000000000000000002") + octets_of(rest) +
           octets_of(kUdp);
  };
  CHECK(parse(frame("000b", "11", "")).payload() == "abc");
  CHECK(parse(frame("0013", "00", "1100 0104 00000000")).payload() == "abc");
  CHECK(parse(frame("001b", "3c", "2b00 0104 00000000 1100 0000 00000000")).payload() == "abc");
  CHECK(parse(frame("0017", "33", "1101 0000 00000001 00000001")).payload() == "abc");  // AH of 12 octets
  CHECK_FALSE(parse(frame("0013", "2c", "1100 0001 00000001")).good);                   // first fragment
  CHECK_FALSE(parse(frame("0013", "2c", "1100 0008 00000001")).good);                   // later one
}

TEST_CASE("dpi: frames without a whole segment are left alone") {
  const auto udp = [](unsigned total, const char* fragment, const char* datagram) {
    return parse(octets_of(kMac) + octets_of("0800") + ipv4(total, fragment, "11") + octets_of(datagram)).good;
  };
  CHECK(udp(31, "0000", kUdp));
  CHECK_FALSE(udp(31, "2000", kUdp));                          // more fragments
  CHECK_FALSE(udp(31, "0001", kUdp));                          // a later one
  CHECK_FALSE(udp(31, "0000", "1f40 0035 000c 0000 616263"));  // longer than the packet
  CHECK_FALSE(udp(31, "0000", "1f40 0035 0007 0000 616263"));  // shorter than its header
  CHECK(udp(31, "0000", "1f40 0035 0008 0000 616263"));
  CHECK_FALSE(udp(27, "0000", "1f40 0035 0008 00"));
  CHECK_FALSE(parse(octets_of(kMac) + octets_of("0806") + Octets(46, 0)).good);
  CHECK_FALSE(parse(octets_of(kMac) + octets_of("0800") + ipv4(24, "0000", "01") + Octets(4, 0)).good);
  const auto tcp = [](const char* offset) {
    return parse(octets_of(kMac) + octets_of("0800") + ipv4(40, "0000", "06") +
                 octets_of("1f40 0050 01020304 00000000") + octets_of(offset) + octets_of("10 ffff 0000 0000"))
        .good;
  };
  CHECK(tcp("50"));
  CHECK_FALSE(tcp("40"));
  CHECK_FALSE(tcp("60"));  // beyond the packet
}

TEST_CASE("dpi: the flow that was idle longest makes room, blocked ones last") {
  const auto table = std::make_unique<FlowTable>();
  flows_init(table.get(), 3);
  const auto find = [&](std::uint32_t ports) {
    FlowKey key{};
    key.ports = ports;
    bool fresh = false;
    const std::uint32_t number = flows_find(table.get(), &key, &fresh);
    return std::pair(number, fresh);
  };
  CHECK(find(10) == std::pair(0U, true));
  CHECK(find(11) == std::pair(1U, true));
  CHECK(find(12) == std::pair(2U, true));
  CHECK(find(10) == std::pair(0U, false));
  table->flow[1].open = true;
  CHECK(find(13) == std::pair(1U, true));  // 11 is the oldest
  CHECK(table->flow[1].stale);             // and its stream is still open
  table->flow[2].blocked = true;
  CHECK(find(14) == std::pair(0U, true));  // 12 is older and blocked, so 10 goes
  table->flow[1].busy = true;
  table->flow[0].queue_head = 7;
  CHECK(find(15) == std::pair(2U, true));  // the others have frames here
  table->flow[2].waiting = 3;
  CHECK(find(16).first == NONE);
  CHECK(find(14) == std::pair(0U, false));
  CHECK(table->forgotten == 3);
}

TEST_CASE("dpi: whatever a frame holds, its payload lies within it") {
  std::uint64_t state = 1;
  const auto random = [&state](unsigned below) {
    state = state * 6364136223846793005U + 1442695040888963407U;  // Knuth, MMIX
    return static_cast<unsigned>((state >> 33) % below);
  };
  const Octets models[] = {
      octets_of(kMac) + octets_of("0800") + ipv4(31, "0000", "11") + octets_of(kUdp),
      octets_of(kMac) + octets_of("8100 0064 0800") + ipv4(47, "4000", "06") + octets_of(kTcp),
      octets_of(kMac) +
          octets_of("86dd 60000000 001b 3c 40 20010db8000100000000000000000002 20010db8000200000000000000000002"
                    "2b00 0104 00000000 1100 0000 00000000") +
          octets_of(kUdp),
  };
  unsigned good = 0;
  for (unsigned round = 0; round < 30000; ++round) {
    Octets frame = models[round % 3];
    for (unsigned change = random(4); change > 0; --change) {
      frame[random(static_cast<unsigned>(frame.size()))] =
          static_cast<std::uint8_t>(random(2) == 0 ? random(256) : random(64));
    }
    if (random(4) == 0) frame.resize(random(static_cast<unsigned>(frame.size()) + 1));
    frame.shrink_to_fit();  // so that AddressSanitizer sees what is read beyond
    const Found found = parse(std::move(frame));
    if (!found.good) continue;
    ++good;
    const auto begin = static_cast<std::uint64_t>(found.segment.data - found.frame.data());
    REQUIRE(begin >= 42);
    REQUIRE(begin + found.segment.length <= found.frame.size());
  }
  CHECK(good > 5000);
}
