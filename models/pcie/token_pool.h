// A number of equal tokens that packets hold for a time: the tags of non-posted requests, the credits of posted ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "sim/stats.h"
#include "sim/units.h"

namespace dpusim::pcie {

/// Knows when each free token became free. A packet takes the one that has been free for longest, since which one it is
/// makes no difference, and gives it back with the time from which on it is free again.
class TokenPool {
 public:
  /// @param name prefix of the statistics; @param what the tokens, for their descriptions ("tags for requests of the
  /// device").
  TokenPool(StatGroup& group, const std::string& name, const std::string& what, unsigned tokens);
  /// Takes a token. @return when it is free, `from` or later. When every token belongs to a packet whose completer
  /// sends this one (a request that comes back over the same link), none is waited for: the two would wait for each
  /// other for ever.
  Time take(Time from) {
    Time since = from;
    if (count_ > 0) {
      since = std::max(from, at(first_++));
      --count_;
    }
    waiting_.record(since - from);
    if (since > from) ++waits_;
    return since;
  }
  /// Gives back a token that was taken at `since`.
  void give(Time since, Time until) {
    held_ += until - since;
    if (count_ == tokens_) return;
    std::size_t place = first_ + count_++;
    for (; place != first_ && at(place - 1) > until; --place) at(place) = at(place - 1);
    at(place) = until;
  }

 private:
  Time& at(std::size_t place) { return free_[place & (free_.size() - 1)]; }

  const unsigned tokens_;
  std::vector<Time> free_;  // a ring, earliest first: tokens mostly come back in the order of their times
  std::size_t first_ = 0, count_;
  Time held_{0};
  Formula utilisation_;
  Counter waits_;
  Histogram waiting_;
};

}  // namespace dpusim::pcie
