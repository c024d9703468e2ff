// Receive-side scaling: the Toeplitz hash.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "net/queues/packet.h"

namespace dpusim::net {

/// Hashes up to 36 octets with a 40-octet key, an octet at a time from tables that a new key rebuilds.
/// @spec Microsoft, "RSS hashing functions" (NDIS): for each set bit of the input, the 32 bits of the key that begin
/// there.
class ToeplitzHash {
 public:
  static constexpr std::size_t kKey = 40, kMaxInput = 36;
  void set_key(std::span<const std::uint8_t, kKey> key);
  /// @param input at most kMaxInput octets.
  [[nodiscard]] std::uint32_t operator()(std::span<const std::uint8_t> input) const {
    std::uint32_t hash = 0;
    for (std::size_t i = 0; i < input.size(); ++i) hash ^= tables_[i * 256 + input[i]];
    return hash;
  }

 private:
  std::vector<std::uint32_t> tables_ = std::vector<std::uint32_t>(kMaxInput * 256);
};

/// Which packets are hashed over what (bits 2 to 7 of PORT_CONTROL, moved down).
struct HashTypes {
  bool ipv4, tcp_ipv4, udp_ipv4, ipv6, tcp_ipv6, udp_ipv6;
};

struct PacketHash {
  std::uint32_t value;
  bool transport;  ///< over ports too
};

/// Hashes a packet over addresses and, where `types` says so, ports. @return nothing where no type applies.
std::optional<PacketHash> hash_packet(const ToeplitzHash& hash, std::span<const std::uint8_t> frame,
                                      const Packet& packet, const HashTypes& types);

}  // namespace dpusim::net
