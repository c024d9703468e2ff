// A job's way through an engine: lists, source, work, destination.
#include <algorithm>
#include <utility>

#include "accel/accel_engine.h"
#include "sim/error.h"

namespace dpusim::accel {
namespace {

// Says whether the last octet's address would be beyond 2^64 - 1.
bool wraps(std::uint64_t address, std::uint64_t octets) { return octets > 0 && address > UINT64_MAX - (octets - 1); }

bool is_idle_nop(const AccelJob& job) {
  AccelJob expected{};
  expected.cookie = job.cookie;
  const auto* a = reinterpret_cast<const std::uint8_t*>(&job);
  return std::equal(a, a + sizeof job, reinterpret_cast<const std::uint8_t*>(&expected));
}

}  // namespace

void AccelEngine::take(unsigned number, unsigned queue) {
  Engine& engine = engines_[number];
  JobRing& ring = submission_[queue];
  JobSlot& slot = engine.slot(engine.taken++);
  slot.job = ring.at(ring.head).job;
  slot.index = ring.head;
  slot.queue = static_cast<std::uint8_t>(queue);
  slot.completion_queue = ring.completion_queue;
  slot.round = completion_[ring.completion_queue].round;
  slot.result = {};
  slot.dispatched = slot.lists_ready = now_;
  slot.read = slot.written = 0;
  slot.last_write = slot.written_by = Time(0);
  slot.started = slot.cut_through = slot.write_failed = false;
  ++completion_[ring.completion_queue].reserved;
  ++stats_.jobs;
  stats_.waiting.add(-1);
  stats_.held.add(1);
  const Time posted = ring.posted_at[ring.entry(ring.head)];
  stats_.queue_time.record(now_ > posted ? now_ - posted : Time(0));
  if (ring.waits_for_room) {
    ring.waits_for_room = false;
    stats_.completion_stall += static_cast<std::uint64_t>((now_ - ring.waits_since).count());
  }
  ++ring.head;
  if (ring.cached() == 0) active_ &= ~(1U << queue);
  context_.simulation.note_work(now_);
  slot.result.status = check(slot.job);
  if (slot.result.status == ACCEL_STATUS_OK) slot.result.status = read_lists(slot);
  if (engine.read + 1 == engine.taken) schedule_read(number);
}

// What is wrong with a job before any of its memory is touched; the engine room's own limits first.
std::uint8_t AccelEngine::check(const AccelJob& job) const {
  if (job.opcode == ACCEL_OP_NOP) return is_idle_nop(job) ? ACCEL_STATUS_OK : ACCEL_STATUS_BAD_FLAGS;
  if (job.source_length > ACCEL_MAX_JOB || job.destination_length > ACCEL_MAX_JOB) return ACCEL_STATUS_BAD_LENGTH;
  if (const std::uint8_t status = function_.check(job); status != ACCEL_STATUS_OK) return status;
  // No list of segments of at least one octet sums to 0.
  const auto possible = [](unsigned segments, std::uint32_t length) {
    return segments <= ACCEL_MAX_SEGMENTS && (segments == 0 || length > 0);
  };
  const bool good =
      possible(job.source_segments, job.source_length) && possible(job.destination_segments, job.destination_length);
  return good ? ACCEL_STATUS_OK : ACCEL_STATUS_BAD_SEGMENTS;
}

std::uint8_t AccelEngine::read_lists(JobSlot& slot) {
  const AccelJob& job = slot.job;
  const std::uint8_t status = read_list(slot.source_walk, job.source, job.source_segments, job.source_length,
                                        ACCEL_STATUS_SOURCE_BUS_ERROR, slot);
  if (status != ACCEL_STATUS_OK) return status;
  return read_list(slot.destination_walk, job.destination, job.destination_segments, job.destination_length,
                   ACCEL_STATUS_DESTINATION_BUS_ERROR, slot);
}

// Sets a walk up from a job's source or destination. @param beyond the status of memory beyond the last address.
std::uint8_t AccelEngine::read_list(SegmentWalk& walk, std::uint64_t address, unsigned count, std::uint32_t length,
                                    std::uint8_t beyond, JobSlot& slot) {
  if (count == 0) {
    if (wraps(address, length)) return beyond;
    walk.start(address, length);
    return ACCEL_STATUS_OK;
  }
  const std::span<AccelSegment> list = walk.list(count);
  const std::span<std::uint8_t> octets(reinterpret_cast<std::uint8_t*>(list.data()), list.size_bytes());
  if (wraps(address, octets.size())) return ACCEL_STATUS_DESCRIPTOR_BUS_ERROR;
  bool ok = true;
  slot.lists_ready = std::max(slot.lists_ready, access(false, address, octets, ok));
  if (!ok) return ACCEL_STATUS_DESCRIPTOR_BUS_ERROR;
  std::uint64_t sum = 0;
  for (const AccelSegment& segment : list) {
    if (segment.length == 0 || segment.reserved != 0) return ACCEL_STATUS_BAD_SEGMENTS;
    sum += segment.length;
  }
  if (sum != length) return ACCEL_STATUS_BAD_SEGMENTS;
  if (std::any_of(list.begin(), list.end(), [](const AccelSegment& s) { return wraps(s.address, s.length); })) {
    return beyond;
  }
  walk.start(count);
  return ACCEL_STATUS_OK;
}

// Schedules the next read of the job whose turn it is.
void AccelEngine::schedule_read(unsigned number) {
  Engine& engine = engines_[number];
  const Time ready = std::max(now_, engine.slot(engine.read).lists_ready);
  schedule(Event::kRead, number, engine.input.ready(engine.reads.ready(ready)));
}

void AccelEngine::work(Engine& engine, JobSlot& slot, std::uint64_t in, std::uint64_t out) {
  const Time total = timed_ ? timing_.service(slot.job, in, out) : Time(0);
  const Time more = total > slot.worked ? total - slot.worked : Time(0);
  slot.worked += more;
  engine.free += more;
  engine.busy += more;
}

void AccelEngine::read(unsigned number) {
  Engine& engine = engines_[number];
  JobSlot& slot = engine.slot(engine.read);
  const bool good = slot.result.status == ACCEL_STATUS_OK;
  if (!slot.started) {
    slot.started = true;
    slot.worked = Time(0);
    engine.free = std::max(engine.free, slot.dispatched) + setup_;
    engine.busy += setup_;
    stats_.setup_time += static_cast<std::uint64_t>(setup_.count());
    if (good && slot.job.opcode != ACCEL_OP_NOP) work(engine, slot, 0, 0);
    slot.overhead = slot.worked;
    engine.free = std::max(engine.free, slot.lists_ready);
    if (good) prepare(slot);
  }
  if (!good || slot.source_walk.done() || slot.job.opcode == ACCEL_OP_NOP) return finish_reading(number);

  const SegmentWalk::Piece piece = slot.source_walk.next(static_cast<std::uint32_t>(config_.burst.count()), UINT32_MAX);
  const std::span<std::uint8_t> octets = slot.source.first(slot.job.source_length).subspan(slot.read, piece.octets);
  const AccelEnvironment::DmaResult result = access_once(false, piece.address, octets);
  engine.reads.issue(now_, result.done);
  if (result.done > engine.free) {
    stats_.source_stall += static_cast<std::uint64_t>((result.done - engine.free).count());
    engine.free = result.done;
  }
  if (!result.ok) {
    slot.result.status = ACCEL_STATUS_SOURCE_BUS_ERROR;
    return finish_reading(number);
  }
  slot.read += piece.octets;
  work(engine, slot, slot.read, 0);
  engine.input.issue(now_, engine.free);
  if (slot.cut_through) slot.progress.push_back({slot.read, engine.free});
  if (slot.source_walk.done()) return finish_reading(number);
  if (slot.cut_through) schedule_write(number);
  schedule_read(number);
}

// A copy of more than one access is written as it comes, unless that would change what is still to be read.
void AccelEngine::prepare(JobSlot& slot) const {
  slot.source.take(slot.job.source_length);
  slot.cut_through = slot.job.opcode != ACCEL_OP_NOP && slot.job.source_length > config_.burst.count() &&
                     function_.copies(slot.job) && !slot.source_walk.overlaps(slot.destination_walk);
  slot.progress.clear();
  slot.progress_at = 0;
}

// The source's values are all here: the function runs, and what it says decides how long the engine works and what is
// written.
void AccelEngine::finish_reading(unsigned number) {
  Engine& engine = engines_[number];
  JobSlot& slot = engine.slot(engine.read);
  if (slot.result.status == ACCEL_STATUS_OK && slot.job.opcode != ACCEL_OP_NOP) {
    const std::uint32_t most = std::min(function_.most_produced(slot.job), slot.job.destination_length);
    const std::span<std::uint8_t> room = slot.destination.take(most);
    slot.result = function_.run(slot.job, slot.source.first(slot.job.source_length), room);
    DPUSIM_CHECK(slot.result.produced <= most && slot.result.status <= ACCEL_STATUS_LIMIT,
                 "{}: opcode {:#x} produced {} of at most {} octets, status {}", context_.name, slot.job.opcode,
                 slot.result.produced, most, slot.result.status);
    DPUSIM_CHECK(!slot.cut_through || slot.result.produced == slot.job.source_length,
                 "{}: opcode {:#x} copies {} octets and produced {}", context_.name, slot.job.opcode,
                 slot.job.source_length, slot.result.produced);
    work(engine, slot, slot.read, slot.result.produced);
  }
  slot.end = engine.free;
  ++engine.read;
  schedule_write(number);
  if (engine.read != engine.taken) schedule_read(number);
}

// Schedules the next write of the job whose turn it is, if its octets are known, or finishes the job.
void AccelEngine::schedule_write(unsigned number) {
  Engine& engine = engines_[number];
  if (engine.writing || engine.written == engine.taken) return;
  JobSlot& slot = engine.slot(engine.written);
  const bool all_known = engine.written != engine.read;
  if (all_known) {
    if (slot.write_failed) slot.result = {.status = ACCEL_STATUS_DESTINATION_BUS_ERROR};
    if (slot.written >= slot.result.produced) return finish_writing(number);
  } else if (!slot.started || !slot.cut_through || slot.write_failed) {
    return;
  }
  if (engine.piece.octets == 0) {
    const std::uint32_t produced = all_known ? slot.result.produced : slot.job.source_length;
    const auto burst = static_cast<std::uint32_t>(config_.burst.count());
    engine.piece = slot.destination_walk.next(burst, produced - slot.written);
  }
  const std::uint32_t octets = slot.written + engine.piece.octets;
  if (!all_known && octets > slot.read) return;
  engine.writing = true;
  schedule(Event::kWrite, number, engine.writes.ready(std::max(now_, available(slot, octets))));
}

// When the engine gives a job's first `octets` of result out: as it works, each as far from the end as there is work
// behind it, or all at the end: what the opcode says.
Time AccelEngine::available(JobSlot& slot, std::uint32_t octets) const {
  if (slot.cut_through) {
    while (slot.progress[slot.progress_at].octets < octets) ++slot.progress_at;
    const JobSlot::Progress& progress = slot.progress[slot.progress_at];
    if (!timed_) return progress.when;
    return progress.when - (timing_.service(slot.job, progress.octets, 0) - timing_.service(slot.job, octets, 0));
  }
  if (!timing_.streams(slot.job)) return slot.end;
  const auto work = static_cast<std::uint64_t>((slot.worked - slot.overhead).count());
  return slot.end - Time(mul_div(work, slot.result.produced - octets, slot.result.produced));
}

void AccelEngine::write(unsigned number) {
  Engine& engine = engines_[number];
  JobSlot& slot = engine.slot(engine.written);
  engine.writing = false;
  const SegmentWalk::Piece piece = std::exchange(engine.piece, {0, 0});
  const bool over = engine.written != engine.read && slot.written >= slot.result.produced;
  if (over) return finish_writing(number);  // the source failed in the meantime
  ByteBuffer& result = slot.cut_through ? slot.source : slot.destination;
  const std::span<std::uint8_t> octets = result.first(slot.written + piece.octets).subspan(slot.written);
  const AccelEnvironment::DmaResult answer = access_once(true, piece.address, octets);
  engine.writes.issue(now_, answer.done);
  slot.last_write = now_;
  slot.written_by = std::max(slot.written_by, answer.done);
  if (answer.ok) {
    slot.written += piece.octets;
  } else {
    slot.write_failed = true;
  }
  schedule_write(number);
}

void AccelEngine::finish_writing(unsigned number) {
  Engine& engine = engines_[number];
  JobSlot& slot = engine.slot(engine.written);
  if (slot.last_write > slot.end) {
    stats_.destination_stall += static_cast<std::uint64_t>((slot.last_write - slot.end).count());
  }
  engine.piece = {0, 0};
  engine.last_done = std::max({slot.end, slot.written_by, engine.last_done});
  schedule(Event::kDone, number, engine.last_done);
  ++engine.written;
  schedule_write(number);
}

// The job's last octet is written, and so are those of the jobs before it.
void AccelEngine::retire(unsigned number) {
  Engine& engine = engines_[number];
  const JobSlot& slot = engine.slot(engine.retired);
  ++stats_.outcomes[slot.result.status];
  stats_.octets_in += slot.read;
  stats_.octets_out += slot.written;
  JobQueueStats& queue = stats_.queue[slot.queue];
  ++queue.completed;
  queue.octets_in += slot.read;
  queue.octets_out += slot.written;
  ++submission_[slot.queue].completed;
  stats_.service_time.record(now_ - slot.dispatched);
  stats_.held.add(-1);
  context_.simulation.note_work(now_);
  complete(slot, number);
  ++engine.retired;
  dispatch();
}

}  // namespace dpusim::accel
