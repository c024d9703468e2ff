/* Data for all slots, and whether results are right. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hal/board.h"
#include "images/accel_bench/bench.h"

enum { SCRATCH = BENCH_MAX_SIZE + BENCH_MAX_SIZE / 32 + 4096, PIECES = 3, LOG2_COPIES = 3 };
static uint8_t scratch[SCRATCH] __attribute__((section(".noinit"), aligned(64)));

static bool run(AccelQueue* queue, const AccelJob* job, AccelCompletion* completion) {
  const unsigned status = accel_run(queue, job, completion);
  if (status == ACCEL_STATUS_OK) return true;
  if (job->opcode == ACCEL_OP_REGEX_SCAN && status == ACCEL_STATUS_BAD_KEY) {
    printf(
        "accel_bench: the regex accelerator has no rules (dpusim run --set 'regex.rules=[\"FILE\"]' gives it some)\n");
    return false;
  }
  printf("accel_bench: a job %s to prepare or check ends with %s\n", accel_opcode_name(job->opcode),
         accel_status_name(status));
  return false;
}

/* The source again, from the result. */
static bool check_back(const Bench* bench, AccelQueue* queue, uint64_t slot, uint64_t number, uint32_t produced) {
  const Operation* const operation = bench->operation;
  AccelJob job = bench_job(bench, number);
  AccelCompletion completion;
  job.opcode = operation->back;
  job.parameter1 = operation->back == ACCEL_OP_DEFLATE_COMPRESS ? bench->level : 0;
  accel_source(&job, bench_destination(bench, slot), produced);
  accel_destination(&job, scratch, operation->from_result ? SCRATCH : bench->source_length);
  return run(queue, &job, &completion) && completion.produced == bench->source_length &&
         memcmp(scratch, bench_source(bench, slot), bench->source_length) == 0;
}

/* The same once more, from pieces at odd addresses. */
static bool check_again(const Bench* bench, AccelQueue* queue, uint64_t slot, uint64_t number, uint32_t produced,
                        uint64_t value) {
  static AccelSegment list[PIECES];
  AccelJob job = bench_job(bench, number);
  AccelCompletion completion;
  const uint32_t pieces = bench->source_length < PIECES ? bench->source_length : PIECES;
  accel_cut(list, pieces, bench_source(bench, slot), bench->source_length);
  accel_source_list(&job, list, pieces);
  accel_destination(&job, scratch, bench->destination_length);
  return run(queue, &job, &completion) && completion.produced == produced && completion.value == value &&
         memcmp(scratch, bench_destination(bench, slot), produced) == 0;
}

bool bench_check(const Bench* bench, AccelQueue* queue, uint64_t slot, uint64_t number, uint64_t produced,
                 uint64_t value) {
  const uint8_t* const source = bench_source(bench, slot);
  const uint8_t* const destination = bench_destination(bench, slot);
  const uint32_t octets = (uint32_t)produced;
  switch (bench->operation->opcode) {
    case ACCEL_OP_NOP:
      return octets == 0;
    case ACCEL_OP_COPY:
      return octets == bench->size && memcmp(source, destination, octets) == 0;
    case ACCEL_OP_COPY_CRC:
      return octets == bench->size && memcmp(source, destination, octets) == 0 && value == data_crc32(source, octets);
    case ACCEL_OP_FILL: {
      const AccelJob job = bench_job(bench, number);
      for (uint32_t i = 0; i < octets; ++i) {
        const uint32_t word = i % 8 < 4 ? job.parameter0 : job.parameter1;
        if (destination[i] != (uint8_t)(word >> i % 4 * 8)) return false;
      }
      return octets == bench->size;
    }
    case ACCEL_OP_CRC32:
      return value == data_crc32(source, bench->size);
    case ACCEL_OP_ADLER32:
      return value == data_adler32(source, bench->size);
    default:
      return bench->operation->back != 0 ? check_back(bench, queue, slot, number, octets)
                                         : check_again(bench, queue, slot, number, octets, value);
  }
}

