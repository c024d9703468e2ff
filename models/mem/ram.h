// On-chip SRAM: a fixed latency and one port.
#pragma once

#include "mem/memory_target.h"
#include "sim/config.h"
#include "sim/occupancy.h"

namespace dpusim::mem {

struct RamConfig {
  Bytes capacity{256 * 1024};
  Time latency{5'000};
  Frequency clock{1'000'000'000};
  Bytes width{16};
  static const ConfigTable<RamConfig>& table();
};

/// Time of an SRAM: latency, then one beat of the port's width a cycle. Beats of different requests interleave.
class RamTiming : public MemoryTiming {
 public:
  RamTiming(const RamConfig& config, StatGroup& stats);
  Time access(Time arrival, std::uint64_t address, std::uint64_t octets, bool is_write) override;
  void advance(Time no_earlier_than) override { port_.advance(no_earlier_than); }
  [[nodiscard]] Time unloaded(std::uint64_t octets, bool is_write) const override;

 private:
  [[nodiscard]] Time beats(std::uint64_t address, std::uint64_t octets) const;
  Time latency_;
  Clock clock_;
  std::uint64_t width_;
  Occupancy port_;
};

/// An on-chip SRAM.
class Ram : public MemoryTarget {
 public:
  Ram(const BlockContext& context, const RamConfig& config);

 private:
  Ram(const sc_core::sc_module_name& name, const BlockContext& context, const RamConfig& config);
};

}  // namespace dpusim::mem
