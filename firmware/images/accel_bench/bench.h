/* What the parts of accel_bench share. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "drivers/accel/accel.h"
#include "hal/cpu.h"
#include "images/accel_bench/data.h"

enum { BENCH_MAX_DEPTH = 1024, BENCH_LOG2_DEPTH = 10, BENCH_MAX_SIZE = 8 << 20 };

/* How an operation's result relates to its source of `size` octets. */
typedef enum {
  RESULT_NONE,    /* only AccelCompletion.value */
  RESULT_SAME,    /* as many octets */
  RESULT_SEALED,  /* a tag more */
  RESULT_DIGEST,  /* `digest` octets */
  RESULT_PACKED,  /* fewer, as a rule */
  RESULT_MATCHES, /* up to MATCHES records */
} ResultKind;

typedef struct {
  const char* name;
  uint8_t type; /* ACCEL_TYPE_*; 0: every accelerator has it */
  uint8_t opcode;
  uint8_t back;     /* opcode that gives the source again, or 0 */
  bool from_result; /* the source is what `back` makes of the data, so that this operation undoes it */
  uint8_t key_type; /* of slot 0, or 0 */
  uint8_t key_octets;
  ResultKind result;
  uint8_t digest;
} Operation;

extern const Operation operations[];
extern const unsigned operation_count;

/* What was asked for, and what follows from it. A slot is the memory of one job under way: its source, its destination,
 * and the two lists when there are segments. Slots are used in turn, so that the footprint is. */
typedef struct {
  const Operation* operation;
  AccelDevice device;
  uint32_t size; /* octets of data that a job is about */
  uint64_t jobs;
  uint32_t depth, queues, cores, segments, level;
  uint64_t footprint;
  DataKind data;
  bool poll;
  uint32_t source_length, destination_length; /* of each job */
  uint64_t source_room, destination_room, stride, slots;
  uint8_t* memory; /* slot 0 */
} Bench;

/* A core's share. */
typedef struct {
  const Bench* bench;
  AccelQueue queue[ACCEL_MAX_QUEUES];
  uint32_t queues;
  uint64_t jobs, posted, completed;
  uint64_t first_slot, slots;
  uint32_t* free; /* ring of the slots that no job uses, longest unused first */
  uint64_t free_head, free_tail;
  AccelJob template;     /* all but the addresses */
  uint64_t first_number; /* of this core's jobs */
  uint64_t last_slot, last_number, last_produced, last_value;
  uint64_t octets_in, octets_out, service_ns;
  uint32_t least_ns, most_ns;
  uint8_t error; /* status of the first job that failed */
  uint64_t sleeps;
  atomic_uint state;
} Worker;
enum { WORKER_STARTING, WORKER_READY, WORKER_DONE };

static inline uint8_t* bench_source(const Bench* bench, uint64_t slot) { return bench->memory + slot * bench->stride; }
static inline uint8_t* bench_destination(const Bench* bench, uint64_t slot) {
  return bench_source(bench, slot) + bench->source_room;
}
static inline AccelSegment* bench_lists(const Bench* bench, uint64_t slot) {
  return (AccelSegment*)(bench_destination(bench, slot) + bench->destination_room);
}

/* operations.c */

/* Fills in what the operation says of lengths. @return NULL, or what is wrong with `size`. */
const char* bench_lengths(Bench* bench);
/* Returns job number `number` of an operation, without addresses. */
AccelJob bench_job(const Bench* bench, uint64_t number);
/* Names the job's source and destination in a slot. */
void bench_place(const Bench* bench, AccelJob* job, uint64_t slot);
/* Loads the key, makes the data of slot 0 and runs the operation once there, checks the result, and makes all slots
 * like slot 0. May change bench->source_length, to what packing made of the data. @return whether all went well; else
 * there was a message. */
bool bench_prepare(Bench* bench, AccelQueue* queue);
/* Looks at the result of job `number` in a slot by computing the other way round, or in software, or once more from odd
 * pieces. @return whether it is right. */
bool bench_check(const Bench* bench, AccelQueue* queue, uint64_t slot, uint64_t number, uint64_t produced,
                 uint64_t value);

/* worker.c */

/* Opens the worker's queues. */
bool worker_open(Worker* worker, unsigned core);
/* Keeps `depth` jobs under way in each queue until all are done or one has failed. @param start waits for it. */
void worker_run(Worker* worker, atomic_uint* start);
