// What an Ethernet port does with a frame, and its counters. No time.
#pragma once

#include <deque>

#include "sim/stats.h"
#include "tlm/frame.h"

namespace dpusim::net {

/// The counters of a port, in the order of its registers. Those named as in RFC 2819 and RFC 2863 mean what these say;
/// the others' statistics have names in snake_case.
enum class PortCounter : unsigned {
  kEtherStatsOctets,
  kEtherStatsPkts,
  kEtherStatsBroadcastPkts,
  kEtherStatsMulticastPkts,
  kEtherStatsCrcAlignErrors,
  kEtherStatsUndersizePkts,
  kEtherStatsOversizePkts,
  kEtherStatsJabbers,
  kEtherStatsDropEvents,
  kEtherStatsPkts64Octets,
  kEtherStatsPkts65to127Octets,
  kEtherStatsPkts128to255Octets,
  kEtherStatsPkts256to511Octets,
  kEtherStatsPkts512to1023Octets,
  kEtherStatsPkts1024to1518Octets,
  kEtherStatsPkts1519toMaxOctets,
  kIfInOctets,
  kIfInUcastPkts,
  kIfInMulticastPkts,
  kIfInBroadcastPkts,
  kIfInDiscards,
  kIfInErrors,
  kIfOutOctets,
  kIfOutUcastPkts,
  kIfOutMulticastPkts,
  kIfOutBroadcastPkts,
  kIfOutDiscards,
  kIfOutErrors,
  kTxPkts64Octets,
  kTxPkts65to127Octets,
  kTxPkts128to255Octets,
  kTxPkts256to511Octets,
  kTxPkts512to1023Octets,
  kTxPkts1024to1518Octets,
  kTxPkts1519toMaxOctets,
  kCount
};

/// Shortest frame that has a whole header: two addresses and a type.
inline constexpr std::size_t kEthernetHeader = 14;

/// Decides about frames and counts them.
/// @spec RFC 2819 (etherStats), RFC 2863 (ifTable), IEEE 802.3 clause 30 (aFramesReceivedOK and so on).
class EthernetPortCore {
 public:
  explicit EthernetPortCore(StatGroup& stats);
  /// Longest frame, without FCS.
  void set_mtu(Bytes mtu) { mtu_ = mtu; }
  [[nodiscard]] Bytes mtu() const { return mtu_; }

  /// Counts a frame that arrived whole. @param enabled link and receiver are on. @return whether it goes on.
  bool receive(const Frame& frame, bool enabled);
  /// Counts a frame that receive() let pass and that then found the buffer full.
  void lose(const Frame& frame);
  /// Counts a frame handed over to what stands behind the port.
  void hand_over(const Frame& frame);
  /// Counts a frame to be sent. @param enabled link and transmitter are on. @return whether it is sent.
  bool transmit(const Frame& frame, bool enabled);

  [[nodiscard]] std::uint64_t value(PortCounter which) const { return counters_[static_cast<unsigned>(which)].value(); }

 private:
  Counter& at(PortCounter which) { return counters_[static_cast<unsigned>(which)]; }
  void count_address(const Frame& frame, PortCounter unicast);
  [[nodiscard]] static unsigned size_bin(std::uint64_t octets);

  Bytes mtu_{9216};
  std::deque<Counter> counters_;
  Counter entered_;
  Formula received_ok_, fcs_errors_, too_long_;
  Counter transmitted_ok_;
};

}  // namespace dpusim::net
