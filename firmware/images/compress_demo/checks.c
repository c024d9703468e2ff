/* Checksums, and what the accelerator answers to corrupt and oversized data. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "images/compress_demo/demo.h"

/* ---- checksums ---- */

static uint32_t checksum(Demo* demo, const char* name, unsigned opcode, uint32_t before, const void* data,
                         uint32_t length) {
  const AccelJob job = demo_job(opcode, before, 0, data, length, NULL, 0);
  return (uint32_t)demo_row(demo, name, &job, ACCEL_STATUS_OK).value;
}

/* The whole, and its two parts one after the other. */
static void file_checksum(Demo* demo, const char* name, unsigned opcode, uint32_t start, const uint8_t* data,
                          uint32_t length) {
  const uint32_t whole = checksum(demo, name, opcode, start, data, length);
  const uint32_t first = length / 3;
  const uint32_t before = checksum(demo, "  first third", opcode, start, data, first);
  const uint32_t continued = checksum(demo, "  and the rest", opcode, before, data + first, length - first);
  demo_check(demo, continued == whole, "a checksum in two parts differs");
  printf("%s 0x%08" PRIx32 "\n", name, whole);
}

void demo_checksums(Demo* demo, const uint8_t* data, uint32_t length) {
  /* CRC-32: the check value of CRC-32/ISO-HDLC in the catalogue of parametrised CRC algorithms. Adler-32 by hand: the
   * sums of "a" are 1 + 97 = 98 and 98. */
  demo_check(demo, checksum(demo, "crc32 check", ACCEL_OP_CRC32, 0, "123456789", 9) == 0xcbf43926, "CRC-32");
  demo_check(demo, checksum(demo, "adler32 check", ACCEL_OP_ADLER32, 1, "a", 1) == 0x00620062, "Adler-32");
  demo_check(demo, checksum(demo, "crc32 of nothing", ACCEL_OP_CRC32, 0x12345678, "", 0) == 0x12345678, "CRC-32");
  if (data == NULL) return;
  file_checksum(demo, "crc32", ACCEL_OP_CRC32, 0, data, length);
  file_checksum(demo, "adler32", ACCEL_OP_ADLER32, 1, data, length);
}

/* ---- errors ---- */

enum { TEXT = 1000, ROOM = 2048 };
static uint8_t text[TEXT], packed[ROOM], out[TEXT];

static void expect(Demo* demo, const char* name, unsigned opcode, unsigned parameter0, uint32_t length, uint32_t room,
                   unsigned status) {
  const AccelJob job = demo_job(opcode, parameter0, 0, packed, length, out, room);
  demo_row(demo, name, &job, status);
}

static void gzip_errors(Demo* demo) {
  const AccelJob job = demo_job(ACCEL_OP_DEFLATE_COMPRESS, ACCEL_FRAMING_GZIP, 0, text, TEXT, packed, ROOM);
  const uint32_t length = demo_row(demo, "gzip of a text", &job, ACCEL_STATUS_OK).produced;
  const unsigned opcode = ACCEL_OP_DEFLATE_DECOMPRESS;
  packed[length - 8] ^= 1; /* of the CRC-32 (RFC 1952 2.3) */
  expect(demo, "gzip, wrong crc", opcode, ACCEL_FRAMING_GZIP, length, TEXT, ACCEL_STATUS_CORRUPT_INPUT);
  packed[length - 8] ^= 1;
  expect(demo, "gzip, cut short", opcode, ACCEL_FRAMING_GZIP, length / 2, TEXT, ACCEL_STATUS_CORRUPT_INPUT);
  expect(demo, "gzip taken for zlib", opcode, ACCEL_FRAMING_ZLIB, length, TEXT, ACCEL_STATUS_CORRUPT_INPUT);
  expect(demo, "gzip, too little room", opcode, ACCEL_FRAMING_GZIP, length, TEXT - 1, ACCEL_STATUS_OUTPUT_FULL);
  expect(demo, "gzip, just enough", opcode, ACCEL_FRAMING_GZIP, length, TEXT, ACCEL_STATUS_OK);
  demo_check(demo, memcmp(out, text, TEXT) == 0, "gzip does not give the text back");
  expect(demo, "framing 3", opcode, 3, length, TEXT, ACCEL_STATUS_BAD_FLAGS);
}

static void lz4_errors(Demo* demo) {
  const AccelJob job = demo_job(ACCEL_OP_LZ4_COMPRESS, 1, 0, text, TEXT, packed, ROOM);
  const uint32_t length = demo_row(demo, "lz4 frame of a text", &job, ACCEL_STATUS_OK).produced;
  packed[0] ^= 1; /* of the magic number */
  expect(demo, "lz4, wrong magic", ACCEL_OP_LZ4_DECOMPRESS, 1, length, TEXT, ACCEL_STATUS_CORRUPT_INPUT);
  packed[0] ^= 1;
  expect(demo, "lz4, cut short", ACCEL_OP_LZ4_DECOMPRESS, 1, length - 5, TEXT, ACCEL_STATUS_CORRUPT_INPUT);
  expect(demo, "lz4, too little room", ACCEL_OP_LZ4_DECOMPRESS, 1, length, TEXT - 1, ACCEL_STATUS_OUTPUT_FULL);
}

void demo_errors(Demo* demo) {
  for (unsigned i = 0; i < TEXT; ++i) text[i] = (uint8_t)('a' + i * i % 7 + i % 11);
  gzip_errors(demo);
  lz4_errors(demo);
  AccelJob job = demo_job(ACCEL_OP_DEFLATE_COMPRESS, ACCEL_FRAMING_RAW, 10, text, TEXT, packed, ROOM);
  demo_row(demo, "level 10", &job, ACCEL_STATUS_BAD_FLAGS);
  job = demo_job(ACCEL_OP_DEFLATE_COMPRESS, ACCEL_FRAMING_RAW, 0, text, TEXT, packed, 20);
  demo_row(demo, "no room to compress", &job, ACCEL_STATUS_OUTPUT_FULL);
  job = demo_job(ACCEL_OP_COPY, 0, 0, text, TEXT, out, TEXT);
  demo_row(demo, "another's opcode", &job, ACCEL_STATUS_BAD_OPCODE);
}
