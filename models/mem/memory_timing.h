// What a memory needs to know of time: the seam behind which a controller's timing model is replaced.
#pragma once

#include <cstdint>

#include "sim/units.h"

namespace dpusim::mem {

/// Says when an access is done. Sees addresses and lengths, never contents.
class MemoryTiming {
 public:
  virtual ~MemoryTiming() = default;
  /// Charges an access, and whatever it occupies.
  /// @param arrival when the request reaches the controller; requests may come out of order of arrival by what
  /// initiators run ahead.
  /// @param address relative to the memory's base. @param octets not 0, any alignment.
  /// @return when the last octet of a read leaves the controller, or a write is accepted; never before `arrival`.
  virtual Time access(Time arrival, std::uint64_t address, std::uint64_t octets, bool is_write) = 0;
  /// Promises that no later access arrives before `no_earlier_than`.
  virtual void advance(Time /*no_earlier_than*/) {}
  /// Returns the time of an access of this many octets when nothing else is going on: what direct memory access is
  /// told.
  [[nodiscard]] virtual Time unloaded(std::uint64_t octets, bool is_write) const = 0;
};

/// Takes the same time for every access, without contention: functional fidelity.
class FixedTiming : public MemoryTiming {
 public:
  explicit FixedTiming(Time latency) : latency_(latency) {}
  Time access(Time arrival, std::uint64_t, std::uint64_t, bool) override { return arrival + latency_; }
  [[nodiscard]] Time unloaded(std::uint64_t, bool) const override { return latency_; }

 private:
  Time latency_;
};

}  // namespace dpusim::mem
