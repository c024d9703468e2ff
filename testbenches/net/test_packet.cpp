#include <algorithm>
#include <catch2/catch.hpp>

#include "net/queues/packet.h"
#include "net/queues/toeplitz.h"
#include "packets.h"

using namespace dpusim::net;
using namespace packets;

namespace {

// Microsoft, "Verifying the RSS hash calculation": the key of all published vectors.
constexpr std::uint8_t kKey[40] = {0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
                                   0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
                                   0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};
constexpr HashTypes kAll{true, true, true, true, true, true};

std::optional<PacketHash> hash_of(const Octets& frame, const HashTypes& types = kAll) {
  static const ToeplitzHash hash = [] {
    ToeplitzHash made;
    made.set_key(kKey);
    return made;
  }();
  return hash_packet(hash, frame, parse_packet(frame), types);
}

}  // namespace

TEST_CASE("RSS: Microsoft's published vectors") {
  struct Vector {
    const char *source, *destination;
    std::uint16_t source_port, destination_port;
    std::uint32_t addresses, ports;
  };
  const Vector four[] = {{"66.9.149.187", "161.142.100.80", 2794, 1766, 0x323e8fc2, 0x51ccc178},
                         {"199.92.111.2", "65.69.140.83", 14230, 4739, 0xd718262a, 0xc626b0ea},
                         {"24.19.198.95", "12.22.207.184", 12898, 38024, 0xd2d0a5de, 0x5c2b394a},
                         {"38.27.205.30", "209.142.163.6", 48228, 2217, 0x82989176, 0xafc7327f},
                         {"153.39.163.191", "202.188.127.2", 44251, 1303, 0x5d1809c5, 0x10e828a2}};
  const Vector six[] = {
      {"3ffe:2501:200:1fff::7", "3ffe:2501:200:3::1", 2794, 1766, 0x2cc18cd5, 0x40207d3d},
      {"3ffe:501:8::260:97ff:fe40:efab", "ff02::1", 14230, 4739, 0x0f0c461c, 0xdde51bbf},
      {"3ffe:1900:4545:3:200:f8ff:fe21:67cf", "fe80::200:f8ff:fe21:67cf", 44251, 38024, 0x4b61e985, 0x02d1feef}};
  for (const auto& list :
       {std::vector<Vector>(std::begin(four), std::end(four)), std::vector<Vector>(std::begin(six), std::end(six))}) {
    for (const Vector& vector : list) {
      CAPTURE(vector.source);
      for (const std::uint8_t protocol : {std::uint8_t{6}, std::uint8_t{17}}) {
        const Octets frame =
            ip_frame(vector.source, vector.destination, protocol, vector.source_port, vector.destination_port, 10);
        CHECK(hash_of(frame)->value == vector.ports);
        CHECK(hash_of(frame)->transport);
        const HashTypes addresses_only{true, false, false, true, false, false};
        CHECK(hash_of(frame, addresses_only)->value == vector.addresses);
        CHECK_FALSE(hash_of(frame, addresses_only)->transport);
        CHECK_FALSE(hash_of(frame, HashTypes{}).has_value());
      }
    }
  }
}

TEST_CASE("RSS: fragments and other transports hash by addresses, frames that are not IP not at all") {
  Octets fragment = ip_frame("66.9.149.187", "161.142.100.80", 6, 2794, 1766, 10);
  fragment[20] = 0x20;  // more fragments
  CHECK(hash_of(fragment)->value == 0x323e8fc2);
  CHECK_FALSE(hash_of(fragment)->transport);
  const Octets icmp = ip_frame("66.9.149.187", "161.142.100.80", 1, 0, 0, 10);
  CHECK(hash_of(icmp)->value == 0x323e8fc2);
  Octets arp(60, 0);
  arp[12] = 0x08;
  arp[13] = 0x06;
  CHECK_FALSE(hash_of(arp).has_value());
}

TEST_CASE("parser: VLAN tags, options, extension headers") {
  Octets frame = ip_frame("66.9.149.187", "161.142.100.80", 6, 2794, 1766, 10);
  const std::uint8_t tags[] = {0x88, 0xa8, 0, 1, 0x81, 0, 0, 2};
  frame.insert(frame.begin() + 12, std::begin(tags), std::end(tags));
  Packet packet = parse_packet(frame);
  CHECK(packet.vlan);
  CHECK(packet.network_at == 22);
  CHECK(packet.transport == Packet::Transport::kTcp);
  CHECK(hash_of(frame)->value == 0x51ccc178);

  // An IPv6 hop-by-hop header of 8 octets in front of UDP.
  Octets six = ip_frame("3ffe:2501:200:1fff::7", "3ffe:2501:200:3::1", 17, 2794, 1766, 10);
  const std::uint8_t hop[] = {17, 0, 1, 4, 0, 0, 0, 0};
  six.insert(six.begin() + 54, std::begin(hop), std::end(hop));
  six[20] = 0;  // next header: hop-by-hop
  six[19] = static_cast<std::uint8_t>(six[19] + 8);
  packet = parse_packet(six);
  CHECK(packet.transport == Packet::Transport::kUdp);
  CHECK(packet.transport_at == 62);
  CHECK(transport_checksum(six, packet) == ChecksumState::kOk);
  six[20] = 44;  // a fragment header instead
  CHECK(parse_packet(six).fragment);
  CHECK(parse_packet(six).transport == Packet::Transport::kOther);
}

