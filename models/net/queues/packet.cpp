#include "net/queues/packet.h"

#include <cstring>

namespace dpusim::net {
namespace {

constexpr std::uint8_t kTcp = 6, kUdp = 17, kHopByHop = 0, kRouting = 43, kFragment = 44, kDestination = 60;
constexpr unsigned kMaxExtensions = 8;  // as many as real parsers follow

std::uint32_t load16(std::span<const std::uint8_t> octets, std::size_t at) {
  return std::uint32_t{octets[at]} << 8 | octets[at + 1];
}

void store16(std::span<std::uint8_t> octets, std::size_t at, std::uint32_t value) {
  octets[at] = static_cast<std::uint8_t>(value >> 8);
  octets[at + 1] = static_cast<std::uint8_t>(value);
}

void set_transport(std::span<const std::uint8_t> frame, Packet& packet, std::uint8_t protocol, std::size_t at,
                   std::size_t length) {
  if (packet.fragment || at + length > frame.size()) return;
  const bool tcp = protocol == kTcp && length >= 20, udp = protocol == kUdp && length >= 8;
  if (!tcp && !udp) return;
  packet.transport = tcp ? Packet::Transport::kTcp : Packet::Transport::kUdp;
  packet.transport_at = static_cast<std::uint32_t>(at);
  packet.transport_length = static_cast<std::uint32_t>(length);
}

void parse_ipv4(std::span<const std::uint8_t> frame, std::size_t at, Packet& packet) {
  if (at + 20 > frame.size() || frame[at] >> 4 != 4) return;
  const std::size_t header = (frame[at] & 0xfU) * 4U, total = load16(frame, at + 2);
  if (header < 20 || at + header > frame.size() || total < header) return;
  packet.network = Packet::Network::kIpv4;
  packet.network_at = static_cast<std::uint32_t>(at);
  packet.network_header = static_cast<std::uint32_t>(header);
  packet.fragment = (load16(frame, at + 6) & 0x3fffU) != 0;  // more fragments, or an offset
  set_transport(frame, packet, frame[at + 9], at + header, total - header);
}

void parse_ipv6(std::span<const std::uint8_t> frame, std::size_t at, Packet& packet) {
  if (at + 40 > frame.size() || frame[at] >> 4 != 6) return;
  packet.network = Packet::Network::kIpv6;
  packet.network_at = static_cast<std::uint32_t>(at);
  const std::size_t end = at + 40 + load16(frame, at + 4);
  std::uint8_t protocol = frame[at + 6];
  at += 40;
  for (unsigned i = 0; i < kMaxExtensions; ++i) {
    const bool extension =
        protocol == kHopByHop || protocol == kRouting || protocol == kDestination || protocol == kFragment;
    if (!extension) break;
    if (at + 8 > frame.size()) return;
    if (protocol == kFragment) packet.fragment = true;
    const std::size_t length = protocol == kFragment ? 8 : (frame[at + 1] + 1U) * 8U;
    protocol = frame[at];
    at += length;
  }
  if (at <= end) set_transport(frame, packet, protocol, at, end - at);
}

// Returns how many octets the checksum covers, 0 when the UDP header contradicts the IP header.
std::size_t covered(std::span<const std::uint8_t> frame, const Packet& packet) {
  if (packet.transport == Packet::Transport::kTcp) return packet.transport_length;
  const std::size_t own = load16(frame, packet.transport_at + 4);
  return own < 8 || own > packet.transport_length ? 0 : own;
}

// Pseudo header: addresses, protocol, length. The order of the 16-bit words does not matter to the sum.
std::uint32_t pseudo_sum(std::span<const std::uint8_t> frame, const Packet& packet, std::size_t length) {
  const bool four = packet.network == Packet::Network::kIpv4;
  const std::uint32_t protocol = packet.transport == Packet::Transport::kTcp ? kTcp : kUdp;
  const std::uint32_t addresses = internet_sum(frame.subspan(packet.network_at + (four ? 12U : 8U), four ? 8 : 32));
  return addresses + protocol + static_cast<std::uint32_t>(length);
}

}  // namespace

Packet parse_packet(std::span<const std::uint8_t> frame) {
  Packet packet;
  std::size_t at = 12;
  if (frame.size() < 14) return packet;
  std::uint32_t type = load16(frame, at);
  for (unsigned tag = 0; tag < 2 && (type == 0x8100 || type == 0x88a8); ++tag) {
    packet.vlan = true;
    at += 4;
    if (at + 2 > frame.size()) return packet;
    type = load16(frame, at);
  }
  if (type == 0x0800) parse_ipv4(frame, at + 2, packet);
  if (type == 0x86dd) parse_ipv6(frame, at + 2, packet);
  return packet;
}

std::uint16_t internet_sum(std::span<const std::uint8_t> octets, std::uint32_t sum) {
  // Summed in host order four octets at a time and swapped at the end: the sum is independent of byte order (RFC 1071
  // 2(B)).
  std::uint64_t total = 0;
  std::size_t at = 0;
  for (; at + 4 <= octets.size(); at += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, &octets[at], 4);
    total += word;
  }
  std::uint32_t rest = 0;
  if (at < octets.size()) std::memcpy(&rest, &octets[at], octets.size() - at);
  total += rest;
  while (total >> 16 != 0) total = (total & 0xffff) + (total >> 16);
  std::uint32_t folded = sum + __builtin_bswap16(static_cast<std::uint16_t>(total));
  while (folded >> 16 != 0) folded = (folded & 0xffff) + (folded >> 16);
  return static_cast<std::uint16_t>(folded);
}

bool ipv4_checksum_ok(std::span<const std::uint8_t> frame, const Packet& packet) {
  return internet_sum(frame.subspan(packet.network_at, packet.network_header)) == 0xffff;
}

ChecksumState transport_checksum(std::span<const std::uint8_t> frame, const Packet& packet) {
  if (packet.transport == Packet::Transport::kOther) return ChecksumState::kNone;
  const bool none_allowed = packet.transport == Packet::Transport::kUdp && packet.network == Packet::Network::kIpv4;
  if (none_allowed && load16(frame, packet.transport_at + 6) == 0) return ChecksumState::kNone;
  const std::size_t length = covered(frame, packet);
  if (length == 0) return ChecksumState::kBad;
  const std::uint16_t sum = internet_sum(frame.subspan(packet.transport_at, length), pseudo_sum(frame, packet, length));
  return sum == 0xffff ? ChecksumState::kOk : ChecksumState::kBad;
}

void insert_ipv4_checksum(std::span<std::uint8_t> frame, const Packet& packet) {
  if (packet.network != Packet::Network::kIpv4) return;
  const std::size_t at = packet.network_at + 10;
  store16(frame, at, 0);
  store16(frame, at, 0xffffU ^ internet_sum(frame.subspan(packet.network_at, packet.network_header)));
}

void insert_transport_checksum(std::span<std::uint8_t> frame, const Packet& packet) {
  if (packet.transport == Packet::Transport::kOther) return;
  const bool udp = packet.transport == Packet::Transport::kUdp;
  const std::size_t at = packet.transport_at + (udp ? 6 : 16), length = covered(frame, packet);
  if (length == 0) return;
  store16(frame, at, 0);
  const std::uint32_t sum =
      0xffffU ^ internet_sum(frame.subspan(packet.transport_at, length), pseudo_sum(frame, packet, length));
  store16(frame, at, udp && sum == 0 ? 0xffffU : sum);  // 0 would mean no checksum (RFC 768)
}

}  // namespace dpusim::net
