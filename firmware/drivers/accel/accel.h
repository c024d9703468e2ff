/* Driver of the card's accelerators: crypto, compress, regex and dma have one interface. No allocation; a device and a
 * queue belong to whoever declares them.
 *
 *   AccelDevice device;
 *   AccelQueue queue;
 *   static uint8_t memory[ACCEL_QUEUE_OCTETS(6)] __attribute__((aligned(64)));
 *   accel_probe(&device, BOARD_CRYPTO, INTID_CRYPTO) && accel_open(&queue, &device, 0, memory, 6);
 *   AccelJob* job = accel_next(&queue);  ... fill it in ...  accel_post(&queue);  (more jobs)
 *   accel_flush(&queue);                 one doorbell for all of them
 *   while (accel_poll(&queue, &completion)) ...
 *
 * A queue is a submission queue and a completion queue of the same number, used by one core. Jobs of a queue may
 * complete in any order; AccelJob.cookie tells them apart. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "accel/accel_job_desc.h"

enum { ACCEL_MAX_LOG2 = 14 }; /* of a queue's jobs: its completion ring has twice as many entries */

/* Octets of memory for a queue of 2^log2 jobs: its rings. */
#define ACCEL_QUEUE_OCTETS(log2) ((sizeof(AccelJob) + 2 * sizeof(AccelCompletion)) << (log2))

typedef struct {
  uintptr_t base;
  unsigned first_interrupt; /* INTID of completion queue 0's line */
  unsigned type;            /* ACCEL_TYPE_* */
  unsigned queues;          /* pairs of submission and completion queue */
  unsigned engines;
  unsigned key_slots;
} AccelDevice;

typedef struct {
  const AccelDevice* device;
  unsigned number;
  unsigned log2; /* of jobs */
  AccelJob* jobs;
  const AccelCompletion* completions;
  uint16_t tail, tail_told; /* jobs posted, and of them told to the accelerator */
  uint16_t head, head_told; /* completions used, and of them told */
  bool taken;               /* the entry behind the last job is the caller's, who has not posted it yet */
  volatile uint32_t events; /* interrupts taken */
} AccelQueue;

/* Looks for an accelerator, resets and enables it. Returns false when none is at `base`. */
bool accel_probe(AccelDevice* device, uintptr_t base, unsigned first_interrupt);
/* Lays queue `number` out in `memory` (ACCEL_QUEUE_OCTETS(log2), a multiple of 64) and enables it. Returns false when
 * the accelerator refuses, after a message. */
bool accel_open(AccelQueue* queue, const AccelDevice* device, unsigned number, void* memory, unsigned log2);
/* Stops a queue. Jobs that no engine holds are forgotten; the memory may be used again when those that one holds are
 * done, which this waits for. */
void accel_close(AccelQueue* queue);

/* Returns the ring entry for the next job, all 0, or NULL while the job that was there has not completed. The same
 * again until it is posted. */
AccelJob* accel_next(AccelQueue* queue);
/* Adds the entry that accel_next returned to the queue. The accelerator sees it at the next accel_flush. */
static inline void accel_post(AccelQueue* queue) {
  queue->taken = false;
  ++queue->tail;
}
/* Tells the accelerator of what was posted: one write for any number of jobs. */
void accel_flush(AccelQueue* queue);
/* Takes the next completion. Returns false when there is none. */
bool accel_poll(AccelQueue* queue, AccelCompletion* completion);
/* Returns the number of jobs posted and not completed. */
static inline unsigned accel_outstanding(const AccelQueue* queue) { return (uint16_t)(queue->tail - queue->head); }

/* Installs the queue's interrupt, for the calling core. */
void accel_enable_interrupt(AccelQueue* queue);
/* Asks for one interrupt at the next completion (at once, if there is one already). It counts in `events`. */
void accel_arm(AccelQueue* queue);
/* Lets the interrupt of an armed queue wait for `count` completions (0: does not), or `time` units of 100 ns since the
 * first (0: does not), whichever comes first. */
void accel_moderate(AccelQueue* queue, unsigned count, unsigned time);
/* Sleeps until a completion is there. Jobs are under way and the interrupt is installed. */
void accel_wait(AccelQueue* queue);
/* Posts a copy of `job` on an idle queue and waits for its completion. @return its status. */
unsigned accel_run(AccelQueue* queue, const AccelJob* job, AccelCompletion* completion);

/* Loads a key of `length` octets into a slot. @return ACCEL_STATUS_*. Not for two cores at a time, nor is the next. */
unsigned accel_load_key(const AccelDevice* device, unsigned slot, unsigned type, const void* key, unsigned length);
/* Forgets the key in a slot. @return ACCEL_STATUS_*. */
unsigned accel_clear_key(const AccelDevice* device, unsigned slot);

/* Names a job's source or destination: memory in one piece, */
static inline void accel_source(AccelJob* job, const void* data, uint32_t length) {
  job->source = (uintptr_t)data;
  job->source_length = length;
  job->source_segments = 0;
}
static inline void accel_destination(AccelJob* job, void* data, uint32_t length) {
  job->destination = (uintptr_t)data;
  job->destination_length = length;
  job->destination_segments = 0;
}
/* or in `count` pieces, in a list that stays as it is until the job has completed. */
void accel_source_list(AccelJob* job, const AccelSegment* list, unsigned count);
void accel_destination_list(AccelJob* job, const AccelSegment* list, unsigned count);
/* Cuts memory into `count` pieces whose lengths differ by at most one octet. @param count 1 to length. */
void accel_cut(AccelSegment* list, unsigned count, const void* data, uint32_t length);

/* Return a number's name in ACCEL_TYPE_*, ACCEL_OP_* or ACCEL_STATUS_* in lower case; "unknown" for others. */
const char* accel_type_name(unsigned type);
const char* accel_opcode_name(unsigned opcode);
const char* accel_status_name(unsigned status);
