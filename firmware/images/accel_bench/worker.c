#include <string.h>

#include "images/accel_bench/bench.h"

static uint8_t rings[ACCEL_MAX_QUEUES][ACCEL_QUEUE_OCTETS(BENCH_LOG2_DEPTH)]
    __attribute__((aligned(64), section(".noinit")));

bool worker_open(Worker* worker, unsigned core) {
  const Bench* const bench = worker->bench;
  unsigned log2 = 0;
  while (1u << log2 < bench->depth) ++log2;
  for (unsigned number = core; number < bench->queues; number += bench->cores) {
    AccelQueue* const queue = &worker->queue[worker->queues++];
    if (!accel_open(queue, &bench->device, number, rings[number], log2)) return false;
    /* Half a queue's depth, or 5 us after the first: a core sleeps through what it could only do job by job. */
    accel_moderate(queue, bench->depth > 1 ? bench->depth / 2 : 1, 50);
  }
  return true;
}

static void post(Worker* worker, AccelQueue* queue) {
  const Bench* const bench = worker->bench;
  AccelJob* const job = accel_next(queue);
  if (job == NULL) return; /* the entry's last job is still under way: later */
  const uint32_t slot = worker->free[worker->free_head];
  if (++worker->free_head == worker->slots) worker->free_head = 0;
  const uint64_t number = worker->first_number + worker->posted;
  *job = worker->template;
  job->cookie = slot;
  bench_place(bench, job, worker->first_slot + slot);
  if (job->opcode == ACCEL_OP_AES_GCM_ENCRYPT || job->opcode == ACCEL_OP_AES_XTS_ENCRYPT) {
    __builtin_memcpy(job->iv, &number, sizeof number); /* never twice with a key; memcpy is a call */
  }
  accel_post(queue);
  ++worker->posted;
}

static void take(Worker* worker, const AccelCompletion* completion) {
  ++worker->completed;
  worker->free[worker->free_tail] = completion->cookie;
  if (++worker->free_tail == worker->slots) worker->free_tail = 0;
  worker->octets_in += completion->consumed;
  worker->octets_out += completion->produced;
  worker->service_ns += completion->service_ns;
  if (completion->service_ns < worker->least_ns) worker->least_ns = completion->service_ns;
  if (completion->service_ns > worker->most_ns) worker->most_ns = completion->service_ns;
  if (completion->status != ACCEL_STATUS_OK && worker->error == ACCEL_STATUS_OK) worker->error = completion->status;
}

/* For the check: this slot is not used again, and the ring entry still has the job's number. */
static void note_last(Worker* worker, const AccelQueue* queue, const AccelCompletion* completion) {
  memcpy(&worker->last_number, queue->jobs[completion->index & ((1u << queue->log2) - 1)].iv, sizeof(uint64_t));
  worker->last_slot = worker->first_slot + completion->cookie;
  worker->last_produced = completion->produced;
  worker->last_value = completion->value;
}

static void sleep(Worker* worker) {
  uint32_t before = 0, after = 0;
  for (unsigned q = 0; q < worker->queues; ++q) before += worker->queue[q].events;
  for (unsigned q = 0; q < worker->queues; ++q) {
    if (accel_outstanding(&worker->queue[q]) != 0) accel_arm(&worker->queue[q]);
  }
  const uint64_t daif = irq_save();
  for (unsigned q = 0; q < worker->queues; ++q) after += worker->queue[q].events;
  if (before == after) {
    ++worker->sleeps;
    wait_for_interrupt();
  }
  irq_restore(daif);
}

void worker_run(Worker* worker, atomic_uint* start) {
  const Bench* const bench = worker->bench;
  for (unsigned q = 0; q < worker->queues && !bench->poll; ++q) accel_enable_interrupt(&worker->queue[q]);
  atomic_store_explicit(&worker->state, WORKER_READY, memory_order_release);
  while (atomic_load_explicit(start, memory_order_acquire) == 0) {
  }
  while (worker->completed < worker->jobs && (worker->error == ACCEL_STATUS_OK || worker->completed < worker->posted)) {
    unsigned done = 0;
    for (unsigned q = 0; q < worker->queues; ++q) {
      AccelQueue* const queue = &worker->queue[q];
      AccelCompletion completion;
      while (accel_poll(queue, &completion)) {
        take(worker, &completion);
        ++done;
        if (worker->completed == worker->jobs) note_last(worker, queue, &completion);
      }
      while (accel_outstanding(queue) < bench->depth && worker->posted < worker->jobs &&
             worker->error == ACCEL_STATUS_OK) {
        const uint64_t before = worker->posted;
        post(worker, queue);
        if (worker->posted == before) break;
      }
      accel_flush(queue);
    }
    if (done == 0 && !bench->poll && worker->completed < worker->posted) sleep(worker);
  }
  atomic_store_explicit(&worker->state, WORKER_DONE, memory_order_release);
}