/* Makes the memory behind the first slot like it, twice as much each time, by a queue of a DMA accelerator. */
static bool replicate_by(const Bench* bench, AccelQueue* queue) {
  const uint64_t end = bench->slots * bench->stride;
  bool good = true;
  for (uint64_t done = bench->stride; done < end && good;) {
    const uint64_t phase = done % bench->stride; /* a copy of 16 MiB may end within a slot */
    uint64_t length = done - phase < end - done ? done - phase : end - done;
    if (length > ACCEL_MAX_JOB) length = ACCEL_MAX_JOB;
    AccelCompletion completion;
    AccelJob job = {.opcode = ACCEL_OP_COPY};
    accel_source(&job, bench->memory + phase, (uint32_t)length);
    accel_destination(&job, bench->memory + done, (uint32_t)length);
    good = run(queue, &job, &completion);
    done += length;
  }
  return good;
}

/* @param queue is taken when it is one of a DMA accelerator. */
static bool replicate(const Bench* bench, AccelQueue* queue) {
  static uint8_t rings[ACCEL_QUEUE_OCTETS(LOG2_COPIES)] __attribute__((aligned(64)));
  static AccelDevice device;
  static AccelQueue copies;
  if (bench->device.type == ACCEL_TYPE_DMA) return replicate_by(bench, queue);
  if (!accel_probe(&device, BOARD_DMA, INTID_DMA) || device.type != ACCEL_TYPE_DMA) {
    printf("accel_bench: no DMA accelerator at 0x%lx, which data other than zero needs\n", BOARD_DMA);
    return false;
  }
  if (!accel_open(&copies, &device, 0, rings, LOG2_COPIES)) return false;
  accel_enable_interrupt(&copies);
  const bool good = replicate_by(bench, &copies);
  accel_close(&copies);
  return good;
}

/* Puts the segment lists of all slots in place. */
static void make_lists(const Bench* bench) {
  const uint32_t in = bench->source_length < bench->segments ? bench->source_length : bench->segments;
  const uint32_t out = bench->destination_length < bench->segments ? bench->destination_length : bench->segments;
  for (uint64_t slot = 0; slot < bench->slots && bench->segments != 0; ++slot) {
    AccelSegment* const lists = bench_lists(bench, slot);
    accel_cut(lists, in, bench_source(bench, slot), bench->source_length);
    accel_cut(lists + bench->segments, out, bench_destination(bench, slot), bench->destination_length);
  }
}

bool bench_prepare(Bench* bench, AccelQueue* queue) {
  const Operation* const operation = bench->operation;
  AccelCompletion completion;
  if (operation->key_type != 0) {
    uint8_t key[ACCEL_KEY_OCTETS];
    for (unsigned i = 0; i < sizeof key; ++i) key[i] = (uint8_t)(17 * i + 1);
    const unsigned status = accel_load_key(&bench->device, 0, operation->key_type, key, operation->key_octets);
    if (status != ACCEL_STATUS_OK) {
      printf("accel_bench: the key is refused: %s\n", accel_status_name(status));
      return false;
    }
  }
  if (operation->from_result) {
    uint8_t* const data = bench_destination(bench, 0);
    data_make(bench->data, data, bench->size);
    AccelJob job = {.opcode = operation->back};
    if (operation->back == ACCEL_OP_DEFLATE_COMPRESS) job.parameter1 = bench->level;
    accel_source(&job, data, bench->size);
    accel_destination(&job, bench_source(bench, 0), (uint32_t)bench->source_room);
    if (!run(queue, &job, &completion)) return false;
    bench->source_length = completion.produced;
  } else if (bench->data != DATA_ZERO) { /* memory is 0 when the card starts */
    data_make(bench->data, bench_source(bench, 0), bench->source_length);
  }
  if ((operation->from_result || bench->data != DATA_ZERO) && bench->source_length != 0 && !replicate(bench, queue))
    return false;
  make_lists(bench);
  AccelJob job = bench_job(bench, 0);
  bench_place(bench, &job, 0);
  if (!run(queue, &job, &completion)) return false;
  if (bench_check(bench, queue, 0, 0, completion.produced, completion.value)) return true;
  printf("accel_bench: the first result is wrong\n");
  return false;
}
