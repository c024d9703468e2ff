// State of an accelerator's rings: counters, and descriptors fetched ahead. No SystemC.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "accel/accel_config.h"
#include "accel/accel_job_desc.h"
#include "sim/units.h"

namespace dpusim::accel {

/// A ring of jobs that software fills and the accelerator empties.
struct JobRing {
  struct Cached {
    AccelJob job;
    Time ready;  ///< when its fetch ends
  };
  std::uint8_t state = ACCEL_STATE_OFF, reason = ACCEL_STATUS_OK;
  std::uint8_t completion_queue = 0;
  std::uint64_t base = 0;
  std::uint32_t size = 1;
  std::uint16_t head = 0, fetched = 0, tail = 0;  ///< dispatched; fetched; posted
  bool fetch_scheduled = false;
  bool waits_for_room = false;  ///< in its completion queue
  Time waits_since{0};
  std::uint64_t completed = 0;  ///< jobs, since reset
  std::array<Cached, kMaxPrefetch> cache;
  std::vector<Time> posted_at;  ///< of each entry

  [[nodiscard]] bool ready() const { return state == ACCEL_STATE_READY; }
  [[nodiscard]] std::uint16_t posted() const { return static_cast<std::uint16_t>(tail - head); }
  [[nodiscard]] std::uint16_t unfetched() const { return static_cast<std::uint16_t>(tail - fetched); }
  [[nodiscard]] std::uint16_t cached() const { return static_cast<std::uint16_t>(fetched - head); }
  [[nodiscard]] std::uint32_t entry(std::uint16_t counter) const { return counter & (size - 1); }
  [[nodiscard]] std::uint64_t address(std::uint16_t counter) const {
    return base + std::uint64_t{entry(counter)} * sizeof(AccelJob);
  }
  [[nodiscard]] Cached& at(std::uint16_t counter) { return cache[counter % kMaxPrefetch]; }
  /// Returns how many descriptors may be fetched in one access: wanted, posted, and not across the ring's end.
  [[nodiscard]] std::uint32_t fetchable(std::uint32_t wanted) const {
    const std::uint32_t to_end = size - entry(fetched);
    const std::uint32_t most = wanted < unfetched() ? wanted : unfetched();
    return most < to_end ? most : to_end;
  }
  void start(std::uint64_t ring, unsigned log2, std::uint8_t completions) {
    state = ACCEL_STATE_READY;
    reason = ACCEL_STATUS_OK;
    completion_queue = completions;
    base = ring;
    size = 1U << log2;
    head = fetched = tail = 0;
    waits_for_room = false;
    posted_at.assign(size, Time(0));
  }
  /// Stops; jobs posted and not dispatched are forgotten. @param why ACCEL_STATUS_OK when software asked for it.
  void stop(std::uint8_t why) {
    state = why == ACCEL_STATUS_OK ? ACCEL_STATE_OFF : ACCEL_STATE_ERROR;
    reason = why;
    fetched = tail = head;
    waits_for_room = false;
  }
};

/// A ring of completions that the accelerator fills and software empties.
struct CompletionRing {
  std::uint8_t state = ACCEL_STATE_OFF, reason = ACCEL_STATUS_OK;
  std::uint64_t base = 0;
  unsigned log2 = 0;
  std::uint16_t head = 0, tail = 0;  ///< used by software; written by the accelerator
  std::uint32_t reserved = 0;        ///< entries promised to jobs that engines hold
  std::uint32_t round = 0;           ///< times the queue was started: older jobs' completions are lost
  bool armed = false;
  std::uint32_t count = 0;  ///< of CQ_MODERATION
  Time time{0};
  Time first_unseen{0};  ///< since when a completion has been beyond the consumer counter of an armed queue
  Time fire{kTimeMax};   ///< when the interrupt is due

  [[nodiscard]] bool ready() const { return state == ACCEL_STATE_READY; }
  [[nodiscard]] std::uint16_t unseen() const { return static_cast<std::uint16_t>(tail - head); }
  [[nodiscard]] bool has_room() const { return unseen() + reserved < (1U << log2); }
  [[nodiscard]] std::uint64_t address() const {
    return base + std::uint64_t{tail & ((1U << log2) - 1)} * sizeof(AccelCompletion);
  }
  [[nodiscard]] std::uint8_t phase() const { return static_cast<std::uint8_t>(((tail >> log2) & 1U) ^ 1U); }
};

}  // namespace dpusim::accel
