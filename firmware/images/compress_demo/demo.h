/* What the parts of compress_demo share. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "drivers/accel/accel.h"

enum {
  DEMO_MAX_FILE = 4 << 20,
  /* Room for a compressed file: DEFLATE and LZ4 in frames never add as much to octets that do not shrink. */
  DEMO_ROOM = DEMO_MAX_FILE + DEMO_MAX_FILE / 16 + 4096
};

typedef struct {
  AccelDevice device;
  AccelQueue queue;
  unsigned rows, failures;
} Demo;

/* Returns a job with its source and destination named. */
AccelJob demo_job(unsigned opcode, unsigned parameter0, unsigned parameter1, const void* source, uint32_t length,
                  void* destination, uint32_t room);
/* Runs a job, prints a row, and counts a failure when its status is not `expected`. Returns its completion. */
AccelCompletion demo_row(Demo* demo, const char* name, const AccelJob* job, unsigned expected);
/* Counts and prints a failure when `good` is false. */
void demo_check(Demo* demo, bool good, const char* what);

/* Checksums of published examples and of a file, in one piece and continued. */
void demo_checksums(Demo* demo, const uint8_t* data, uint32_t length);
/* Jobs whose input is corrupt or whose output does not fit. */
void demo_errors(Demo* demo);
