#include "cache/tag_array.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "sim/error.h"

namespace dpusim::cache {

TagArray::TagArray(const Geometry& geometry) : ways_(geometry.ways) {
  const std::uint64_t line = geometry.line.count();
  if (!std::has_single_bit(line) || line < 8) {
    throw ConfigError("cache line", fmt::format("{} octets", line), "a power of two of at least 8");
  }
  if (ways_ < 1 || ways_ > 64) throw ConfigError("cache ways", fmt::format("{}", ways_), "1 to 64");
  if (geometry.size.count() == 0 || geometry.size.count() % (line * ways_) != 0) {
    throw ConfigError("cache size", fmt::format("{} octets", geometry.size.count()),
                      fmt::format("a multiple of ways x line ({} octets)", line * ways_));
  }
  line_bits_ = static_cast<unsigned>(std::countr_zero(line));
  sets_ = geometry.size.count() / (line * ways_);
  if (sets_ > UINT32_MAX) throw ConfigError("cache size", fmt::format("{} sets", sets_), "fewer than 2^32 sets");
  inverse_ = UINT64_MAX / sets_ + 1;
  entries_.assign(sets_ * ways_, 0);
}

unsigned TagArray::find(const std::uint64_t* set, std::uint64_t line) const {
  const std::uint64_t wanted = entry_of(line);
  unsigned way = 0;
  while (way < ways_ && (set[way] & ~kDirty) != wanted) ++way;
  return way;
}

TagArray::Victim TagArray::victim(std::uint64_t entry) const {
  return {entry >> kFlagBits << line_bits_, (entry & kValid) != 0, (entry & kDirty) != 0};
}

bool TagArray::lookup_rest(std::uint64_t* set, std::uint64_t line, bool write) {
  const unsigned way = find(set, line);
  if (way == ways_) return false;
  const std::uint64_t entry = set[way] | (write ? kDirty : 0);
  std::memmove(set + 1, set, way * sizeof *set);
  set[0] = entry;
  return true;
}

TagArray::Victim TagArray::fill(std::uint64_t address, bool dirty) {
  const std::uint64_t line = address >> line_bits_;
  std::uint64_t* set = set_of(line);
  // Empty ways are always at the end of a set, so one of them, if any, is used before the least recent line leaves.
  const unsigned last = ways_ - 1;
  const Victim leaving = victim(set[last]);
  std::memmove(set + 1, set, last * sizeof *set);
  set[0] = entry_of(line) | (dirty ? kDirty : 0);
  return leaving;
}

TagArray::Victim TagArray::invalidate(std::uint64_t address) {
  const std::uint64_t line = address >> line_bits_;
  std::uint64_t* set = set_of(line);
  const unsigned way = find(set, line);
  if (way == ways_) return {};
  const Victim removed = victim(set[way]);
  for (unsigned i = way; i + 1 < ways_; ++i) set[i] = set[i + 1];
  set[ways_ - 1] = 0;
  return removed;
}

bool TagArray::clean(std::uint64_t address) {
  const std::uint64_t line = address >> line_bits_;
  std::uint64_t* set = set_of(line);
  const unsigned way = find(set, line);
  if (way == ways_ || (set[way] & kDirty) == 0) return false;
  set[way] &= ~kDirty;
  return true;
}

bool TagArray::present(std::uint64_t address) const {
  const std::uint64_t line = address >> line_bits_;
  return find(set_of(line), line) != ways_;
}

bool TagArray::dirty(std::uint64_t address) const {
  const std::uint64_t line = address >> line_bits_;
  const std::uint64_t* set = set_of(line);
  const unsigned way = find(set, line);
  return way != ways_ && (set[way] & kDirty) != 0;
}

std::uint64_t TagArray::clear() {
  const auto lost =
      std::count_if(entries_.begin(), entries_.end(), [](std::uint64_t entry) { return (entry & kDirty) != 0; });
  std::fill(entries_.begin(), entries_.end(), 0);
  return static_cast<std::uint64_t>(lost);
}

}  // namespace dpusim::cache
