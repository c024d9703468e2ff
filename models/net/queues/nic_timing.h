// Rates and latencies of the NIC.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/units.h"

namespace dpusim::net {

/// Fixed times of the NIC's parts.
struct NicTiming {
  Time packet_interval;    ///< least time between two frames in the receive pipeline
  Time receive_latency;    ///< frame there to its data write: parsing, steering, queue context
  Time transmit_latency;   ///< frame read from memory to hand-over to the port
  Time doorbell_latency;   ///< doorbell write to descriptor fetch
  Time interrupt_latency;  ///< completion visible to interrupt line
};

/// One direction of the DMA engine: data moves at a rate, with a number of requests outstanding, in order of issue.
class DmaLane {
 public:
  DmaLane(BitRate rate, unsigned outstanding) : rate_(rate), done_(outstanding, Time(0)) {}
  /// Returns the earliest time from `from` on at which the next request can be issued.
  [[nodiscard]] Time ready(Time from) const { return std::max({from, free_, done_[next_]}); }
  /// Books a request issued at `when` that memory finishes at `done`.
  void issue(Time when, Bytes octets, Time done) {
    const Time moving = transfer_time(octets, rate_);
    free_ = when + moving;
    moved_ += moving;
    if (done > when) held_ += done - when;
    done_[next_] = done;
    if (++next_ == done_.size()) next_ = 0;
  }
  [[nodiscard]] Time serialisation(Bytes octets) const { return transfer_time(octets, rate_); }
  /// Returns the share of time from 0 to `now` in which data moved.
  [[nodiscard]] double utilisation(Time now) const { return ratio(moved_, now, 1); }
  /// Returns the mean share of request slots in use from 0 to `now`.
  [[nodiscard]] double slots_utilisation(Time now) const { return ratio(held_, now, done_.size()); }

 private:
  [[nodiscard]] static double ratio(Time sum, Time now, std::size_t servers) {
    if (now <= Time(0)) return 0;
    return std::min(1.0, static_cast<double>(sum.count()) / static_cast<double>(now.count()) / static_cast<double>(servers));
  }
  BitRate rate_;
  Time free_{0}, moved_{0}, held_{0};
  std::vector<Time> done_;  // of the last requests, as a ring: a new one takes the oldest one's place
  std::size_t next_ = 0;
};

}  // namespace dpusim::net
