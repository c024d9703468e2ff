#include "l3fwd.h"

using namespace l3fwd_test;

namespace {

struct Parsed {
  Verdict verdict;
  Packet packet;
  Octets frame;
};

Parsed parse(Octets frame) {
  Parsed parsed{};
  parsed.frame = std::move(frame);
  parsed.verdict =
      packet_parse(&parsed.packet, parsed.frame.data(), static_cast<std::uint32_t>(parsed.frame.size()), false);
  return parsed;
}

Octets udp(const char* header = kKnownHeader) {  // 115 octets of IP: 20 of header, ports 4000 and 53, the rest zero
  return octets_of(kMac) + octets_of("0800") + octets_of(header) + octets_of("0fa0 0035 005f 0000") + Octets(87, 0);
}

Octets ipv6(const char* next_and_limit, const char* payload) {
  Octets body = octets_of(payload);
  Octets header = octets_of("60000000");
  header.push_back(static_cast<std::uint8_t>(body.size() >> 8));
  header.push_back(static_cast<std::uint8_t>(body.size()));
  return octets_of(kMac) + octets_of("86dd") + header + octets_of(next_and_limit) +
         octets_of("20010db8000100000000000000000002 20010db8000200000000000000000002") + body;
}

}  // namespace

TEST_CASE("checksum of a published header") {
  Octets header = octets_of(kKnownHeader);
  CHECK(checksum_sum(header.data(), 20) == 0xffff);
  header[10] = header[11] = 0;
  CHECK(static_cast<std::uint16_t>(~checksum_sum(header.data(), 20)) == 0xb861);
  // RFC 1071 section 3: 00 01 f2 03 f4 f5 f6 f7 sums to ddf2.
  const Octets example = octets_of("0001f203f4f5f6f7");
  CHECK(checksum_sum(example.data(), 8) == 0xddf2);
}

TEST_CASE("the incremental checksum equals the recomputed one for every time to live and many checksums") {
  for (unsigned ident = 0; ident < 65536; ident += 257) {
    for (unsigned ttl = 1; ttl < 256; ++ttl) {
      Octets header = octets_of(kKnownHeader);
      header[4] = static_cast<std::uint8_t>(ident >> 8);
      header[5] = static_cast<std::uint8_t>(ident);
      header[8] = static_cast<std::uint8_t>(ttl);
      header[10] = header[11] = 0;
      const auto sum = static_cast<std::uint16_t>(~checksum_sum(header.data(), 20));
      header[10] = static_cast<std::uint8_t>(sum >> 8);
      header[11] = static_cast<std::uint8_t>(sum);
      ipv4_decrement_ttl(header.data());
      REQUIRE(header[8] == ttl - 1);
      const unsigned updated = header[10] << 8U | header[11];
      header[10] = header[11] = 0;
      // RFC 1624: the same as recomputing, for a non-zero header.
      REQUIRE(updated == static_cast<std::uint16_t>(~checksum_sum(header.data(), 20)));
    }
  }
}

TEST_CASE("a checksum that becomes zero is 0000 and not ffff") {
  // The corner that RFC 1141's equation gets wrong (RFC 1624 section 4): after the change the words other than the
  // checksum sum to ffff. Here 4500 + b9ff + 0200 = 0100 folded before, so the checksum is feff; 4500 + b9ff + 0100 =
  // ffff after, so it must become 0000.
  Octets header(20, 0);
  header[0] = 0x45;
  header[2] = 0xb9;
  header[3] = 0xff;
  header[8] = 0x02;  // time to live; protocol 0
  const auto sum = static_cast<std::uint16_t>(~checksum_sum(header.data(), 20));
  header[10] = static_cast<std::uint8_t>(sum >> 8);
  header[11] = static_cast<std::uint8_t>(sum);
  REQUIRE(sum == 0xfeff);
  ipv4_decrement_ttl(header.data());
  CHECK(header[10] == 0x00);
  CHECK(header[11] == 0x00);
}

