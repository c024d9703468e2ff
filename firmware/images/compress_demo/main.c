/* compress_demo: DEFLATE and LZ4 by the compression accelerator, in all framings, with checksums and errors.
 *
 * Command line (all optional):
 *   file=NAME  compresses a file of up to 4 MiB to compressed.{deflate,zlib,gz,lz4,lz4block}, each decompressed again
 *   gz=NAME    decompresses a gzip file to gunzip.out
 *   lz4=NAME   decompresses an LZ4 frame to unlz4.out
 *   level=N    of DEFLATE, 1 to 9 (default 6)
 * Prints a row a job and the ratios; the exit code is 0 when all were as expected, else 1. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hal/board.h"
#include "images/common/files.h"
#include "images/common/options.h"
#include "images/compress_demo/demo.h"

enum { LOG2_JOBS = 4 };
static uint8_t rings[ACCEL_QUEUE_OCTETS(LOG2_JOBS)] __attribute__((aligned(64)));
static uint8_t file[DEMO_ROOM] __attribute__((section(".noinit")));
static uint8_t packed[DEMO_ROOM] __attribute__((section(".noinit")));
static uint8_t out[DEMO_ROOM] __attribute__((section(".noinit")));

AccelJob demo_job(unsigned opcode, unsigned parameter0, unsigned parameter1, const void* source, uint32_t length,
                  void* destination, uint32_t room) {
  AccelJob job = {.opcode = (uint8_t)opcode, .parameter0 = parameter0, .parameter1 = parameter1};
  accel_source(&job, source, length);
  accel_destination(&job, destination, room);
  return job;
}

AccelCompletion demo_row(Demo* demo, const char* name, const AccelJob* job, unsigned expected) {
  AccelCompletion completion;
  const unsigned status = accel_run(&demo->queue, job, &completion);
  printf("%-22s %-18s %8" PRIu32 " %8" PRIu32 " %8" PRIu32 " %s%s\n", name, accel_opcode_name(job->opcode),
         job->source_length, completion.produced, completion.service_ns, accel_status_name(status),
         status == expected ? "" : "  FAILED: expected another status");
  ++demo->rows;
  if (status != expected) ++demo->failures;
  return completion;
}

void demo_check(Demo* demo, bool good, const char* what) {
  if (good) return;
  printf("compress_demo: FAILED: %s\n", what);
  ++demo->failures;
}

typedef struct {
  const char *name, *file;
  uint8_t compress, decompress;
  uint32_t framing;
} Format;

static const Format formats[] = {
    {"deflate", "compressed.deflate", ACCEL_OP_DEFLATE_COMPRESS, ACCEL_OP_DEFLATE_DECOMPRESS, ACCEL_FRAMING_RAW},
    {"zlib", "compressed.zlib", ACCEL_OP_DEFLATE_COMPRESS, ACCEL_OP_DEFLATE_DECOMPRESS, ACCEL_FRAMING_ZLIB},
    {"gzip", "compressed.gz", ACCEL_OP_DEFLATE_COMPRESS, ACCEL_OP_DEFLATE_DECOMPRESS, ACCEL_FRAMING_GZIP},
    {"lz4 block", "compressed.lz4block", ACCEL_OP_LZ4_COMPRESS, ACCEL_OP_LZ4_DECOMPRESS, 0},
    {"lz4 frame", "compressed.lz4", ACCEL_OP_LZ4_COMPRESS, ACCEL_OP_LZ4_DECOMPRESS, 1},
};
enum { FORMATS = sizeof formats / sizeof formats[0], PIECES = 9 };
static uint32_t sizes[FORMATS];

static void round_trip(Demo* demo, const Format* format, uint32_t length, uint32_t level, uint32_t* size) {
  static AccelSegment list[PIECES];
  const uint32_t parameter1 = format->compress == ACCEL_OP_DEFLATE_COMPRESS ? level : 0;
  const AccelJob compress = demo_job(format->compress, format->framing, parameter1, file, length, packed, DEMO_ROOM);
  *size = demo_row(demo, format->name, &compress, ACCEL_STATUS_OK).produced;
  demo_check(demo, file_write("compress_demo", format->file, packed, *size), format->file);
  AccelJob decompress = demo_job(format->decompress, format->framing, 0, packed, *size, out, length);
  const AccelCompletion whole = demo_row(demo, "  decompressed", &decompress, ACCEL_STATUS_OK);
  demo_check(demo, whole.produced == length && memcmp(out, file, length) == 0, "decompression gives other octets");
  if (length < PIECES || *size < PIECES) return;
  memset(out, 0, length);
  accel_cut(list, PIECES, packed, *size);
  accel_source_list(&decompress, list, PIECES);
  const AccelCompletion pieces = demo_row(demo, "  from pieces", &decompress, ACCEL_STATUS_OK);
  demo_check(demo, pieces.produced == length && memcmp(out, file, length) == 0, "pieces give other octets");
}

static bool decompress_file(Demo* demo, const char* name, unsigned opcode, uint32_t framing, const char* to) {
  const long length = file_read("compress_demo", name, packed, DEMO_ROOM);
  if (length < 0) return false;
  const AccelJob job = demo_job(opcode, framing, 0, packed, (uint32_t)length, out, DEMO_ROOM);
  const AccelCompletion completion = demo_row(demo, name, &job, ACCEL_STATUS_OK);
  return file_write("compress_demo", to, out, completion.produced);
}

static void print_ratios(uint32_t length) {
  printf("%-22s %10s %10s %8s\n", "format", "octets", "compressed", "ratio");
  for (unsigned i = 0; i < FORMATS; ++i) {
    const uint64_t thousandths = sizes[i] == 0 ? 0 : (uint64_t)length * 1000 / sizes[i];
    printf("%-22s %10" PRIu32 " %10" PRIu32 " %4" PRIu64 ".%03" PRIu64 "\n", formats[i].name, length, sizes[i],
           thousandths / 1000, thousandths % 1000);
  }
}

int main(void) {
  static Options options;
  static Demo demo;
  options_read(&options, "compress_demo");
  const char* const name = options_text(&options, "file", NULL);
  const char* const gz = options_text(&options, "gz", NULL);
  const char* const lz4 = options_text(&options, "lz4", NULL);
  const uint32_t level = (uint32_t)options_number(&options, "level", 6, 1, 9);
  if (!options_done(&options)) return 1;
  if (!accel_probe(&demo.device, BOARD_COMPRESS, INTID_COMPRESS) || demo.device.type != ACCEL_TYPE_COMPRESS) {
    printf("compress_demo: no compression accelerator at 0x%lx\n", BOARD_COMPRESS);
    return 1;
  }
  long length = 0;
  if (name != NULL && (length = file_read("compress_demo", name, file, DEMO_MAX_FILE)) < 0) return 1;
  if (!accel_open(&demo.queue, &demo.device, 0, rings, LOG2_JOBS)) return 1;
  accel_enable_interrupt(&demo.queue);
  printf("compress_demo: %u engine(s), %u queue(s)\n%-22s %-18s %8s %8s %8s %s\n", demo.device.engines,
         demo.device.queues, "job", "opcode", "in", "out", "ns", "status");
  demo_errors(&demo);
  demo_checksums(&demo, name == NULL ? NULL : file, (uint32_t)length);
  for (unsigned i = 0; i < FORMATS && name != NULL; ++i) {
    round_trip(&demo, &formats[i], (uint32_t)length, level, &sizes[i]);
  }
  if (gz != NULL && !decompress_file(&demo, gz, ACCEL_OP_DEFLATE_DECOMPRESS, ACCEL_FRAMING_GZIP, "gunzip.out"))
    return 1;
  if (lz4 != NULL && !decompress_file(&demo, lz4, ACCEL_OP_LZ4_DECOMPRESS, 1, "unlz4.out")) return 1;
  if (name != NULL) print_ratios((uint32_t)length);
  printf("compress_demo: %u job(s), %u failure(s)\n", demo.rows, demo.failures);
  return demo.failures == 0 ? 0 : 1;
}
