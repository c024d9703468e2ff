#include <algorithm>

#include "net/queues/nic_engine.h"

namespace dpusim::net {

// Queues a completion whose slot is reserved; written no earlier than `when` and after those ahead of it.
void NicEngine::complete(unsigned queue, const NicCompletion& entry, Time when, Time first_bit) {
  CompletionRing& ring = completion_[queue];
  if (!ring.ready()) {
    ring.pending.push_back({entry, when, first_bit});
    return lose_completions(queue);
  }
  ring.last_write = std::max(when, ring.last_write);
  ring.pending.push_back({entry, ring.last_write, first_bit});
  schedule(Event::kCompletion, queue, ring.last_write);
}

void NicEngine::write_completion(unsigned queue, Time when) {
  CompletionRing& ring = completion_[queue];
  // An event of a queue that was stopped in between has nothing to do.
  if (ring.pending.empty() || ring.pending.front().when > when) return;
  CompletionRing::Pending& head = ring.pending.front();
  head.entry.phase = ring.phase();
  bool ok = true;
  const std::span<std::uint8_t> octets(reinterpret_cast<std::uint8_t*>(&head.entry), sizeof(NicCompletion));
  const Time visible = dma_split(true, ring.address(), octets, now_, nullptr, ok);
  if (!ok) return fail_completion_queue(queue, NIC_STATUS_COMPLETION_BUS_ERROR);
  ++stats_.completions;
  if (head.entry.kind == NIC_KIND_RECEIVE && head.entry.status == NIC_STATUS_OK) {
    ++stats_.delivered;
    stats_.held.add(-1);
    ++stats_.receive[head.entry.queue].frames;
    stats_.receive[head.entry.queue].octets += head.entry.length;
    stats_.receive_latency.record(visible - head.first_bit);
  }
  ring.pending.pop_front();
  --ring.reserved;
  ++ring.tail;
  if (ring.unseen() == 1) ring.first_unseen = visible;
  consider_interrupt(queue, visible);
}

// Forgets completions under way; frames whose completion is lost count as dropped.
void NicEngine::lose_completions(unsigned queue) {
  for (std::deque<CompletionRing::Pending>& pending = completion_[queue].pending; !pending.empty();
       pending.pop_front()) {
    const NicCompletion& entry = pending.front().entry;
    ++stats_.completions_lost;
    --completion_[queue].reserved;
    const unsigned from = entry.queue;
    if (entry.kind == NIC_KIND_RECEIVE && entry.status == NIC_STATUS_OK)
      drop(entry.port, &from, NicDrop::kCompletionError);
  }
}

void NicEngine::fail_completion_queue(unsigned queue, std::uint8_t reason) {
  CompletionRing& ring = completion_[queue];
  ring.state = NIC_STATE_ERROR;
  ring.reason = reason;
  ring.armed = false;
  ring.fire = kTimeMax;
  ++stats_.queue_errors;
  context_.log(LogLevel::kInfo, "completion queue {} is in error, reason {}", queue, reason);
  lose_completions(queue);
}

void NicEngine::disable_completion(unsigned queue) {
  lose_completions(queue);
  completion_[queue].state = NIC_STATE_OFF;
  completion_[queue].reason = NIC_STATUS_OK;
  completion_[queue].armed = false;
  completion_[queue].fire = kTimeMax;
}

void NicEngine::consume(unsigned queue, std::uint16_t head, Time when) {
  CompletionRing& ring = completion_[queue];
  if (!ring.ready()) return;
  if (static_cast<std::uint16_t>(ring.tail - head) > ring.unseen())
    return fail_completion_queue(queue, NIC_STATUS_BAD_DOORBELL);
  if (!ring.has_room()) ring.room_at = when;
  ring.head = head;
  if (ring.unseen() == 0) ring.fire = kTimeMax;
}

void NicEngine::arm(unsigned queue, std::uint16_t head, Time when) {
  CompletionRing& ring = completion_[queue];
  consume(queue, head, when);
  if (!ring.ready()) return;
  ring.armed = true;
  ring.fire = kTimeMax;
  ring.first_unseen = when;
  consider_interrupt(queue, when);
}

// Decides at `when` (arming, or a completion becoming visible) when the interrupt is due.
void NicEngine::consider_interrupt(unsigned queue, Time when) {
  CompletionRing& ring = completion_[queue];
  if (!ring.armed || ring.unseen() == 0) return;
  const Moderation& moderation = moderation_[queue];
  Time fire = kTimeMax;
  if (moderation.time > Time(0)) fire = std::max(when, ring.first_unseen + moderation.time);
  if (moderation.count > 0 && ring.unseen() >= moderation.count) fire = when;
  if (moderation.count == 0 && moderation.time == Time(0)) fire = when;
  if (fire == kTimeMax) return;
  // Software may arm at a time that the engine, looking ahead, has passed.
  fire = std::max(fire + timing_.interrupt_latency, now_);
  if (fire >= ring.fire) return;
  ring.fire = fire;
  schedule(Event::kInterrupt, queue, fire);
}

void NicEngine::raise_interrupt(unsigned queue, Time when) {
  CompletionRing& ring = completion_[queue];
  if (!ring.armed || ring.fire != when) return;  // overtaken by an earlier one, by consuming, or by arming again
  ring.armed = false;
  ring.fire = kTimeMax;
  ++stats_.interrupts;
  ++stats_.queue_interrupts[queue];
  environment_.interrupt(queue);
}

}  // namespace dpusim::net
