// The key table of an accelerator: software loads keys by registers and names them by slot in its jobs; nothing reads
// them back.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "accel/accel_job_desc.h"

namespace dpusim::accel {

/// Holds the keys of one accelerator. The engine room loads and clears, functions find.
class KeyTable {
 public:
  /// A key in its slot.
  class Key {
   public:
    [[nodiscard]] std::uint8_t type() const { return type_; }  ///< ACCEL_KEY_*
    [[nodiscard]] std::span<const std::uint8_t> octets() const { return {octets_.data(), length_}; }
    /// Returns a number that no other key of this table has had, for what a function derives from the key and keeps.
    [[nodiscard]] std::uint64_t version() const { return version_; }

   private:
    friend class KeyTable;
    std::array<std::uint8_t, ACCEL_KEY_OCTETS> octets_{};
    std::uint64_t version_ = 0;
    std::uint8_t type_ = 0, length_ = 0;  // type 0: the slot is empty
  };

  /// @param slots 0 to 65535; 0 for accelerators without keys.
  explicit KeyTable(unsigned slots) : keys_(slots) {}
  [[nodiscard]] unsigned slots() const { return static_cast<unsigned>(keys_.size()); }

  /// Returns how many octets a key of a type has; for HMAC the most, and the least is 1. 0 for an unknown type.
  [[nodiscard]] static constexpr std::size_t length_of(std::uint8_t type) {
    constexpr std::size_t lengths[] = {0, 16, 32, 32, 64, ACCEL_KEY_OCTETS};
    return type < std::size(lengths) ? lengths[type] : 0;
  }

  /// Puts a key into a slot in place of what was there. @return ACCEL_STATUS_OK, or BAD_KEY for a slot or type that
  /// does not exist, or BAD_LENGTH for octets that the type does not have; the slot is then as it was.
  [[nodiscard]] std::uint8_t load(unsigned slot, std::uint8_t type, std::span<const std::uint8_t> octets) {
    const std::size_t most = length_of(type);
    if (slot >= keys_.size() || most == 0) return ACCEL_STATUS_BAD_KEY;
    if (octets.empty() || octets.size() > most || (type != ACCEL_KEY_HMAC && octets.size() != most)) {
      return ACCEL_STATUS_BAD_LENGTH;
    }
    Key& key = keys_[slot];
    key.octets_.fill(0);
    std::copy(octets.begin(), octets.end(), key.octets_.begin());
    key.type_ = type;
    key.length_ = static_cast<std::uint8_t>(octets.size());
    key.version_ = ++versions_;
    return ACCEL_STATUS_OK;
  }

  /// Forgets the key in a slot. @return ACCEL_STATUS_OK, also for an empty slot, or BAD_KEY for a slot that does not
  /// exist.
  [[nodiscard]] std::uint8_t clear(unsigned slot) {
    if (slot >= keys_.size()) return ACCEL_STATUS_BAD_KEY;
    keys_[slot] = Key{};
    return ACCEL_STATUS_OK;
  }
  /// Forgets all keys.
  void clear() { std::fill(keys_.begin(), keys_.end(), Key{}); }

  /// Returns the key in a slot, or nullptr for an empty slot and one that does not exist. Valid until the next load or
  /// clear.
  [[nodiscard]] const Key* find(unsigned slot) const {
    return slot < keys_.size() && keys_[slot].type_ != 0 ? &keys_[slot] : nullptr;
  }

 private:
  std::vector<Key> keys_;
  std::uint64_t versions_ = 0;
};

}  // namespace dpusim::accel
