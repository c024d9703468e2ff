#include "pcie/pcie_packets.h"

#include <array>

#include "sim/error.h"

namespace dpusim::pcie {

BitRate LinkShape::rate() const {
  static constexpr std::array<std::uint64_t, 5> kMegatransfers = {2'500, 5'000, 8'000, 16'000, 32'000};
  DPUSIM_CHECK(generation >= 1 && generation <= kMegatransfers.size(), "generation {}", generation);
  const std::uint64_t raw = kMegatransfers[generation - 1] * 1'000'000 * lanes;
  const auto coded = static_cast<std::uint64_t>(generation <= 2 ? mul_div(raw, 8, 10) : mul_div(raw, 128, 130));
  return BitRate(static_cast<std::uint64_t>(static_cast<double>(coded) * (1 - dllp_overhead)));
}

WireOctets write_on_wire(const LinkShape& shape, std::uint64_t address, Bytes octets) {
  WireOctets wire{};
  for (std::uint64_t left = octets.count(); left > 0;) {
    const std::uint64_t piece = request_piece(address, left, shape.mps.count());
    wire.requests += shape.on_wire({.type = TlpType::kMemoryWrite, .address = address}, doublewords(address, piece));
    address += piece;
    left -= piece;
  }
  return wire;
}

WireOctets read_on_wire(const LinkShape& shape, std::uint64_t address, Bytes octets) {
  WireOctets wire{};
  for (std::uint64_t left = octets.count(); left > 0;) {
    std::uint64_t asked = request_piece(address, left, shape.mrrs.count());
    wire.requests += shape.on_wire({.type = TlpType::kMemoryRead, .address = address}, 0);
    left -= asked;
    while (asked > 0) {
      const std::uint64_t piece = completion_piece(address, asked, shape.mps.count(), shape.rcb.count());
      wire.completions += shape.on_wire({.type = TlpType::kCompletionData}, doublewords(address, piece));
      address += piece;
      asked -= piece;
    }
  }
  return wire;
}

double ideal_rate(const LinkShape& shape, Bytes octets, const WireOctets& wire) {
  const Bytes busier = std::max(wire.requests, wire.completions);
  return static_cast<double>(shape.rate().count()) * static_cast<double>(octets.count()) /
         static_cast<double>(busier.count());
}

}  // namespace dpusim::pcie
