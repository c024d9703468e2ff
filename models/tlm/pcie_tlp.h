// The PCI Express transaction layer packet's header: what a link splits requests into.
#pragma once

#include <cstdint>

#include "sim/units.h"

namespace dpusim {

/// Bus, device and function number. @spec PCIe Base 4.0, 2.2.4.2
struct PcieId {
  std::uint8_t bus = 0, device = 0, function = 0;
  [[nodiscard]] constexpr std::uint16_t packed() const {
    return static_cast<std::uint16_t>(bus << 8 | (device & 0x1f) << 3 | (function & 7));
  }
  constexpr bool operator==(const PcieId&) const = default;
};

/// What a packet asks for or answers. @spec PCIe Base 4.0, table 2-3
enum class TlpType : std::uint8_t {
  kMemoryRead,
  kMemoryWrite,
  kConfigurationRead,
  kConfigurationWrite,
  kMessage,  ///< without data
  kMessageData,
  kCompletion,  ///< without data: of writes, and of reads that failed
  kCompletionData,
};

/// Completion status. @spec PCIe Base 4.0, table 2-34
enum class CompletionStatus : std::uint8_t {
  kSuccessful = 0,
  kUnsupportedRequest = 1,
  kRetry = 2,
  kCompleterAbort = 4
};

/// A transaction layer packet.
struct Tlp {
  TlpType type = TlpType::kMemoryRead;
  std::uint64_t address = 0;  ///< memory: octet address of the first doubleword; configuration: register number
  std::uint16_t length = 1;   ///< doublewords, 1 to 1024, of data carried or asked for
  std::uint8_t first_enables = 0xf, last_enables = 0;  ///< octets of the first and last doubleword (2.2.5)
  PcieId requester{}, completer{};
  std::uint16_t tag = 0;  ///< matches completions with their request
  std::uint8_t traffic_class = 0;
  bool relaxed_ordering = false, no_snoop = false;
  CompletionStatus status = CompletionStatus::kSuccessful;
  std::uint16_t byte_count = 0;      ///< completions: octets still to come, this packet's included
  std::uint8_t lower_address = 0;    ///< completions: low bits of the address of the first octet

  /// Tells whether it carries data.
  [[nodiscard]] constexpr bool has_data() const {
    return type == TlpType::kMemoryWrite || type == TlpType::kConfigurationWrite || type == TlpType::kMessageData ||
           type == TlpType::kCompletionData;
  }
  /// Tells whether no completion answers it (2.4: posted requests).
  [[nodiscard]] constexpr bool posted() const {
    return type == TlpType::kMemoryWrite || type == TlpType::kMessage || type == TlpType::kMessageData;
  }
  /// Returns the header's size: four doublewords for memory at or above 4 GiB and for messages, else three.
  /// @spec PCIe Base 4.0, 2.2.4.1, 2.2.7, 2.2.8, 2.2.9
  [[nodiscard]] constexpr Bytes header() const {
    const bool memory = type == TlpType::kMemoryRead || type == TlpType::kMemoryWrite;
    const bool message = type == TlpType::kMessage || type == TlpType::kMessageData;
    return Bytes((memory && address >> 32 != 0) || message ? 16 : 12);
  }
};
}  // namespace dpusim
