// Time of a DDR memory, first form: JEDEC latency, and the data bus of each channel as the one contended resource.
#pragma once

#include <cstdint>
#include <deque>

#include "mem/ddr_config.h"
#include "mem/memory_timing.h"
#include "sim/occupancy.h"

namespace dpusim::mem {

/// Charges an access the latency of its row state and books the data buses of the channels it touches, in whole bursts.
/// A burst books its transfer time divided by (efficiency x (1 - tRFC / tREFI)): what bank conflicts, turnarounds and
/// refresh cost on average. Banks have no state; a bank-level model takes this one's place behind MemoryTiming.
class DdrBusTiming : public MemoryTiming {
 public:
  DdrBusTiming(const DdrConfig& config, StatGroup& stats);
  Time access(Time arrival, std::uint64_t address, std::uint64_t octets, bool is_write) override;
  void advance(Time no_earlier_than) override;
  [[nodiscard]] Time unloaded(std::uint64_t octets, bool is_write) const override;

  /// Returns the time of a read of one burst when nothing else is going on.
  [[nodiscard]] static Time unloaded_read(const DdrConfig& config);
  /// Returns octets a second that the pins can move: data rate x width x channels.
  [[nodiscard]] double peak_bandwidth() const;
  /// Returns the latency of a read before its first data: controller, and the row state's JEDEC sum.
  [[nodiscard]] Time read_latency() const { return read_latency_; }
  /// Returns the time a burst is on the bus.
  [[nodiscard]] Time burst_time() const { return burst_time_; }
  /// Returns the time that `bursts` book.
  [[nodiscard]] Time service(std::uint64_t bursts) const {
    return Time(static_cast<std::int64_t>((bursts * service_q16_ + 0x8000) >> 16));
  }
  /// Returns how many bursts of [address, address + octets) go to `channel`.
  [[nodiscard]] std::uint64_t bursts_in(unsigned channel, std::uint64_t address, std::uint64_t octets) const;

 private:
  Time use(unsigned channel, Time arrival, std::uint64_t bursts, bool is_write);

  const DdrConfig config_;
  const std::uint64_t burst_octets_;
  unsigned burst_bits_, chunk_bits_, channel_bits_;  // powers of two: octets a burst, bursts a chunk, channels
  Time burst_time_, read_latency_, write_queue_time_, stretch_;
  std::uint64_t service_q16_;  // booked time of a burst, in 2^-16 ps
  Counter bursts_read_, bursts_written_;
  std::deque<Occupancy> buses_;
};

}  // namespace dpusim::mem
