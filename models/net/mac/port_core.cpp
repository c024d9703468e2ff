#include "net/mac/port_core.h"

#include <fmt/format.h>

namespace dpusim::net {
namespace {

struct CounterText {
  const char *name, *unit, *text;
};

constexpr CounterText kCounterTexts[] = {
    {"etherStatsOctets", "octets", "Octets received, FCS included, bad frames included"},
    {"etherStatsPkts", "frames", "Frames received, bad frames included"},
    {"etherStatsBroadcastPkts", "frames", "Good broadcast frames received"},
    {"etherStatsMulticastPkts", "frames", "Good multicast frames received, broadcast not included"},
    {"etherStatsCRCAlignErrors", "frames", "Frames received with a wrong FCS"},
    {"etherStatsUndersizePkts", "frames", "Frames received without a whole header; dropped"},
    {"etherStatsOversizePkts", "frames", "Frames received longer than the MTU, FCS right; dropped"},
    {"etherStatsJabbers", "frames", "Frames received longer than the MTU, FCS wrong; dropped"},
    {"etherStatsDropEvents", "frames", "Good frames lost because the receive buffer was full"},
    {"etherStatsPkts64Octets", "frames", "Frames received of 64 octets, FCS and bad frames included"},
    {"etherStatsPkts65to127Octets", "frames", "Frames received of 65 to 127 octets"},
    {"etherStatsPkts128to255Octets", "frames", "Frames received of 128 to 255 octets"},
    {"etherStatsPkts256to511Octets", "frames", "Frames received of 256 to 511 octets"},
    {"etherStatsPkts512to1023Octets", "frames", "Frames received of 512 to 1023 octets"},
    {"etherStatsPkts1024to1518Octets", "frames", "Frames received of 1024 to 1518 octets"},
    {"rx_pkts_1519_to_max_octets", "frames", "Frames received of 1519 octets and more"},
    {"ifInOctets", "octets", "Octets received, FCS included, bad frames included"},
    {"ifInUcastPkts", "frames", "Unicast frames handed over"},
    {"ifInMulticastPkts", "frames", "Multicast frames handed over"},
    {"ifInBroadcastPkts", "frames", "Broadcast frames handed over"},
    {"ifInDiscards", "frames", "Good frames not handed over: buffer full, link or receiver off"},
    {"ifInErrors", "frames", "Frames dropped as bad: FCS, undersize, oversize"},
    {"ifOutOctets", "octets", "Octets sent, FCS included"},
    {"ifOutUcastPkts", "frames", "Unicast frames to be sent, those not sent included"},
    {"ifOutMulticastPkts", "frames", "Multicast frames to be sent, those not sent included"},
    {"ifOutBroadcastPkts", "frames", "Broadcast frames to be sent, those not sent included"},
    {"ifOutDiscards", "frames", "Frames not sent: link or transmitter off"},
    {"ifOutErrors", "frames", "Frames not sent: longer than the MTU, or without a whole header"},
    {"tx_pkts_64_octets", "frames", "Frames sent of 64 octets, FCS included"},
    {"tx_pkts_65_to_127_octets", "frames", "Frames sent of 65 to 127 octets"},
    {"tx_pkts_128_to_255_octets", "frames", "Frames sent of 128 to 255 octets"},
    {"tx_pkts_256_to_511_octets", "frames", "Frames sent of 256 to 511 octets"},
    {"tx_pkts_512_to_1023_octets", "frames", "Frames sent of 512 to 1023 octets"},
    {"tx_pkts_1024_to_1518_octets", "frames", "Frames sent of 1024 to 1518 octets"},
    {"tx_pkts_1519_to_max_octets", "frames", "Frames sent of 1519 octets and more"},
};
static_assert(std::size(kCounterTexts) == static_cast<unsigned>(PortCounter::kCount));

PortCounter operator+(PortCounter first, unsigned n) {
  return static_cast<PortCounter>(static_cast<unsigned>(first) + n);
}

// IEEE 802.3 clause 3.2.3: the first bit of the destination address is the group bit. A frame without a whole address
// counts as unicast.
bool is_group(const Frame& frame) { return frame.size() >= 6 && (frame.octets()[0] & 1U) != 0; }
bool is_broadcast(const Frame& frame) {
  if (frame.size() < 6) return false;
  for (unsigned i = 0; i < 6; ++i) {
    if (frame.octets()[i] != 0xff) return false;
  }
  return true;
}

}  // namespace

EthernetPortCore::EthernetPortCore(StatGroup& stats)
    : entered_(stats, "wire_in_frames", "frames", "Frames that the wire brought, whatever became of them"),
      received_ok_(
          stats, "aFramesReceivedOK", "frames", "Good frames received (IEEE 802.3 30.3.1.1.5)",
          [this](Time) {
            return static_cast<double>(value(PortCounter::kIfInUcastPkts) + value(PortCounter::kIfInMulticastPkts) +
                                       value(PortCounter::kIfInBroadcastPkts));
          },
          FormulaKind::kTotal),
      fcs_errors_(
          stats, "aFrameCheckSequenceErrors", "frames",
          "Frames of right length with a wrong FCS (IEEE 802.3 30.3.1.1.6)",
          [this](Time) { return static_cast<double>(value(PortCounter::kEtherStatsCrcAlignErrors)); },
          FormulaKind::kTotal),
      too_long_(
          stats, "aFrameTooLongErrors", "frames", "Frames received longer than the MTU (IEEE 802.3 30.3.1.1.25)",
          [this](Time) {
            return static_cast<double>(value(PortCounter::kEtherStatsOversizePkts) +
                                       value(PortCounter::kEtherStatsJabbers));
          },
          FormulaKind::kTotal),
      transmitted_ok_(stats, "aFramesTransmittedOK", "frames", "Frames sent (IEEE 802.3 30.3.1.1.2)") {
  for (const CounterText& text : kCounterTexts) counters_.emplace_back(stats, text.name, text.unit, text.text);
  stats.law(
      "ifOut packets = aFramesTransmittedOK + ifOutDiscards + ifOutErrors", [this]() -> std::optional<std::string> {
        const std::uint64_t asked = value(PortCounter::kIfOutUcastPkts) + value(PortCounter::kIfOutMulticastPkts) +
                                    value(PortCounter::kIfOutBroadcastPkts);
        const std::uint64_t discards = value(PortCounter::kIfOutDiscards), errors = value(PortCounter::kIfOutErrors);
        if (asked == transmitted_ok_.value() + discards + errors) return std::nullopt;
        return fmt::format("{} != {} + {} + {}", asked, transmitted_ok_.value(), discards, errors);
      });
  stats.law("wire_in_frames = handed over + ifInDiscards + ifInErrors", [this]() -> std::optional<std::string> {
    const std::uint64_t over = value(PortCounter::kIfInUcastPkts) + value(PortCounter::kIfInMulticastPkts) +
                               value(PortCounter::kIfInBroadcastPkts);
    const std::uint64_t discards = value(PortCounter::kIfInDiscards), errors = value(PortCounter::kIfInErrors);
    if (entered_.value() == over + discards + errors) return std::nullopt;
    return fmt::format("{} != {} + {} + {}", entered_.value(), over, discards, errors);
  });
}

unsigned EthernetPortCore::size_bin(std::uint64_t octets) {
  return octets <= 64     ? 0U
         : octets <= 127  ? 1U
         : octets <= 255  ? 2U
         : octets <= 511  ? 3U
         : octets <= 1023 ? 4U
         : octets <= 1518 ? 5U
                          : 6U;
}

// Counts in one of three neighbours: unicast, multicast, broadcast.
void EthernetPortCore::count_address(const Frame& frame, PortCounter unicast) {
  ++at(unicast + (!is_group(frame) ? 0U : is_broadcast(frame) ? 2U : 1U));
}

bool EthernetPortCore::receive(const Frame& frame, bool enabled) {
  ++entered_;
  if (!enabled) {  // the line is not listened to: RMON counters see nothing
    ++at(PortCounter::kIfInDiscards);
    return false;
  }
  const bool whole = frame.size() >= kEthernetHeader;
  const std::uint64_t octets = whole ? frame.length_with_fcs().count() : frame.size() + kFcs.count();
  ++at(PortCounter::kEtherStatsPkts);
  at(PortCounter::kEtherStatsOctets) += octets;
  at(PortCounter::kIfInOctets) += octets;
  if (whole) ++at(PortCounter::kEtherStatsPkts64Octets + size_bin(octets));
  // Deviates: RFC 2819 calls frames shorter than 64 octets undersize and those longer than 1518 oversize or jabbers;
  // here those without a whole header are undersize and the MTU is the limit above.
  if (!whole) {
    ++at(PortCounter::kEtherStatsUndersizePkts);
  } else if (frame.size() > mtu_.count()) {
    ++at(frame.fcs_ok ? PortCounter::kEtherStatsOversizePkts : PortCounter::kEtherStatsJabbers);
  } else {
    if (frame.fcs_ok) {
      if (is_group(frame)) {
        ++at(is_broadcast(frame) ? PortCounter::kEtherStatsBroadcastPkts : PortCounter::kEtherStatsMulticastPkts);
      }
      return true;
    }
    ++at(PortCounter::kEtherStatsCrcAlignErrors);
  }
  ++at(PortCounter::kIfInErrors);
  return false;
}

void EthernetPortCore::lose(const Frame& /*frame*/) {
  ++at(PortCounter::kEtherStatsDropEvents);
  ++at(PortCounter::kIfInDiscards);
}

void EthernetPortCore::hand_over(const Frame& frame) { count_address(frame, PortCounter::kIfInUcastPkts); }

bool EthernetPortCore::transmit(const Frame& frame, bool enabled) {
  count_address(frame, PortCounter::kIfOutUcastPkts);
  if (!enabled) {
    ++at(PortCounter::kIfOutDiscards);
    return false;
  }
  if (frame.size() > mtu_.count() || frame.size() < kEthernetHeader) {
    ++at(PortCounter::kIfOutErrors);
    return false;
  }
  const std::uint64_t octets = frame.length_with_fcs().count();
  at(PortCounter::kIfOutOctets) += octets;
  ++at(PortCounter::kTxPkts64Octets + size_bin(octets));
  ++transmitted_ok_;
  return true;
}

}  // namespace dpusim::net
