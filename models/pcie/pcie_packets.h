// The arithmetic of PCI Express packets: how requests and completions are split, and what they occupy on the wire. No
// time passes here.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/units.h"
#include "tlm/pcie_tlp.h"

namespace dpusim::pcie {

/// Pages that no request crosses. @spec PCIe Base 4.0, 2.2.7
inline constexpr std::uint64_t kRequestPage = 4096;
/// Octets around a packet's header and data: start with sequence number 4 (from 8 GT/s on the STP token, before STP,
/// sequence number and END) and LCRC 4. @spec PCIe Base 4.0, 3.5.2, 4.2.1.2, 4.2.2.3; pcie-bench (SIGCOMM 2018) counts
/// the same
inline constexpr std::uint64_t kFraming = 8;
/// Octets of the optional end-to-end CRC. @spec PCIe Base 4.0, 2.7.1
inline constexpr std::uint64_t kEcrc = 4;

/// Returns how many octets of a request that starts at `address` and has `left` more to go its next packet covers: at
/// most `most` (MPS for writes, MRRS for reads) in whole doublewords, and never past a 4 KiB boundary.
constexpr std::uint64_t request_piece(std::uint64_t address, std::uint64_t left, std::uint64_t most) {
  return std::min({left, most - (address & 3), kRequestPage - address % kRequestPage});
}

/// Returns how many octets the next completion of a read carries: all that are left when MPS permits, else up to the
/// last multiple of the read completion boundary that it reaches. @spec PCIe Base 4.0, 2.3.1.1
constexpr std::uint64_t completion_piece(std::uint64_t address, std::uint64_t left, std::uint64_t mps,
                                         std::uint64_t rcb) {
  const std::uint64_t most = mps - (address & 3);
  return left <= most ? left : most - (address + most) % rcb;
}

/// Returns the doublewords that `octets` from `address` on touch: a packet carries whole ones (2.2.5).
constexpr std::uint64_t doublewords(std::uint64_t address, std::uint64_t octets) {
  return ((address & 3) + octets + 3) / 4;
}

/// What decides how a link splits and charges.
struct LinkShape {
  unsigned generation = 4;
  unsigned lanes = 16;
  Bytes mps{256}, mrrs{512}, rcb{64};
  bool ecrc = false;
  double dllp_overhead = 0;  ///< fraction of the raw rate that DLLPs and SKP ordered sets take

  /// Returns the rate at which packets pass one direction: lanes times the signalling rate, less line coding (8b/10b up
  /// to 5 GT/s, 128b/130b above) and dllp_overhead. @spec PCIe Base 4.0, 4.2.1.1, 4.2.2.1; Base 5.0, 4.2.2
  [[nodiscard]] BitRate rate() const;
  /// Returns what a packet occupies on the wire. @param payload doublewords of data that it carries.
  [[nodiscard]] constexpr Bytes on_wire(const Tlp& packet, std::uint64_t payload) const {
    return Bytes(kFraming + packet.header().count() + 4 * payload + (ecrc ? kEcrc : 0));
  }
};

/// Octets on the wire of all packets of one request, its own direction's and the other's.
struct WireOctets {
  Bytes requests, completions;
};
/// @param octets not 0.
WireOctets write_on_wire(const LinkShape& shape, std::uint64_t address, Bytes octets);
WireOctets read_on_wire(const LinkShape& shape, std::uint64_t address, Bytes octets);

/// Returns the data rate of back-to-back requests of this size when nothing but the link bounds them: its busier
/// direction's.
double ideal_rate(const LinkShape& shape, Bytes octets, const WireOctets& wire);

}  // namespace dpusim::pcie
