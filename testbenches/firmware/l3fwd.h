// The forwarder's C code, for tests in C++.
#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

extern "C" {
#include "images/l3fwd/config.h"
#include "images/l3fwd/firewall.h"
#include "images/l3fwd/forward.h"
#include "images/l3fwd/lpm.h"
#include "images/l3fwd/packet.h"
}

namespace l3fwd_test {

using Octets = std::vector<std::uint8_t>;

struct ConfigMessage {
  unsigned line;
  std::string message, word;
};
inline std::vector<ConfigMessage> config_messages;  // NOLINT: the C callback has no argument of its own
inline void note_error(unsigned line, const char* message, const char* word) {
  config_messages.push_back({line, message, word});
}

/// Tables from a text.
struct Router {
  explicit Router(std::string text) {
    config_messages.clear();
    tables_init(tables.get(), memory.get());
    errors = config_apply(tables.get(), text.data(), note_error);
  }
  std::unique_ptr<Tables> tables = std::make_unique<Tables>();
  std::unique_ptr<TableMemory> memory = std::make_unique<TableMemory>();
  unsigned errors = 0;
};

inline Octets octets_of(const char* hex) {
  Octets octets;
  unsigned digits = 0, value = 0;
  for (; *hex != '\0'; ++hex) {
    if (*hex == ' ') continue;
    value = value << 4 | static_cast<unsigned>(std::stoi(std::string(1, *hex), nullptr, 16));
    if (++digits % 2 == 0) octets.push_back(static_cast<std::uint8_t>(value));
  }
  return octets;
}

inline Octets operator+(Octets a, const Octets& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// The IPv4 header that RFC 1071 tutorials and Wikipedia ("Internet checksum") work through: UDP from 192.168.0.1 to
// 192.168.0.199, 115 octets, TTL 64, checksum b861.
inline const char* const kKnownHeader = "4500 0073 0000 4000 4011 b861 c0a8 0001 c0a8 00c7";
inline const char* const kMac = "020000000101 020000000102";

}  // namespace l3fwd_test
