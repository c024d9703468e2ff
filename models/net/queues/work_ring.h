// State of the NIC's rings: counters, cached descriptors, completions under way. No SystemC.
#pragma once

#include <cstdint>
#include <deque>

#include "net/queues/nic_descriptors.h"
#include "sim/units.h"

namespace dpusim::net {

/// A ring of descriptors that software fills and the NIC empties. Descriptor is NicRxDescriptor or NicTxDescriptor.
template <class Descriptor>
struct WorkRing {
  struct Cached {
    Descriptor descriptor;
    Time ready;  ///< when its fetch ends
  };
  std::uint8_t state = NIC_STATE_OFF, reason = NIC_STATUS_OK;
  std::uint8_t completion_queue = 0, port = 0;
  std::uint64_t base = 0;
  std::uint32_t size = 1;
  std::uint16_t head = 0, fetched = 0, tail = 0;  ///< used; fetched; posted
  bool fetch_scheduled = false;
  Time fetch_done{0};  ///< of all fetches so far
  std::deque<Cached> cache;

  [[nodiscard]] bool ready() const { return state == NIC_STATE_READY; }
  [[nodiscard]] std::uint16_t posted() const { return static_cast<std::uint16_t>(tail - head); }
  [[nodiscard]] std::uint16_t unfetched() const { return static_cast<std::uint16_t>(tail - fetched); }
  [[nodiscard]] std::uint64_t address(std::uint16_t counter) const {
    return base + std::uint64_t{counter & (size - 1)} * sizeof(Descriptor);
  }
  [[nodiscard]] std::uint32_t cached() const { return static_cast<std::uint32_t>(cache.size()); }
  /// Returns how many descriptors may be fetched in one access: wanted, posted, and not across the ring's end.
  [[nodiscard]] std::uint32_t fetchable(std::uint32_t wanted) const {
    const std::uint32_t to_end = size - (fetched & (size - 1));
    const std::uint32_t most = wanted < unfetched() ? wanted : unfetched();
    return most < to_end ? most : to_end;
  }
  void start(std::uint64_t ring, unsigned log2) {
    *this = WorkRing{.state = NIC_STATE_READY,
                     .completion_queue = completion_queue,
                     .port = port,
                     .base = ring,
                     .size = 1U << log2,
                     .fetch_scheduled = fetch_scheduled,
                     .fetch_done = Time(0),
                     .cache = {}};
  }
  /// Stops; posted descriptors are forgotten. @param why NIC_STATUS_OK when software asked for it.
  void stop(std::uint8_t why) {
    state = why == NIC_STATUS_OK ? NIC_STATE_OFF : NIC_STATE_ERROR;
    reason = why;
    cache.clear();
    fetched = tail = head;
  }
};

/// A ring of completions that the NIC fills and software empties.
struct CompletionRing {
  struct Pending {
    NicCompletion entry;
    Time when;       ///< earliest write
    Time first_bit;  ///< of a received frame, for latency
  };
  std::uint8_t state = NIC_STATE_OFF, reason = NIC_STATUS_OK;
  std::uint64_t base = 0;
  unsigned log2 = 0;
  std::uint16_t head = 0, tail = 0;  ///< used by software; written by the NIC
  std::uint32_t reserved = 0;        ///< slots promised to frames under way
  bool armed = false;
  Time first_unseen{0};  ///< since when a completion has been beyond the consumer counter of an armed queue
  Time fire{kTimeMax};   ///< when the interrupt is due
  Time room_at{0};       ///< when software last made room in a full queue
  Time last_write{0};    ///< completions of a queue are written in order
  std::deque<Pending> pending;

  [[nodiscard]] bool ready() const { return state == NIC_STATE_READY; }
  [[nodiscard]] std::uint16_t unseen() const { return static_cast<std::uint16_t>(tail - head); }
  [[nodiscard]] bool has_room() const { return unseen() + reserved < (1U << log2); }
  [[nodiscard]] std::uint64_t address() const {
    return base + std::uint64_t{tail & ((1U << log2) - 1)} * sizeof(NicCompletion);
  }
  [[nodiscard]] std::uint8_t phase() const { return static_cast<std::uint8_t>(((tail >> log2) & 1U) ^ 1U); }
};

}  // namespace dpusim::net
