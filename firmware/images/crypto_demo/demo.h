/* What the parts of crypto_demo share. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drivers/accel/accel.h"

/* The accelerator, a queue on it, and how the demo fared. */
typedef struct {
  AccelDevice device;
  AccelQueue queue;
  unsigned rows, failures;
} Demo;

/* Runs a job, prints a row of the table, and counts a failure unless the status is `expected` and, for a job that is to
 * succeed, `found` holds the `length` octets of `wanted` (which may be NULL for none). */
void demo_row(Demo* demo, const char* name, const AccelJob* job, unsigned expected, const uint8_t* found,
              const uint8_t* wanted, size_t length);
/* Loads a key and counts a failure when it is refused. */
void demo_load_key(Demo* demo, unsigned slot, unsigned type, const void* key, unsigned length);

/* Published examples of each opcode. */
void demo_known_answers(Demo* demo);
/* Jobs that have something wrong with them. */
void demo_errors(Demo* demo);
/* All opcodes over a file's octets; results become files. */
void demo_file(Demo* demo, const uint8_t* data, uint32_t length);
/* Leaves the file's octets room. */
enum { DEMO_MAX_FILE = 4 << 20 };
