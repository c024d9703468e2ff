// The interconnect's cache, by tags: what a burst finds in it, and which lines must move between it and memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cache/tag_array.h"

namespace dpusim::interconnect {

/// A shared write-back cache in front of memory. Takes bursts of any length; gathers the lines that must be read from
/// or written to memory into runs of consecutive addresses, so that a burst is one memory access where a hardware
/// fabric would pipeline one a line.
class LastLevelCache {
 public:
  explicit LastLevelCache(const cache::Geometry& geometry) : tags_(geometry) {}

  /// Consecutive octets to move.
  struct Run {
    std::uint64_t address, octets;
  };
  /// What a burst found. Lists are good until the next access.
  struct Outcome {
    unsigned hits = 0, misses = 0;
    unsigned kept = 0;  ///< lines whose octets came from the cache (read) or went into it (write)
    /// Read from memory. A read waits for them; a write does not (it merges when they come).
    std::span<const Run> fetches{};
    /// Written to memory by the burst itself: writes that do not allocate.
    std::span<const Run> writes{};
    /// Written to memory because dirty lines had to leave. Nobody waits for them.
    std::span<const Run> write_backs{};
  };

  /// Reads [address, address + octets). Missed lines are fetched, and kept if `allocate`.
  Outcome read(std::uint64_t address, std::uint64_t octets, bool allocate);
  /// Writes [address, address + octets).
  /// A hit makes the line dirty, except that a whole line written without `allocate` goes to memory and leaves the
  /// cache. A miss with `allocate` brings the line in dirty, fetching it first unless all of it is written; without, it
  /// goes to memory.
  Outcome write(std::uint64_t address, std::uint64_t octets, bool allocate);

  [[nodiscard]] const cache::TagArray& tags() const { return tags_; }

 private:
  void start();
  Outcome finish(unsigned hits, unsigned misses, unsigned kept) const;
  static void append(std::vector<Run>& runs, std::uint64_t address, std::uint64_t octets);
  void fill(std::uint64_t line, bool dirty);

  cache::TagArray tags_;
  std::vector<Run> fetches_, writes_, write_backs_;
};

}  // namespace dpusim::interconnect
