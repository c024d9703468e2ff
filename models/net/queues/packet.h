// What offloads need to know of a frame: where its headers are, and internet checksums.
#pragma once

#include <cstdint>
#include <span>

namespace dpusim::net {

/// Headers of a frame as far as receive-side scaling and checksum offload look at them.
struct Packet {
  enum class Network : std::uint8_t { kOther, kIpv4, kIpv6 };
  enum class Transport : std::uint8_t { kOther, kTcp, kUdp };
  Network network = Network::kOther;
  Transport transport = Transport::kOther;  ///< kOther in fragments
  bool vlan = false;
  bool fragment = false;
  std::uint32_t network_at = 0;      ///< octet of the IP header
  std::uint32_t network_header = 0;  ///< octets of the IPv4 header, options included
  std::uint32_t transport_at = 0;    ///< octet of the TCP or UDP header
  std::uint32_t transport_length =
      0;  ///< octets of the segment or datagram as the IP header says; all are in the frame
};

/// Parses Ethernet, up to two VLAN tags (802.1Q, 802.1ad), IPv4 with options, IPv6 with extension headers, TCP, UDP.
/// What is cut short or contradicts itself is kOther from that layer on.
Packet parse_packet(std::span<const std::uint8_t> frame);

/// Returns the one's complement sum of `octets` in network order, folded to 16 bits, started from `sum`. @spec RFC
/// 1071.
std::uint16_t internet_sum(std::span<const std::uint8_t> octets, std::uint32_t sum = 0);

/// Tells whether the IPv4 header's checksum is right. @param packet of network kIpv4. @spec RFC 791.
bool ipv4_checksum_ok(std::span<const std::uint8_t> frame, const Packet& packet);

enum class ChecksumState : std::uint8_t { kNone, kOk, kBad };
/// Checks the TCP or UDP checksum over pseudo header and data; kNone for other packets, fragments, and UDP over IPv4
/// without one.
/// @spec RFC 768, RFC 8200 clause 8.1, RFC 9293 clause 3.1.
ChecksumState transport_checksum(std::span<const std::uint8_t> frame, const Packet& packet);

/// Writes the checksums into a frame to be sent; does nothing where they do not apply.
void insert_ipv4_checksum(std::span<std::uint8_t> frame, const Packet& packet);
void insert_transport_checksum(std::span<std::uint8_t> frame, const Packet& packet);

}  // namespace dpusim::net
