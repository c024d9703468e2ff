// MSI-X: the table of messages, masks and pending bits of one function. No SystemC, no time.
#pragma once

#include <cstdint>
#include <vector>

namespace dpusim::pcie {

/// A message: a posted write of one doubleword.
struct MsixMessage {
  std::uint64_t address;
  std::uint32_t data;
};

/// Table and pending bit array. @spec PCIe Base 4.0, 6.1.4 and 7.7.2.5 to 7.7.2.9
class MsixTable {
 public:
  static constexpr std::uint64_t kEntry = 16;
  explicit MsixTable(unsigned vectors) : entries_(vectors), pending_((vectors + 63) / 64) {}
  [[nodiscard]] unsigned vectors() const { return static_cast<unsigned>(entries_.size()); }

  /// Reads or writes a doubleword of the table. @param index its number; what is beyond the last entry reads 0.
  [[nodiscard]] std::uint32_t read(std::size_t index) const;
  void write(std::size_t index, std::uint32_t value);
  /// Reads a doubleword of the pending bit array, which software cannot write.
  [[nodiscard]] std::uint32_t read_pending(std::size_t index) const;

  [[nodiscard]] bool masked(unsigned vector) const { return (entries_[vector].control & 1) != 0; }
  [[nodiscard]] bool pending(unsigned vector) const { return (pending_[vector / 64] >> vector % 64 & 1) != 0; }
  [[nodiscard]] unsigned pending_count() const { return pending_count_; }
  [[nodiscard]] MsixMessage message(unsigned vector) const { return {entries_[vector].address, entries_[vector].data}; }
  void set_pending(unsigned vector, bool pending);

  /// Calls `send(vector)` for each pending vector that is not masked, and clears its bit first.
  template <class Send>
  void release(Send send) {
    for (unsigned vector = 0; pending_count_ > 0 && vector < vectors(); ++vector) {
      if (!pending(vector) || masked(vector)) continue;
      set_pending(vector, false);
      send(vector);
    }
  }

 private:
  struct Entry {
    std::uint64_t address = 0;
    std::uint32_t data = 0;
    std::uint32_t control = 1;  // masked after reset
  };
  std::vector<Entry> entries_;
  std::vector<std::uint64_t> pending_;
  unsigned pending_count_ = 0;
};

}  // namespace dpusim::pcie
