#include "net/queues/toeplitz.h"

#include <algorithm>

namespace dpusim::net {

void ToeplitzHash::set_key(std::span<const std::uint8_t, kKey> key) {
  for (std::size_t position = 0; position < kMaxInput; ++position) {
    // The 39 key bits from this octet on hold the window of each of its bits.
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < 5; ++i) bits = bits << 8 | (position + i < kKey ? key[position + i] : 0U);
    std::uint32_t* table = &tables_[position * 256];
    table[0] = 0;
    for (unsigned value = 1; value < 256; ++value) {
      const auto lowest = static_cast<unsigned>(__builtin_ctz(value));
      table[value] = table[value & (value - 1)] ^ static_cast<std::uint32_t>(bits >> (1 + lowest));
    }
  }
}

std::optional<PacketHash> hash_packet(const ToeplitzHash& hash, std::span<const std::uint8_t> frame,
                                      const Packet& packet, const HashTypes& types) {
  if (packet.network == Packet::Network::kOther) return std::nullopt;
  const bool four = packet.network == Packet::Network::kIpv4;
  const bool ports = (packet.transport == Packet::Transport::kTcp && (four ? types.tcp_ipv4 : types.tcp_ipv6)) ||
                     (packet.transport == Packet::Transport::kUdp && (four ? types.udp_ipv4 : types.udp_ipv6));
  if (!ports && !(four ? types.ipv4 : types.ipv6)) return std::nullopt;
  std::array<std::uint8_t, ToeplitzHash::kMaxInput> input;
  const std::size_t addresses = four ? 8 : 32;
  std::copy_n(&frame[packet.network_at + (four ? 12U : 8U)], addresses, input.begin());
  if (ports) std::copy_n(&frame[packet.transport_at], 4, input.begin() + static_cast<std::ptrdiff_t>(addresses));
  return PacketHash{hash({input.data(), addresses + (ports ? 4 : 0)}), ports};
}

}  // namespace dpusim::net
