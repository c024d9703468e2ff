/* What the accelerator answers to jobs that have something wrong with them. */
#include <string.h>

#include "hal/board.h"
#include "images/crypto_demo/demo.h"

enum { LENGTH = 64, TAG = 16, AES_SLOT = 1, XTS_SLOT = 2, EMPTY_SLOT = 3 };

static uint8_t text[LENGTH], sealed[LENGTH + TAG], out[LENGTH + TAG];

static AccelJob encrypt(void) {
  AccelJob job = {.opcode = ACCEL_OP_AES_GCM_ENCRYPT, .key = AES_SLOT};
  accel_source(&job, text, LENGTH);
  accel_destination(&job, out, sizeof out);
  return job;
}

static void expect(Demo* demo, const char* name, const AccelJob* job, unsigned status) {
  demo_row(demo, name, job, status, NULL, NULL, 0);
}

static void lengths_and_fields(Demo* demo) {
  AccelJob job = encrypt();
  job.destination_length = LENGTH + TAG - 1;
  expect(demo, "no room for the tag", &job, ACCEL_STATUS_BAD_LENGTH);
  job = encrypt();
  job.aad_length = LENGTH + 1;
  expect(demo, "more aad than source", &job, ACCEL_STATUS_BAD_LENGTH);
  job = encrypt();
  job.source_length = ACCEL_MAX_JOB + 1;
  expect(demo, "above 16 MiB", &job, ACCEL_STATUS_BAD_LENGTH);
  job = encrypt();
  job.flags = 0x80;
  expect(demo, "unknown flag", &job, ACCEL_STATUS_BAD_FLAGS);
  job = encrypt();
  job.iv[12] = 1;
  expect(demo, "iv of 13 octets", &job, ACCEL_STATUS_BAD_FLAGS);
}

static void segments(Demo* demo) {
  static AccelSegment list[2];
  accel_cut(list, 2, text, LENGTH);
  AccelJob job = encrypt();
  accel_source_list(&job, list, 2);
  job.source_length -= 1;
  expect(demo, "sum of segments", &job, ACCEL_STATUS_BAD_SEGMENTS);
  job = encrypt();
  accel_source_list(&job, list, 2);
  list[1].length = 0;
  job.source_length = list[0].length;
  expect(demo, "empty segment", &job, ACCEL_STATUS_BAD_SEGMENTS);
  job = encrypt();
  job.source_segments = ACCEL_MAX_SEGMENTS + 1;
  expect(demo, "too many segments", &job, ACCEL_STATUS_BAD_SEGMENTS);
}

/* Nothing is mapped behind the accelerators. */
static void nowhere(Demo* demo) {
  void* const hole = (void*)(BOARD_CRYPTO + 0x00800000ul);
  AccelJob job = encrypt();
  accel_source(&job, hole, LENGTH);
  expect(demo, "source nowhere", &job, ACCEL_STATUS_SOURCE_BUS_ERROR);
  job = encrypt();
  accel_destination(&job, hole, LENGTH + TAG);
  expect(demo, "destination nowhere", &job, ACCEL_STATUS_DESTINATION_BUS_ERROR);
  job = encrypt();
  job.source = (uintptr_t)hole;
  job.source_segments = 2;
  expect(demo, "segments nowhere", &job, ACCEL_STATUS_DESCRIPTOR_BUS_ERROR);
}

void demo_errors(Demo* demo) {
  static uint8_t key[64];
  for (unsigned i = 0; i < sizeof key; ++i) key[i] = (uint8_t)i;
  demo_load_key(demo, AES_SLOT, ACCEL_KEY_AES_128, key, 16);
  demo_load_key(demo, XTS_SLOT, ACCEL_KEY_XTS_128, key, 32);
  for (unsigned i = 0; i < LENGTH; ++i) text[i] = (uint8_t)(3 * i);

  AccelJob job = encrypt();
  accel_destination(&job, sealed, sizeof sealed);
  demo_row(demo, "sealed", &job, ACCEL_STATUS_OK, NULL, NULL, 0);
  sealed[LENGTH + TAG - 1] ^= 1;
  job.opcode = ACCEL_OP_AES_GCM_DECRYPT;
  accel_source(&job, sealed, sizeof sealed);
  accel_destination(&job, out, LENGTH);
  memset(out, 0xa5, sizeof out);
  expect(demo, "wrong tag", &job, ACCEL_STATUS_AUTHENTICATION);
  for (unsigned i = 0; i < sizeof out; ++i) demo->failures += out[i] != 0xa5; /* nothing was written */
  sealed[LENGTH + TAG - 1] ^= 1;
  demo_row(demo, "right tag", &job, ACCEL_STATUS_OK, out, text, LENGTH);

  job = encrypt();
  job.key = EMPTY_SLOT;
  expect(demo, "empty slot", &job, ACCEL_STATUS_BAD_KEY);
  job.key = XTS_SLOT;
  expect(demo, "key of another type", &job, ACCEL_STATUS_BAD_KEY);
  job.key = 0xffff;
  expect(demo, "no such slot", &job, ACCEL_STATUS_BAD_KEY);
  if (accel_clear_key(&demo->device, AES_SLOT) != ACCEL_STATUS_OK) ++demo->failures;
  job.key = AES_SLOT;
  expect(demo, "cleared key", &job, ACCEL_STATUS_BAD_KEY);
  demo_load_key(demo, AES_SLOT, ACCEL_KEY_AES_128, key, 16);

  job = encrypt();
  job.opcode = ACCEL_OP_DEFLATE_COMPRESS;
  expect(demo, "another's opcode", &job, ACCEL_STATUS_BAD_OPCODE);
  job.opcode = 0xee;
  expect(demo, "unknown opcode", &job, ACCEL_STATUS_BAD_OPCODE);
  lengths_and_fields(demo);
  segments(demo);
  nowhere(demo);
}
