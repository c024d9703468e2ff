// The tags of one direction's non-posted requests: how many may wait for their completions at once.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "sim/units.h"

namespace dpusim::pcie {

/// Knows when each free tag became free. A request takes the one that is free for longest, since which one it is makes
/// no difference.
class TagPool {
 public:
  explicit TagPool(unsigned tags) : free_(tags, Time(0)), tags_(tags) {}
  /// Takes a tag. @return when it is free, `from` or later. When every tag belongs to a request whose completer makes
  /// this one (a request that comes back over the same link), none is waited for: the two would wait for each other for
  /// ever.
  Time take(Time from) {
    if (free_.empty()) return from;
    std::pop_heap(free_.begin(), free_.end(), std::greater<>());
    const Time since = free_.back();
    free_.pop_back();
    return std::max(from, since);
  }
  /// Gives a tag back, free from `when` on.
  void give(Time when) {
    if (free_.size() == tags_) return;
    free_.push_back(when);
    std::push_heap(free_.begin(), free_.end(), std::greater<>());
  }
  [[nodiscard]] unsigned tags() const { return tags_; }

 private:
  std::vector<Time> free_;  // a heap, earliest first
  unsigned tags_;
};

}  // namespace dpusim::pcie
