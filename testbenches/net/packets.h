// Builds IP frames with right checksums, computed 16 bits at a time as RFC 1071 says it first.
#pragma once

#include <arpa/inet.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace packets {

using Octets = std::vector<std::uint8_t>;

inline std::uint32_t add_words(std::uint32_t sum, const Octets& octets) {
  for (std::size_t i = 0; i < octets.size(); i += 2) {
    sum += static_cast<std::uint32_t>(octets[i] << 8) + (i + 1 < octets.size() ? octets[i + 1] : 0U);
  }
  return sum;
}
inline void put16(Octets& octets, std::size_t at, std::uint32_t value) {
  octets[at] = static_cast<std::uint8_t>(value >> 8);
  octets[at + 1] = static_cast<std::uint8_t>(value);
}
inline std::uint32_t fold(std::uint32_t sum) {
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return ~sum & 0xffff;
}

/// Returns Ethernet + IPv4 or IPv6 (by the addresses' text) + TCP (6), UDP (17) or eight zero octets + `payload`
/// octets.
inline Octets ip_frame(const std::string& source, const std::string& destination, std::uint8_t protocol,
                       std::uint16_t source_port, std::uint16_t destination_port, std::size_t payload) {
  const bool four = source.find(':') == std::string::npos;
  Octets from(four ? 4 : 16), to(four ? 4 : 16);
  if (inet_pton(four ? AF_INET : AF_INET6, source.c_str(), from.data()) != 1 ||
      inet_pton(four ? AF_INET : AF_INET6, destination.c_str(), to.data()) != 1) {
    throw std::invalid_argument("address");
  }
  Octets segment(protocol == 6 ? 20 : 8);
  if (protocol == 6 || protocol == 17) {
    put16(segment, 0, source_port);
    put16(segment, 2, destination_port);
  }
  if (protocol == 6) segment[12] = 0x50;
  for (std::size_t i = 0; i < payload; ++i) segment.push_back(static_cast<std::uint8_t>(i * 3 + 1));
  if (protocol == 17) put16(segment, 4, static_cast<std::uint32_t>(segment.size()));
  if (protocol == 6 || protocol == 17) {
    const std::uint32_t sum =
        add_words(add_words(add_words(0, from), to), segment) + protocol + static_cast<std::uint32_t>(segment.size());
    put16(segment, protocol == 6 ? 16 : 6, fold(sum));
  }
  Octets frame = {2,
                  0,
                  0,
                  0,
                  0,
                  1,
                  2,
                  0,
                  0,
                  0,
                  0,
                  2,
                  static_cast<std::uint8_t>(four ? 0x08 : 0x86),
                  static_cast<std::uint8_t>(four ? 0 : 0xdd)};
  Octets header(four ? 20 : 40);
  if (four) {
    header[0] = 0x45;
    put16(header, 2, static_cast<std::uint32_t>(20 + segment.size()));
    header[8] = 64;
    header[9] = protocol;
    std::copy(from.begin(), from.end(), header.begin() + 12);
    std::copy(to.begin(), to.end(), header.begin() + 16);
    put16(header, 10, fold(add_words(0, header)));
  } else {
    header[0] = 0x60;
    put16(header, 4, static_cast<std::uint32_t>(segment.size()));
    header[6] = protocol;
    header[7] = 64;
    std::copy(from.begin(), from.end(), header.begin() + 8);
    std::copy(to.begin(), to.end(), header.begin() + 24);
  }
  frame.insert(frame.end(), header.begin(), header.end());
  frame.insert(frame.end(), segment.begin(), segment.end());
  return frame;
}

}  // namespace packets
