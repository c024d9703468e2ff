// The interrupts that wait for one PE, by priority: insertion, removal and the best one without a scan.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace dpusim::irq {

inline constexpr unsigned kIntids = 1024;  ///< INTIDs 0 to 1019 exist; 1020 to 1023 are special (IHI 0069H 2.2)

/// Holds INTIDs in up to 256 priority levels as bit maps with a summary above each, so that every operation takes a few
/// instructions whatever the number of interrupts.
class PendingSet {
 public:
  struct Entry {
    std::uint8_t level;
    std::uint16_t intid;
  };
  explicit PendingSet(unsigned levels) : rows_(levels) {}

  void insert(Entry entry) {
    Row& row = rows_[entry.level];
    row.words[entry.intid / 64] |= bit(entry.intid);
    row.summary = static_cast<std::uint16_t>(row.summary | 1U << entry.intid / 64);
    levels_[entry.level / 64] |= bit(entry.level);
  }
  void remove(Entry entry) {
    Row& row = rows_[entry.level];
    row.words[entry.intid / 64] &= ~bit(entry.intid);
    if (row.words[entry.intid / 64] != 0) return;
    row.summary = static_cast<std::uint16_t>(row.summary & ~(1U << entry.intid / 64));
    if (row.summary == 0) levels_[entry.level / 64] &= ~bit(entry.level);
  }
  /// Returns the entry of the lowest level (the highest priority) and in it of the lowest INTID; nothing when empty.
  [[nodiscard]] std::optional<Entry> best() const {
    for (unsigned i = 0; i < levels_.size(); ++i) {
      if (levels_[i] == 0) continue;
      const auto level = static_cast<std::uint8_t>(i * 64 + std::countr_zero(levels_[i]));
      const Row& row = rows_[level];
      const auto word = static_cast<unsigned>(std::countr_zero(row.summary));
      return Entry{level, static_cast<std::uint16_t>(word * 64 + std::countr_zero(row.words[word]))};
    }
    return {};
  }

 private:
  struct Row {
    std::array<std::uint64_t, kIntids / 64> words{};
    std::uint16_t summary = 0;
  };
  static constexpr std::uint64_t bit(unsigned number) { return 1ULL << (number % 64); }
  std::vector<Row> rows_;
  std::array<std::uint64_t, 4> levels_{};
};

}  // namespace dpusim::irq
