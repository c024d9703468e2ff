#include "interconnect/last_level_cache.h"

#include <algorithm>

namespace dpusim::interconnect {

void LastLevelCache::start() {
  fetches_.clear();
  writes_.clear();
  write_backs_.clear();
}

LastLevelCache::Outcome LastLevelCache::finish(unsigned hits, unsigned misses, unsigned kept) const {
  return {hits, misses, kept, fetches_, writes_, write_backs_};
}

void LastLevelCache::append(std::vector<Run>& runs, std::uint64_t address, std::uint64_t octets) {
  if (!runs.empty() && runs.back().address + runs.back().octets == address) {
    runs.back().octets += octets;
  } else {
    runs.push_back({address, octets});
  }
}

void LastLevelCache::fill(std::uint64_t line, bool dirty) {
  const cache::TagArray::Victim victim = tags_.fill(line, dirty);
  if (victim.dirty) append(write_backs_, victim.address, tags_.line_size());
}

LastLevelCache::Outcome LastLevelCache::read(std::uint64_t address, std::uint64_t octets, bool allocate) {
  start();
  unsigned hits = 0, misses = 0;
  const std::uint64_t size = tags_.line_size(), last = tags_.line_of(address + octets - 1);
  for (std::uint64_t line = tags_.line_of(address);; line += size) {
    if (tags_.lookup(line, false)) {
      ++hits;
    } else {
      ++misses;
      append(fetches_, line, size);
      if (allocate) fill(line, false);
    }
    if (line == last) return finish(hits, misses, hits);
  }
}

LastLevelCache::Outcome LastLevelCache::write(std::uint64_t address, std::uint64_t octets, bool allocate) {
  start();
  unsigned hits = 0, misses = 0, around = 0;
  const std::uint64_t size = tags_.line_size(), last = tags_.line_of(address + octets - 1);
  for (std::uint64_t line = tags_.line_of(address);; line += size) {
    const std::uint64_t from = std::max(line, address);
    const std::uint64_t to =
        line == last ? address + octets : line + size;  // no overflow at the top of the address space
    const bool whole = to - from == size;
    if (whole && !allocate) {
      // What the cache holds of the line, dirty or not, is overwritten.
      ++(tags_.invalidate(line).valid ? hits : misses);
      ++around;
      append(writes_, line, size);
    } else if (tags_.lookup(line, true)) {
      ++hits;
    } else {
      ++misses;
      if (!allocate) {
        append(writes_, from, to - from);
        ++around;
      } else {
        if (!whole) append(fetches_, line, size);
        fill(line, true);
      }
    }
    if (line == last) return finish(hits, misses, hits + misses - around);
  }
}

}  // namespace dpusim::interconnect
