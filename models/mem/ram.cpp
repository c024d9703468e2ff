#include "mem/ram.h"

namespace dpusim::mem {
using namespace literals;

const ConfigTable<RamConfig>& RamConfig::table() {
  static const ConfigTable<RamConfig> table(
      "On-chip SRAM",
      {field("capacity", &RamConfig::capacity, between(64_B, 64_GiB), "Size of the memory"),
       field("latency", &RamConfig::latency, between(0_ps, 1_ms), "Time from request to first beat"),
       field("clock", &RamConfig::clock, between(1_MHz, 10_GHz), "Clock of the port"),
       field("width", &RamConfig::width, power_of_two(1_B, 1_KiB), "Octets that the port moves a cycle")});
  return table;
}

RamTiming::RamTiming(const RamConfig& config, StatGroup& stats)
    : latency_(config.latency), clock_(config.clock), width_(config.width.count()), port_(stats, "port", "port") {}

Time RamTiming::beats(std::uint64_t address, std::uint64_t octets) const {
  const std::uint64_t count = (address + octets - 1) / width_ - address / width_ + 1;
  return clock_.time(Cycles(count));
}

Time RamTiming::access(Time arrival, std::uint64_t address, std::uint64_t octets, bool /*is_write*/) {
  return port_.reserve_split(arrival, beats(address, octets)).done + latency_;
}

Time RamTiming::unloaded(std::uint64_t octets, bool /*is_write*/) const { return latency_ + beats(0, octets); }

// The module's name must live until construction ends, or its sockets would not be its children.
Ram::Ram(const BlockContext& context, const RamConfig& config)
    : Ram(sc_core::sc_module_name(context.name.c_str()), context, config) {}

Ram::Ram(const sc_core::sc_module_name& name, const BlockContext& context, const RamConfig& config)
    : MemoryTarget(name, context, config.capacity,
                   context.fidelity == Fidelity::kFunctional
                       ? std::unique_ptr<MemoryTiming>(std::make_unique<FixedTiming>(config.latency))
                       : std::make_unique<RamTiming>(config, context.stats)) {}

}  // namespace dpusim::mem