TEST_CASE("parser: frames cut at every octet never claim octets that are not there") {
  for (const char* destination : {"161.142.100.80", "3ffe:2501:200:3::1"}) {
    const char* source = destination[0] == '1' ? "66.9.149.187" : "3ffe:2501:200:1fff::7";
    const Octets whole = ip_frame(source, destination, 6, 2794, 1766, 10);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const Octets cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      const Packet packet = parse_packet(cut);
      CHECK(packet.transport == Packet::Transport::kOther);  // the IP length says more than there is
      CHECK(packet.network_at + packet.network_header <= std::max<std::size_t>(size, 1));
      CHECK(transport_checksum(cut, packet) == ChecksumState::kNone);
    }
  }
}

TEST_CASE("checksum: RFC 1071's example, odd lengths, and IPv4's textbook header") {
  // RFC 1071 clause 3: 00 01 f2 03 f4 f5 f6 f7 sums to ddf2.
  const std::uint8_t example[] = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
  CHECK(internet_sum(example) == 0xddf2);
  // An odd octet counts as if a zero followed: 00 01 + f2 00 = f201.
  CHECK(internet_sum(std::span(example).first(3)) == 0xf201);
  CHECK(internet_sum({}) == 0);
  // 45 00 00 73 00 00 40 00 40 11 b8 61 c0 a8 00 01 c0 a8 00 c7: the header known from textbooks, checksum b861.
  Octets frame(14 + 0x73, 0);
  const std::uint8_t header[] = {0x45, 0, 0,    0x73, 0, 0, 0x40, 0,    0x40, 0x11,
                                 0,    0, 0xc0, 0xa8, 0, 1, 0xc0, 0xa8, 0,    0xc7};
  frame[12] = 8;
  std::copy(std::begin(header), std::end(header), frame.begin() + 14);
  const Packet packet = parse_packet(frame);
  REQUIRE(packet.network == Packet::Network::kIpv4);
  CHECK_FALSE(ipv4_checksum_ok(frame, packet));
  insert_ipv4_checksum(frame, packet);
  CHECK(frame[24] == 0xb8);
  CHECK(frame[25] == 0x61);
  CHECK(ipv4_checksum_ok(frame, packet));
}

TEST_CASE("checksum: TCP and UDP over both networks, damage in every octet is seen") {
  for (const bool four : {true, false}) {
    for (const std::uint8_t protocol : {std::uint8_t{6}, std::uint8_t{17}}) {
      // ip_frame computes its checksums the long way, 16 bits at a time.
      const Octets good = ip_frame(four ? "66.9.149.187" : "3ffe:2501:200:1fff::7",
                                   four ? "161.142.100.80" : "3ffe:2501:200:3::1", protocol, 2794, 1766, 11);
      const Packet packet = parse_packet(good);
      CHECK(transport_checksum(good, packet) == ChecksumState::kOk);
      for (std::size_t at = packet.transport_at; at < good.size(); ++at) {
        Octets bad = good;
        bad[at] ^= 0x10;
        CHECK(transport_checksum(bad, packet) == ChecksumState::kBad);
      }
      Octets inserted = good;
      const std::size_t field = packet.transport_at + (protocol == 6 ? 16U : 6U);
      inserted[field] = inserted[field + 1] = 0xaa;
      insert_transport_checksum(inserted, packet);
      CHECK(inserted == good);
    }
  }
}

TEST_CASE("checksum: a UDP checksum of 0 is none over IPv4, and a computed 0 is sent as ffff") {
  Octets frame = ip_frame("66.9.149.187", "161.142.100.80", 17, 2794, 1766, 2);
  const Packet packet = parse_packet(frame);
  frame[packet.transport_at + 6] = frame[packet.transport_at + 7] = 0;
  CHECK(transport_checksum(frame, packet) == ChecksumState::kNone);
  // Choosing the payload as the checksum that it would have with payload 0 makes the sum all ones.
  frame[packet.transport_at + 8] = frame[packet.transport_at + 9] = 0;
  insert_transport_checksum(frame, packet);
  frame[packet.transport_at + 8] = frame[packet.transport_at + 6];
  frame[packet.transport_at + 9] = frame[packet.transport_at + 7];
  insert_transport_checksum(frame, packet);
  CHECK(frame[packet.transport_at + 6] == 0xff);
  CHECK(frame[packet.transport_at + 7] == 0xff);
  CHECK(transport_checksum(frame, packet) == ChecksumState::kOk);
}
