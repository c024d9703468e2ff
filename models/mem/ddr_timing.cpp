#include "mem/ddr_timing.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace dpusim::mem {
namespace {

Cycles row_cycles(const DdrConfig& config) {
  Cycles cycles = config.tCL;
  if (config.row_state != RowState::kHit) cycles += config.tRCD;
  if (config.row_state == RowState::kConflict) cycles += config.tRP;
  return cycles;
}

// A clock is two transfers (JEDEC JESD79-4 3.1: double data rate).
Time clocks(const DdrConfig& config, Cycles cycles) {
  return Time(mul_div(cycles.count() * 2, kPicosecondsPerSecond, config.data_rate.count()));
}

Time burst_time(const DdrConfig& config) {
  return Time(mul_div(config.burst_length, kPicosecondsPerSecond, config.data_rate.count()));
}

Time read_latency(const DdrConfig& config) { return config.controller_latency + clocks(config, row_cycles(config)); }

}  // namespace

Time DdrBusTiming::unloaded_read(const DdrConfig& config) {
  return mem::read_latency(config) + mem::burst_time(config);
}

DdrBusTiming::DdrBusTiming(const DdrConfig& config, StatGroup& stats)
    : config_(config),
      burst_octets_(std::uint64_t{config.bus_width} / 8 * config.burst_length),
      burst_bits_(static_cast<unsigned>(std::countr_zero(burst_octets_))),
      chunk_bits_(static_cast<unsigned>(std::countr_zero(config.interleave.count())) - burst_bits_),
      channel_bits_(static_cast<unsigned>(std::countr_zero(config.channels))),
      burst_time_(mem::burst_time(config)),
      read_latency_(mem::read_latency(config)),
      bursts_read_(stats, "bursts_read", "bursts", "Bursts on the data buses for reads"),
      bursts_written_(stats, "bursts_written", "bursts", "Bursts on the data buses for writes") {
  const double refresh = static_cast<double>(config.tRFC.count()) / static_cast<double>(config.tREFI.count());
  const double burst_ps = static_cast<double>(config.burst_length) * static_cast<double>(kPicosecondsPerSecond) /
                          static_cast<double>(config.data_rate.count());
  service_q16_ = static_cast<std::uint64_t>(std::llround(burst_ps / (config.efficiency * (1 - refresh)) * 65536));
  stretch_ = service(1) - burst_time_;
  write_queue_time_ = service(config.write_queue);
  for (unsigned i = 0; i < config.channels; ++i) {
    buses_.emplace_back(stats.child(fmt::format("channel{}", i)), "data_bus", "data bus");
  }
}

double DdrBusTiming::peak_bandwidth() const {
  return static_cast<double>(config_.data_rate.count()) * config_.bus_width / 8 * config_.channels;
}

std::uint64_t DdrBusTiming::bursts_in(unsigned channel, std::uint64_t address, std::uint64_t octets) const {
  // Counts bursts with number below `end` that belong to the channel: whole stripes, then what the last one has of it.
  const auto below = [&](std::uint64_t end) {
    const unsigned stripe_bits = chunk_bits_ + channel_bits_;
    const std::uint64_t chunk = std::uint64_t{1} << chunk_bits_;
    const std::uint64_t in_stripe = end & ((std::uint64_t{1} << stripe_bits) - 1);
    const std::uint64_t before = std::uint64_t{channel} << chunk_bits_;
    const std::uint64_t rest = in_stripe > before ? std::min(in_stripe - before, chunk) : 0;
    return (end >> stripe_bits << chunk_bits_) + rest;
  };
  return below(((address + octets - 1) >> burst_bits_) + 1) - below(address >> burst_bits_);
}

Time DdrBusTiming::use(unsigned channel, Time arrival, std::uint64_t bursts, bool is_write) {
  const Time booked = buses_[channel].reserve_split(arrival, service(bursts)).done;
  // The bus is booked as if requests reached it on arrival; the latency before it is the same for all and changes no
  // order.
  if (!is_write) return booked - stretch_ + read_latency_;
  // A write is posted: accepted as soon as the queue has room for its last burst.
  return std::max(arrival, booked - write_queue_time_) + config_.controller_latency;
}

Time DdrBusTiming::access(Time arrival, std::uint64_t address, std::uint64_t octets, bool is_write) {
  const std::uint64_t first = address >> burst_bits_, last = (address + octets - 1) >> burst_bits_;
  (is_write ? bursts_written_ : bursts_read_) += last - first + 1;
  const std::uint64_t first_chunk = first >> chunk_bits_;
  if (config_.channels == 1 || first_chunk == last >> chunk_bits_) [[likely]] {
    return use(static_cast<unsigned>(first_chunk & (config_.channels - 1)), arrival, last - first + 1, is_write);
  }
  Time done = arrival;
  for (unsigned channel = 0; channel < config_.channels; ++channel) {
    const std::uint64_t bursts = bursts_in(channel, address, octets);
    if (bursts > 0) done = std::max(done, use(channel, arrival, bursts, is_write));
  }
  return done;
}

void DdrBusTiming::advance(Time no_earlier_than) {
  for (Occupancy& bus : buses_) bus.advance(no_earlier_than);
}

Time DdrBusTiming::unloaded(std::uint64_t octets, bool is_write) const {
  std::uint64_t most = 0;
  for (unsigned channel = 0; channel < config_.channels; ++channel)
    most = std::max(most, bursts_in(channel, 0, octets));
  if (!is_write) return read_latency_ + service(most) - stretch_;
  return config_.controller_latency + std::max(Time(0), service(most) - write_queue_time_);
}

}  // namespace dpusim::mem
