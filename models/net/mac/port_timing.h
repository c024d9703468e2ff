// When frames pass an Ethernet port: serialisation, latency and the two finite buffers, as recurrences over earlier
// frames.
#pragma once

#include <algorithm>
#include <deque>

#include "sim/units.h"
#include "tlm/frame.h"

namespace dpusim::net {

/// Rates, latencies and sizes of a port.
struct PortTiming {
  BitRate rate;
  Time receive_latency;   ///< last bit on the wire to hand-over
  Time transmit_latency;  ///< hand-over to first bit on an idle wire
  /// Returns when the last bit of a frame has passed whose preamble begins at `start`.
  [[nodiscard]] Time last_bit(Time start, Bytes length_with_fcs) const {
    return start + transfer_time(length_with_fcs + kPreambleAndSfd, rate);
  }
};

/// Octets that stay in a buffer until a known time, in order of that time.
class DrainingBuffer {
 public:
  explicit DrainingBuffer(Bytes capacity) : capacity_(capacity) {}
  /// Forgets what has left by `when`.
  void drain(Time when) {
    while (!entries_.empty() && entries_.front().leaves <= when) {
      held_ -= entries_.front().octets;
      entries_.pop_front();
    }
  }
  [[nodiscard]] bool fits(Bytes octets) const { return held_ + octets <= capacity_; }
  /// Octets leave in the order in which they came.
  void add(Bytes octets, Time leaves) {
    if (!entries_.empty()) leaves = std::max(leaves, entries_.back().leaves);
    entries_.push_back({leaves, octets});
    held_ += octets;
  }
  /// Returns the earliest time from `from` on at which `octets` fit. @param octets at most the capacity.
  [[nodiscard]] Time when_fits(Bytes octets, Time from) const {
    Bytes held = held_;
    Time when = from;
    for (const Entry& entry : entries_) {
      if (held + octets <= capacity_) break;
      held -= entry.octets;
      when = std::max(when, entry.leaves);
    }
    return when;
  }
  [[nodiscard]] Bytes held() const { return held_; }

 private:
  struct Entry {
    Time leaves;
    Bytes octets;
  };
  Bytes capacity_, held_{0};
  std::deque<Entry> entries_;
};

/// Busy time of a wire that is booked ahead, and how much of it has passed.
class BookedTime {
 public:
  /// Books `length` from `from` on. @param from not before the end of what is booked. @param now the present.
  void book(Time from, Time length, Time now) {
    for (; !periods_.empty() && periods_.front().end <= now; periods_.pop_front())
      over_ += periods_.front().end - periods_.front().begin;
    if (!periods_.empty() && periods_.back().end == from) {
      periods_.back().end += length;
    } else {
      periods_.push_back({from, from + length});
    }
  }
  /// Returns the busy time from 0 to `now`. @param now not before the last call's.
  [[nodiscard]] Time passed(Time now) const {
    Time sum = over_;
    for (const Period& period : periods_) {
      if (period.begin < now) sum += std::min(period.end, now) - period.begin;
    }
    return sum;
  }

 private:
  struct Period {
    Time begin, end;
  };
  std::deque<Period> periods_;  // in order, apart from each other
  Time over_{0};                // of those that have passed
};

}  // namespace dpusim::net
