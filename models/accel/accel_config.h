// Parameters that every type of accelerator has: queues, engines, how data moves.
#pragma once

#include <string>
#include <utility>

#include "accel/accel_job_desc.h"
#include "sim/config.h"
#include "sim/units.h"

namespace dpusim::accel {

/// Most descriptors fetched ahead, engines, jobs of an engine, memory accesses under way.
inline constexpr unsigned kMaxPrefetch = 64, kMaxEngines = 64, kMaxOverlap = 8, kMaxOutstanding = 256;

/// What the engine room needs to know. A type's own configuration derives from this and sets its defaults.
struct AccelConfig {
  unsigned queues = 16;
  unsigned completion_queues = 16;
  unsigned engines = 2;
  Frequency clock{1'000'000'000};
  Time setup{50'000};
  unsigned overlap = 1;
  Bytes burst{4096};
  unsigned outstanding = 8;
  unsigned read_ahead = 16;
  unsigned prefetch = 16;
  bool allocate = true;
  Time doorbell_latency{50'000};
  Time interrupt_latency{50'000};
  Time access{40'000};
  Time look_ahead{0};
};

/// Makes the table of a type's configuration: the rows of AccelConfig, then the type's own. @param C derives from
/// AccelConfig.
/// @param check see ConfigTable; may be empty. @param own field(...), as in any table.
template <class C, class... Own>
ConfigTable<C> accel_table(std::string text, typename ConfigTable<C>::Check check, Own... own) {
  using namespace literals;
  return ConfigTable<C>(
      std::move(text),
      {field("queues", &AccelConfig::queues, between(1U, unsigned{ACCEL_MAX_QUEUES}), "Submission queues"),
       field("completion_queues", &AccelConfig::completion_queues, between(1U, unsigned{ACCEL_MAX_QUEUES}),
             "Completion queues, each with an interrupt line"),
       field("engines", &AccelConfig::engines, between(1U, kMaxEngines),
             "Identical engines that take jobs of all queues"),
       field("clock", &AccelConfig::clock, between(1_MHz, 10_GHz), "Clock of the engines"),
       field("setup", &AccelConfig::setup, between(0_ps, 1_ms), "Time of an engine for a job before its first octet"),
       field("overlap", &AccelConfig::overlap, between(0U, kMaxOverlap),
             "Jobs that an engine takes beyond the one it computes, to read and write their data meanwhile"),
       field("burst", &AccelConfig::burst, power_of_two(64_B, 4096_B),
             "Longest memory access; accesses do not cross multiples of it"),
       field("outstanding", &AccelConfig::outstanding, between(1U, kMaxOutstanding),
             "Data accesses of an engine under way, each direction"),
       field("read_ahead", &AccelConfig::read_ahead, between(1U, kMaxOutstanding),
             "Accesses' worth of source that an engine holds before it has computed them"),
       field("prefetch", &AccelConfig::prefetch, between(1U, kMaxPrefetch), "Descriptors of a queue fetched ahead"),
       field("allocate", &AccelConfig::allocate,
             "Ask the last-level cache to allocate what the accelerator reads and writes"),
       field("doorbell_latency", &AccelConfig::doorbell_latency, between(0_ps, 100_us),
             "Doorbell write to descriptor fetch"),
       field("interrupt_latency", &AccelConfig::interrupt_latency, between(0_ps, 100_us),
             "Completion visible to interrupt line"),
       field("access", &AccelConfig::access, between(0_ps, 10_us), "Time of a register access"),
       field("look_ahead", &AccelConfig::look_ahead, between(0_ps, 1_us),
             "What is due within this time is done in one kernel event, with its time annotated: faster, and memory "
             "sees accesses that much out of order with other initiators'"),
       own...},
      std::move(check));
}

}  // namespace dpusim::accel
