// Which target answers at which address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace dpusim {

/// Decodes addresses: ranges that do not overlap, each with a target number.
class AddressMap {
 public:
  struct Range {
    std::uint64_t base = 0;
    std::uint64_t last = 0;  ///< inclusive, so that a range may end at the top of the address space
    unsigned target = 0;
    std::string name;
    /// Tells whether [address, address + length) lies inside. @param length not 0.
    [[nodiscard]] bool contains(std::uint64_t address, std::uint64_t length) const {
      return address >= base && address <= last && length - 1 <= last - address;
    }
    /// Returns how many octets there are from `address` to the end. @param address inside.
    [[nodiscard]] std::uint64_t octets_from(std::uint64_t address) const { return last - address + 1; }
  };

  /// Adds [base, base + size). @error ConfigError when size is 0, the range passes 2^64, or it overlaps another (naming
  /// both).
  void add(const std::string& name, std::uint64_t base, std::uint64_t size, unsigned target);

  /// Returns the range that holds `address`, or nullptr. Costs one comparison when it is the range of the last call.
  [[nodiscard]] const Range* find(std::uint64_t address) const {
    if (last_hit_ < ranges_.size()) {
      const Range& range = ranges_[last_hit_];
      if (address >= range.base && address <= range.last) return &range;
    }
    return search(address);
  }

  /// The hole around an address that nothing answers: bounds inclusive.
  struct Hole {
    std::uint64_t first, last;
  };
  /// @param address in no range.
  [[nodiscard]] Hole hole(std::uint64_t address) const;

  /// Returns the ranges in order of address. A pointer or reference to one is good until the next add().
  [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }

 private:
  [[nodiscard]] std::size_t first_above(std::uint64_t address) const;
  [[nodiscard]] const Range* search(std::uint64_t address) const;

  std::vector<Range> ranges_;
  mutable std::size_t last_hit_ = 0;
};

}  // namespace dpusim
