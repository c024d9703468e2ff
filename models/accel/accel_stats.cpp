#include "accel/accel_stats.h"

#include <fmt/format.h>

#include <iterator>

#include "accel/accel_job_desc.h"

namespace dpusim::accel {
namespace {

struct OutcomeText {
  const char *name, *text;
};
// In the order of ACCEL_STATUS_*.
constexpr OutcomeText kOutcomes[] = {
    {"jobs_ok", "Jobs that succeeded"},
    {"failed_bad_opcode", "Jobs refused: the accelerator does not have the opcode"},
    {"failed_bad_length", "Jobs refused: a length out of range"},
    {"failed_bad_flags", "Jobs refused: flags, a reserved field or a parameter out of range"},
    {"failed_bad_key", "Jobs refused: no such key"},
    {"failed_bad_segments", "Jobs refused: a segment list that is not valid"},
    {"failed_source_bus_error", "Jobs that failed: memory answered a read of the source with an error"},
    {"failed_destination_bus_error", "Jobs that failed: memory answered a write with an error"},
    {"failed_descriptor_bus_error", "Jobs that failed: memory answered the read of a segment list with an error"},
    {"failed_output_full", "Jobs that failed: the result did not fit"},
    {"failed_corrupt_input", "Jobs that failed: the source was not what the opcode expects"},
    {"failed_authentication", "Jobs that failed: wrong tag"},
    {"failed_stream", "Jobs that failed: state of the stream"},
    {"failed_limit", "Jobs that failed: a limit of the function"},
};
static_assert(std::size(kOutcomes) == ACCEL_STATUS_LIMIT + 1);

}  // namespace

JobQueueStats::JobQueueStats(StatGroup& group)
    : posted(group, "posted", "jobs", "Jobs that doorbells announced"),
      completed(group, "completed", "jobs", "Jobs that engines finished"),
      octets_in(group, "octets_in", "octets", "Source octets of these that were read"),
      octets_out(group, "octets_out", "octets", "Octets of these that were written") {}

AccelStats::AccelStats(StatGroup& group, unsigned queues, unsigned completion_queues)
    : posted(group, "jobs_posted", "jobs", "Jobs that doorbells announced"),
      forgotten(group, "jobs_forgotten", "jobs",
                "Jobs whose queue was stopped, failed or reset before an engine took them"),
      jobs(group, "jobs", "jobs", "Jobs that engines took"),
      jobs_reset(group, "jobs_reset", "jobs", "Jobs in engines that a reset of the device ended"),
      completions(group, "completions", "completions", "Completions written"),
      completions_lost(group, "completions_lost", "completions",
                       "Completions whose queue was stopped, started anew or in error"),
      interrupts(group, "interrupts", "interrupts", "Interrupts raised"),
      queue_errors(group, "queue_errors", "queues", "Times a queue went to state error"),
      octets_in(group, "octets_in", "octets", "Source octets read"),
      octets_out(group, "octets_out", "octets", "Destination octets written"),
      dma_reads(group, "dma_reads", "accesses", "Memory reads, of descriptors and segment lists too"),
      dma_read_octets(group, "dma_read_octets", "octets", "Octets of these"),
      dma_writes(group, "dma_writes", "accesses", "Memory writes, of completions too"),
      dma_write_octets(group, "dma_write_octets", "octets", "Octets of these"),
      setup_time(group, "setup_time", "ps", "Time in which engines set up jobs, summed over engines"),
      source_stall(group, "source_stall", "ps", "Time in which engines, set up for a job, waited for its source"),
      destination_stall(group, "destination_stall", "ps",
                        "Time from the end of a job's work to the issue of its last write, summed over jobs"),
      completion_stall(group, "completion_stall", "ps",
                       "Time in which jobs waited for room in their completion queue, summed over queues"),
      completion_stalls(group, "completion_stalls", "jobs", "Jobs that did"),
      queue_time(group, "queue_time", "ps", "Doorbell to an engine, of jobs"),
      service_time(group, "service_time", "ps", "From an engine's taking a job to its last octet written"),
      waiting(group, "jobs_waiting", "jobs", "Jobs posted that no engine has taken"),
      held(group, "jobs_held", "jobs", "Jobs in engines") {
  for (const OutcomeText& outcome : kOutcomes) outcomes.emplace_back(group, outcome.name, "jobs", outcome.text);
  for (unsigned i = 0; i < queues; ++i) queue.emplace_back(group.child(fmt::format("sq{}", i)));
  for (unsigned i = 0; i < completion_queues; ++i) {
    queue_interrupts.emplace_back(group.child(fmt::format("cq{}", i)), "interrupts", "interrupts", "Interrupts raised");
  }
  add_laws(group);
}

void AccelStats::add_laws(StatGroup& group) {
  group.law("jobs_posted = jobs + jobs_forgotten + jobs_waiting", [this]() -> std::optional<std::string> {
    const auto inside = static_cast<std::uint64_t>(waiting.value());
    if (posted.value() == jobs.value() + forgotten.value() + inside) return std::nullopt;
    return fmt::format("{} != {} + {} + {}", posted.value(), jobs.value(), forgotten.value(), inside);
  });
  group.law("jobs = completions + completions_lost + jobs_reset + jobs_held", [this]() -> std::optional<std::string> {
    const auto inside = static_cast<std::uint64_t>(held.value());
    const std::uint64_t left = completions.value() + completions_lost.value() + jobs_reset.value();
    if (jobs.value() == left + inside) return std::nullopt;
    return fmt::format("{} != {} + {} + {} + {}", jobs.value(), completions.value(), completions_lost.value(),
                       jobs_reset.value(), inside);
  });
  group.law("jobs_ok + failed = completions + completions_lost", [this]() -> std::optional<std::string> {
    std::uint64_t sum = 0;
    for (const Counter& outcome : outcomes) sum += outcome.value();
    if (sum == completions.value() + completions_lost.value()) return std::nullopt;
    return fmt::format("{} != {} + {}", sum, completions.value(), completions_lost.value());
  });
}

}  // namespace dpusim::accel
