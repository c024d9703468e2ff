/* crypto_demo: every opcode of the crypto accelerator against published examples, on a file, in pieces and with errors.
 *
 * Command line (all optional): "file=NAME" encrypts and hashes a file of up to 4 MiB; results become files (file.c has
 * names and keys). Prints a row a job; the exit code is 0 when all were as expected, else 1. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hal/board.h"
#include "images/common/files.h"
#include "images/common/options.h"
#include "images/crypto_demo/demo.h"

enum { LOG2_JOBS = 4 };
static uint8_t rings[ACCEL_QUEUE_OCTETS(LOG2_JOBS)] __attribute__((aligned(64)));
static uint8_t file[DEMO_MAX_FILE] __attribute__((section(".noinit")));

void demo_row(Demo* demo, const char* name, const AccelJob* job, unsigned expected, const uint8_t* found,
              const uint8_t* wanted, size_t length) {
  AccelCompletion completion;
  const unsigned status = accel_run(&demo->queue, job, &completion);
  bool good = status == expected;
  if (good && wanted != NULL) good = completion.produced == length && memcmp(found, wanted, length) == 0;
  if (status != ACCEL_STATUS_OK && completion.produced != 0) good = false;
  printf("%-20s %-16s %8" PRIu32 " %8" PRIu32 " %7" PRIu32 " %s%s\n", name, accel_opcode_name(job->opcode),
         job->source_length, completion.produced, completion.service_ns, accel_status_name(status),
         good                 ? ""
         : status != expected ? "  FAILED: expected another status"
                              : "  FAILED: expected another result");
  ++demo->rows;
  if (!good) ++demo->failures;
}

void demo_load_key(Demo* demo, unsigned slot, unsigned type, const void* key, unsigned length) {
  const unsigned status = accel_load_key(&demo->device, slot, type, key, length);
  if (status == ACCEL_STATUS_OK) return;
  printf("crypto_demo: key type %u is refused for slot %u: %s\n", type, slot, accel_status_name(status));
  ++demo->failures;
}

int main(void) {
  static Options options;
  static Demo demo;
  options_read(&options, "crypto_demo");
  const char* const name = options_text(&options, "file", NULL);
  if (!options_done(&options)) return 1;
  if (!accel_probe(&demo.device, BOARD_CRYPTO, INTID_CRYPTO) || demo.device.type != ACCEL_TYPE_CRYPTO) {
    printf("crypto_demo: no crypto accelerator at 0x%lx\n", BOARD_CRYPTO);
    return 1;
  }
  long length = 0;
  if (name != NULL && (length = file_read("crypto_demo", name, file, sizeof file)) < 0) return 1;
  if (!accel_open(&demo.queue, &demo.device, 0, rings, LOG2_JOBS)) return 1;
  accel_enable_interrupt(&demo.queue);
  printf("crypto_demo: %u engine(s), %u queue(s), %u key slot(s)\n%-20s %-16s %8s %8s %7s %s\n", demo.device.engines,
         demo.device.queues, demo.device.key_slots, "job", "opcode", "in", "out", "ns", "status");
  demo_known_answers(&demo);
  demo_errors(&demo);
  if (name != NULL) demo_file(&demo, file, (uint32_t)length);
  printf("crypto_demo: %u job(s), %u failure(s)\n", demo.rows, demo.failures);
  return demo.failures == 0 ? 0 : 1;
}
