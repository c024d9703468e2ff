// The tags of a set-associative write-back cache: which lines are there, and which are dirty. No octets, no time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/units.h"

namespace dpusim::cache {

/// Shape of a cache. @error the constructor of TagArray throws ConfigError when it is impossible.
struct Geometry {
  Bytes size{32 * 1024};
  unsigned ways = 4;
  Bytes line{64};
};

/// Set-associative tags with true LRU replacement. Each set is kept in order of use, most recent first, so that a hit
/// on a recent line is found by the first comparison. The number of sets need not be a power of two (6 MiB of 16 ways
/// has 6,144).
class TagArray {
 public:
  /// @error ConfigError when the line is no power of two of at least 8 octets, ways is not 1..64, or size is no
  /// multiple of ways x line.
  explicit TagArray(const Geometry& geometry);

  /// A line that had to leave.
  struct Victim {
    std::uint64_t address = 0;
    bool valid = false;
    bool dirty = false;
  };

  /// Looks up and uses the line that holds `address`. @param write makes it dirty. @return whether it was there.
  bool lookup(std::uint64_t address, bool write) {
    const std::uint64_t line = address >> line_bits_;
    std::uint64_t* set = set_of(line);
    if ((set[0] & ~kDirty) != entry_of(line)) return lookup_rest(set, line, write);
    if (write) set[0] |= kDirty;
    return true;
  }
  /// Brings in the line that holds `address`, which must not be there, as the most recently used. @return the line it
  /// replaced.
  Victim fill(std::uint64_t address, bool dirty);
  /// Removes the line that holds `address`. @return it, as it was (not valid when it was not there).
  Victim invalidate(std::uint64_t address);
  /// Makes the line clean. @return whether it was there and dirty.
  bool clean(std::uint64_t address);
  /// Tells whether the line is there, without using it.
  [[nodiscard]] bool present(std::uint64_t address) const;
  /// Tells whether the line is there and dirty, without using it.
  [[nodiscard]] bool dirty(std::uint64_t address) const;
  /// Forgets everything. @return the number of dirty lines lost.
  std::uint64_t clear();

  [[nodiscard]] std::uint64_t line_size() const { return std::uint64_t{1} << line_bits_; }
  [[nodiscard]] std::uint64_t line_of(std::uint64_t address) const { return address >> line_bits_ << line_bits_; }
  [[nodiscard]] std::uint64_t sets() const { return sets_; }
  [[nodiscard]] unsigned ways() const { return ways_; }

 private:
  // An entry is the line's number, shifted, with two flags below; 0 is an empty way.
  static constexpr std::uint64_t kValid = 1, kDirty = 2;
  static constexpr unsigned kFlagBits = 2;
  [[nodiscard]] std::uint64_t* set_of(std::uint64_t line) { return &entries_[index(line) * ways_]; }
  [[nodiscard]] const std::uint64_t* set_of(std::uint64_t line) const { return &entries_[index(line) * ways_]; }
  static std::uint64_t entry_of(std::uint64_t line) { return line << kFlagBits | kValid; }
  // Remainder by multiplication for 32-bit line numbers (D. Lemire et al., "Faster Remainder by Direct Computation",
  // Software: Practice and Experience 49(6), 2019); lines above 2^32 take the division.
  [[nodiscard]] std::uint64_t index(std::uint64_t line) const {
    if (line > UINT32_MAX) return line % sets_;
    return static_cast<std::uint64_t>((static_cast<Uint128>(inverse_ * line) * sets_) >> 64);
  }
  bool lookup_rest(std::uint64_t* set, std::uint64_t line, bool write);
  [[nodiscard]] unsigned find(const std::uint64_t* set, std::uint64_t line) const;
  [[nodiscard]] Victim victim(std::uint64_t entry) const;

  unsigned line_bits_ = 6;
  unsigned ways_;
  std::uint64_t sets_ = 0;
  std::uint64_t inverse_ = 0;  // of sets_, for remainders without division
  std::vector<std::uint64_t> entries_;
};

}  // namespace dpusim::cache
