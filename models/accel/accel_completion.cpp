// Completion queues: entries, back-pressure, moderated interrupts.
#include <algorithm>

#include "accel/accel_engine.h"

namespace dpusim::accel {

void AccelEngine::enable_completion(unsigned queue, std::uint64_t base, unsigned log2) {
  CompletionRing& ring = completion_[queue];
  ring = CompletionRing{.state = ACCEL_STATE_READY,
                        .base = base,
                        .log2 = log2,
                        .round = ring.round + 1,
                        .count = ring.count,
                        .time = ring.time};
  if (base % 64 != 0 || base > UINT64_MAX - (sizeof(AccelCompletion) << log2)) {
    fail_completion_queue(queue, ACCEL_STATUS_BAD_CONFIGURATION, now_);
  }
}

// Submission queues that wait for room here hear of it: they are in error then.
void AccelEngine::disable_completion(unsigned queue, Time when) {
  CompletionRing& ring = completion_[queue];
  ring.state = ACCEL_STATE_OFF;
  ring.reason = ACCEL_STATUS_OK;
  ring.armed = false;
  ring.fire = kTimeMax;
  schedule(Event::kDispatch, 0, when);
}

void AccelEngine::fail_completion_queue(unsigned queue, std::uint8_t reason, Time when) {
  disable_completion(queue, when);
  completion_[queue].state = ACCEL_STATE_ERROR;
  completion_[queue].reason = reason;
  ++stats_.queue_errors;
  context_.log(LogLevel::kInfo, "completion queue {} is in error, reason {}", queue, reason);
}

// Writes a job's completion into the entry that was reserved for it.
void AccelEngine::complete(const JobSlot& slot, unsigned engine) {
  CompletionRing& ring = completion_[slot.completion_queue];
  if (!ring.ready() || ring.round != slot.round) {
    ++stats_.completions_lost;
    return;
  }
  const std::int64_t nanoseconds = ((now_ - slot.dispatched).count() + 500) / 1000;
  AccelCompletion entry{.cookie = slot.job.cookie,
                        .index = slot.index,
                        .queue = slot.queue,
                        .produced = slot.result.produced,
                        .consumed = slot.result.consumed,
                        .value = slot.result.value,
                        .service_ns = static_cast<std::uint32_t>(std::min<std::int64_t>(nanoseconds, UINT32_MAX)),
                        .status = slot.result.status,
                        .engine = static_cast<std::uint8_t>(engine),
                        .opcode = slot.job.opcode,
                        .phase = ring.phase()};
  const AccelEnvironment::DmaResult result =
      access_once(true, ring.address(), {reinterpret_cast<std::uint8_t*>(&entry), sizeof entry});
  if (!result.ok) {
    ++stats_.completions_lost;
    return fail_completion_queue(slot.completion_queue, ACCEL_STATUS_COMPLETION_BUS_ERROR, now_);
  }
  ++stats_.completions;
  --ring.reserved;
  ++ring.tail;
  if (ring.unseen() == 1) ring.first_unseen = result.done;
  consider_interrupt(slot.completion_queue, result.done);
}

void AccelEngine::consume(unsigned queue, std::uint16_t head, Time when) {
  CompletionRing& ring = completion_[queue];
  if (!ring.ready()) return;
  if (static_cast<std::uint16_t>(ring.tail - head) > ring.unseen()) {
    return fail_completion_queue(queue, ACCEL_STATUS_BAD_DOORBELL, when);
  }
  const bool was_full = !ring.has_room();
  ring.head = head;
  if (ring.unseen() == 0) ring.fire = kTimeMax;
  if (was_full) schedule(Event::kDispatch, 0, when);
}

void AccelEngine::arm(unsigned queue, std::uint16_t head, Time when) {
  consume(queue, head, when);
  CompletionRing& ring = completion_[queue];
  if (!ring.ready()) return;
  ring.armed = true;
  ring.fire = kTimeMax;
  ring.first_unseen = when;
  consider_interrupt(queue, when);
}

void AccelEngine::set_moderation(unsigned queue, std::uint32_t count, Time time) {
  completion_[queue].count = count;
  completion_[queue].time = time;
}

// Decides at `when` (arming, or a completion becoming visible) when the interrupt is due.
void AccelEngine::consider_interrupt(unsigned queue, Time when) {
  CompletionRing& ring = completion_[queue];
  if (!ring.armed || ring.unseen() == 0) return;
  const bool immediate = ring.count == 0 && ring.time == Time(0);
  Time fire = kTimeMax;
  if (immediate || (ring.count > 0 && ring.unseen() >= ring.count)) {
    fire = when;
  } else if (ring.time > Time(0)) {
    fire = std::max(when, ring.first_unseen + ring.time);
  }
  if (fire == kTimeMax) return;
  // Software may arm at a time that has been passed by looking ahead.
  fire = std::max(fire + interrupt_latency_, now_);
  if (fire >= ring.fire) return;
  ring.fire = fire;
  schedule(Event::kInterrupt, queue, fire);
}

void AccelEngine::raise_interrupt(unsigned queue, Time when) {
  CompletionRing& ring = completion_[queue];
  if (!ring.armed || ring.fire != when) return;  // overtaken by an earlier one, by consuming, or by arming again
  ring.armed = false;
  ring.fire = kTimeMax;
  ++stats_.interrupts;
  ++stats_.queue_interrupts[queue];
  environment_.interrupt(queue);
}

}  // namespace dpusim::accel
