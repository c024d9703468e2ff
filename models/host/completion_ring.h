// A completion ring in host memory, read by a program no earlier than the device's writes have arrived.
#pragma once

#include <algorithm>
#include <vector>

#include "host/host_services.h"

namespace dpusim::host {

/// Entries of 32 octets whose last octet has the phase bit, as the NIC's and the accelerators' are.
class CompletionRing : private WriteWatcher {
 public:
  static constexpr std::uint64_t kEntry = 32;

  /// Takes memory for 2^log2 entries; `reader` is told of new ones.
  CompletionRing(HostServices& host, unsigned log2, HostThread& reader, const std::string& who)
      : memory_(host.memory), reader_(reader), log2_(log2), visible_(std::size_t{1} << log2, kTimeMax) {
    base_ = host.allocator.take(kEntry << log2, 64, who);
    host.root.watch(base_, base_ + (kEntry << log2), *this);
  }
  [[nodiscard]] std::uint64_t base() const { return base_; }
  [[nodiscard]] unsigned log2() const { return log2_; }
  /// Returns the counter of entries taken.
  [[nodiscard]] std::uint16_t head() const { return head_; }
  /// Returns when the next entry can be seen; kTimeMax when it was not written yet, or holds an old one's phase.
  [[nodiscard]] Time next_visible() const { return is_new(head_) ? visible_[head_ & mask()] : kTimeMax; }
  /// Returns how many entries can be seen at `when`, `most` at most.
  [[nodiscard]] unsigned available(Time when, unsigned most) {
    unsigned n = 0;
    while (n < most && n <= mask() && visible_[(head_ + n) & mask()] <= when &&
           is_new(static_cast<std::uint16_t>(head_ + n)))
      ++n;
    return n;
  }
  /// Takes the next entry. Call after available() has told of it. A card can write anything there: the caller checks
  /// each field that it uses.
  template <class Entry>
  Entry take() {
    static_assert(sizeof(Entry) == kEntry);
    visible_[head_ & mask()] = kTimeMax;
    return memory_.load<Entry>(base_ + (head_++ & mask()) * kEntry);
  }

 private:
  [[nodiscard]] unsigned mask() const { return (1U << log2_) - 1; }
  [[nodiscard]] bool is_new(std::uint16_t counter) const {
    const std::uint8_t phase = memory_.at(base_ + (counter & mask()) * kEntry + kEntry - 1, 1)[0] & 1;
    return phase == ((counter >> log2_ & 1) ^ 1);
  }
  void written(std::uint64_t address, std::uint64_t length, Time visible) override {
    const std::uint64_t from = address - base_;
    for (std::uint64_t i = from / kEntry; i * kEntry + kEntry <= from + length; ++i) {
      visible_[i] = visible;
      if (i == (head_ & mask())) reader_.poke(visible);
    }
  }

  HostMemory& memory_;
  HostThread& reader_;
  unsigned log2_;
  std::uint16_t head_ = 0;
  std::uint64_t base_;
  std::vector<Time> visible_;  // of each entry not taken yet
};

}  // namespace dpusim::host