TEST_CASE("a good frame gives its flow, and padding is told from payload") {
  Parsed parsed = parse(udp() + Octets(3, 0xee));
  CHECK(parsed.verdict == FORWARDED);
  CHECK(parsed.packet.length == 115);
  CHECK(parsed.packet.ip == parsed.frame.data() + 14);
  const Flow& flow = parsed.packet.flow;
  CHECK(flow.version == 4);
  CHECK(flow.protocol == 17);
  CHECK(flow.has_ports);
  CHECK(flow.source_port == 4000);
  CHECK(flow.destination_port == 53);
  CHECK(std::memcmp(flow.source, "\xc0\xa8\x00\x01", 4) == 0);
  CHECK(std::memcmp(flow.destination, "\xc0\xa8\x00\xc7", 4) == 0);
}

TEST_CASE("one or two VLAN tags are seen through, a third is not IP") {
  const Octets tail = octets_of("0800") + octets_of(kKnownHeader) + Octets(95, 0);
  CHECK(parse(octets_of(kMac) + octets_of("81006064") + tail).verdict == FORWARDED);
  CHECK(parse(octets_of(kMac) + octets_of("88a8006481000064") + tail).verdict == FORWARDED);
  CHECK(parse(octets_of(kMac) + octets_of("88a800648100006481000064") + tail).verdict == DROP_NOT_IP);
  CHECK(parse(octets_of(kMac) + octets_of("8100606408")).verdict == DROP_SHORT);
}

TEST_CASE("malformed IPv4 is dropped for its reason") {
  CHECK(parse(Octets(13, 0)).verdict == DROP_SHORT);
  CHECK(parse(octets_of(kMac) + octets_of("0806") + Octets(28, 0)).verdict == DROP_NOT_IP);
  CHECK(parse(octets_of(kMac) + octets_of("0800") + Octets(19, 0x45)).verdict == DROP_TRUNCATED);
  CHECK(parse(udp("6500 0073 0000 4000 4011 9861 c0a8 0001 c0a8 00c7")).verdict == DROP_VERSION);
  CHECK(parse(udp("4400 0073 0000 4000 4011 b961 c0a8 0001 c0a8 00c7")).verdict == DROP_HEADER_LENGTH);
  CHECK(parse(udp("4500 0013 0000 4000 4011 b8c1 c0a8 0001 c0a8 00c7")).verdict == DROP_HEADER_LENGTH);
  CHECK(parse(udp("4500 0074 0000 4000 4011 b860 c0a8 0001 c0a8 00c7")).verdict ==
        DROP_TRUNCATED);  // one octet too long
  CHECK(parse(udp("4500 0073 0000 4000 4011 b862 c0a8 0001 c0a8 00c7")).verdict == DROP_CHECKSUM);
}

TEST_CASE("addresses that are not forwarded") {
  // checksum_known stands for a right checksum, so that only the addresses differ.
  const auto verdict = [](const char* source, const char* destination, const char* mac = kMac) {
    Octets frame = octets_of(mac) + octets_of("0800 4500 0073 0000 4000 4011 0000") + octets_of(source) +
                   octets_of(destination) + Octets(95, 0);
    Packet packet;
    return packet_parse(&packet, frame.data(), static_cast<std::uint32_t>(frame.size()), true);
  };
  CHECK(verdict("c0000201", "c6336402") == FORWARDED);
  CHECK(verdict("00000000", "c6336402") == DROP_ADDRESS);
  CHECK(verdict("7f000001", "c6336402") == DROP_ADDRESS);
  CHECK(verdict("e0000001", "c6336402") == DROP_ADDRESS);
  CHECK(verdict("ffffffff", "c6336402") == DROP_ADDRESS);
  CHECK(verdict("c0000201", "7f000001") == DROP_NOT_UNICAST);
  CHECK(verdict("c0000201", "e0000001") == DROP_NOT_UNICAST);
  CHECK(verdict("c0000201", "efffffff") == DROP_NOT_UNICAST);
  CHECK(verdict("c0000201", "ffffffff") == DROP_NOT_UNICAST);
  CHECK(verdict("c0000201", "c6336402", "01005e000001 020000000102") == DROP_NOT_UNICAST);
  CHECK(verdict("c0000201", "c6336402", "ffffffffffff 020000000102") == DROP_NOT_UNICAST);
}

TEST_CASE("fragments: only the first has ports") {
  CHECK(parse(udp("4500 0073 0000 2000 4011 d861 c0a8 0001 c0a8 00c7")).packet.flow.has_ports);
  const Parsed later = parse(udp("4500 0073 0000 0001 4011 f860 c0a8 0001 c0a8 00c7"));
  CHECK(later.verdict == FORWARDED);
  CHECK_FALSE(later.packet.flow.has_ports);
}

TEST_CASE("IPv6 and its extension headers") {
  Parsed plain = parse(ipv6("1140", "0fa0003500080000"));
  CHECK(plain.verdict == FORWARDED);
  CHECK(plain.packet.length == 48);
  CHECK(plain.packet.flow.destination_port == 53);
  // Hop-by-hop (8 octets), destination options (16 octets), then TCP to port 23.
  Parsed chain = parse(
      ipv6("0040", "3c00010400000000 0601010c00000000 0000000000000000 c0000017 00000000 00000000 50000000 00000000"));
  CHECK(chain.verdict == FORWARDED);
  CHECK(chain.packet.flow.protocol == 6);
  CHECK(chain.packet.flow.has_ports);
  CHECK(chain.packet.flow.destination_port == 23);
  // Fragment headers: offset 0 with ports, offset 1 (in units of 8) without.
  CHECK(parse(ipv6("2c40", "1100000100000001 0fa0003500080000")).packet.flow.destination_port == 53);
  const Parsed later = parse(ipv6("2c40", "1100000800000001 0fa0003500080000"));
  CHECK(later.packet.flow.protocol == 17);
  CHECK_FALSE(later.packet.flow.has_ports);
  // An extension that runs beyond the packet: no ports, no read beyond.
  const Parsed beyond = parse(ipv6("0040", "06ff000000000000"));
  CHECK(beyond.verdict == FORWARDED);
  CHECK_FALSE(beyond.packet.flow.has_ports);
}

TEST_CASE("malformed IPv6 is dropped for its reason") {
  Octets frame = ipv6("1140", "0fa0003500080000");
  frame.pop_back();
  CHECK(parse(frame).verdict == DROP_TRUNCATED);
  frame = ipv6("1140", "");
  frame[14] = 0x45;
  CHECK(parse(frame).verdict == DROP_VERSION);
  CHECK(parse(octets_of(kMac) + octets_of("86dd") + Octets(39, 0x60)).verdict == DROP_TRUNCATED);
  CHECK(parse(ipv6("0040", "")).verdict == DROP_TRUNCATED);  // a jumbogram has its length in an option
  const auto with = [](unsigned at, const char* address) {
    Octets changed = ipv6("1140", "0fa0003500080000");
    const Octets bytes = octets_of(address);
    std::copy(bytes.begin(), bytes.end(), changed.begin() + 14 + at);
    return parse(changed).verdict;
  };
  CHECK(with(8, "00000000000000000000000000000000") == DROP_ADDRESS);
  CHECK(with(8, "00000000000000000000000000000001") == DROP_ADDRESS);
  CHECK(with(8, "ff020000000000000000000000000001") == DROP_ADDRESS);
  CHECK(with(8, "fe800000000000000000000000000001") == DROP_NOT_UNICAST);
  CHECK(with(24, "ff020000000000000000000000000001") == DROP_NOT_UNICAST);
  CHECK(with(24, "fe800000000000000000000000000001") == DROP_NOT_UNICAST);
  CHECK(with(24, "00000000000000000000000000000001") == DROP_NOT_UNICAST);
}
