#include <stdio.h>
#include <string.h>

#include "hal/board.h"
#include "images/accel_bench/bench.h"

enum { TAG = 16, XTS_UNIT = 512, XTS_LEAST = 16, MATCHES = 64 };

const Operation operations[] = {
    {"nop", 0, ACCEL_OP_NOP, 0, false, 0, 0, RESULT_NONE, 0},
    {"aes-128-gcm", ACCEL_TYPE_CRYPTO, ACCEL_OP_AES_GCM_ENCRYPT, ACCEL_OP_AES_GCM_DECRYPT, false, ACCEL_KEY_AES_128, 16,
     RESULT_SEALED, 0},
    {"aes-256-gcm", ACCEL_TYPE_CRYPTO, ACCEL_OP_AES_GCM_ENCRYPT, ACCEL_OP_AES_GCM_DECRYPT, false, ACCEL_KEY_AES_256, 32,
     RESULT_SEALED, 0},
    {"aes-xts", ACCEL_TYPE_CRYPTO, ACCEL_OP_AES_XTS_ENCRYPT, ACCEL_OP_AES_XTS_DECRYPT, false, ACCEL_KEY_XTS_128, 32,
     RESULT_SAME, 0},
    {"aes-256-xts", ACCEL_TYPE_CRYPTO, ACCEL_OP_AES_XTS_ENCRYPT, ACCEL_OP_AES_XTS_DECRYPT, false, ACCEL_KEY_XTS_256, 64,
     RESULT_SAME, 0},
    {"sha-256", ACCEL_TYPE_CRYPTO, ACCEL_OP_SHA256, 0, false, 0, 0, RESULT_DIGEST, 32},
    {"sha-512", ACCEL_TYPE_CRYPTO, ACCEL_OP_SHA512, 0, false, 0, 0, RESULT_DIGEST, 64},
    {"hmac-sha-256", ACCEL_TYPE_CRYPTO, ACCEL_OP_HMAC_SHA256, 0, false, ACCEL_KEY_HMAC, 32, RESULT_DIGEST, 32},
    {"hmac-sha-512", ACCEL_TYPE_CRYPTO, ACCEL_OP_HMAC_SHA512, 0, false, ACCEL_KEY_HMAC, 64, RESULT_DIGEST, 64},
    {"deflate", ACCEL_TYPE_COMPRESS, ACCEL_OP_DEFLATE_COMPRESS, ACCEL_OP_DEFLATE_DECOMPRESS, false, 0, 0, RESULT_PACKED,
     0},
    {"inflate", ACCEL_TYPE_COMPRESS, ACCEL_OP_DEFLATE_DECOMPRESS, ACCEL_OP_DEFLATE_COMPRESS, true, 0, 0, RESULT_SAME,
     0},
    {"lz4", ACCEL_TYPE_COMPRESS, ACCEL_OP_LZ4_COMPRESS, ACCEL_OP_LZ4_DECOMPRESS, false, 0, 0, RESULT_PACKED, 0},
    {"unlz4", ACCEL_TYPE_COMPRESS, ACCEL_OP_LZ4_DECOMPRESS, ACCEL_OP_LZ4_COMPRESS, true, 0, 0, RESULT_SAME, 0},
    {"crc32", ACCEL_TYPE_COMPRESS, ACCEL_OP_CRC32, 0, false, 0, 0, RESULT_NONE, 0},
    {"adler32", ACCEL_TYPE_COMPRESS, ACCEL_OP_ADLER32, 0, false, 0, 0, RESULT_NONE, 0},
    {"scan", ACCEL_TYPE_REGEX, ACCEL_OP_REGEX_SCAN, 0, false, 0, 0, RESULT_MATCHES, 0},
    {"copy", ACCEL_TYPE_DMA, ACCEL_OP_COPY, 0, false, 0, 0, RESULT_SAME, 0},
    {"copy-crc", ACCEL_TYPE_DMA, ACCEL_OP_COPY_CRC, 0, false, 0, 0, RESULT_SAME, 0},
    {"fill", ACCEL_TYPE_DMA, ACCEL_OP_FILL, 0, false, 0, 0, RESULT_SAME, 0},
};
const unsigned operation_count = sizeof operations / sizeof operations[0];

static const uint32_t fill_pattern[2] = {0x01234567, 0x89abcdef};

static uint32_t packed_room(uint32_t size) { return size + size / 64 + 128; }

const char* bench_lengths(Bench* bench) {
  const Operation* const operation = bench->operation;
  const bool none = operation->opcode == ACCEL_OP_NOP || operation->opcode == ACCEL_OP_FILL;
  const uint32_t last = bench->size % XTS_UNIT;
  if (operation->back == ACCEL_OP_AES_XTS_DECRYPT &&
      (bench->size < XTS_LEAST || (bench->size > XTS_UNIT && last != 0 && last < XTS_LEAST))) {
    return "units of 512 octets, the last one of 16 or more";
  }
  bench->source_length = none ? 0 : operation->from_result ? packed_room(bench->size) : bench->size;
  switch (operation->result) {
    case RESULT_NONE:
      bench->destination_length = 0;
      break;
    case RESULT_SAME:
      bench->destination_length = bench->size;
      break;
    case RESULT_SEALED:
      bench->destination_length = bench->size + TAG;
      break;
    case RESULT_DIGEST:
      bench->destination_length = operation->digest;
      break;
    case RESULT_PACKED:
      bench->destination_length = packed_room(bench->size);
      break;
    case RESULT_MATCHES:
      bench->destination_length = MATCHES * sizeof(AccelMatch);
      break;
  }
  return NULL;
}

AccelJob bench_job(const Bench* bench, uint64_t number) {
  const Operation* const operation = bench->operation;
  AccelJob job = {.opcode = operation->opcode};
  switch (operation->opcode) {
    case ACCEL_OP_AES_GCM_ENCRYPT:
      memcpy(job.iv, &number, sizeof number); /* never twice with a key */
      break;
    case ACCEL_OP_AES_XTS_ENCRYPT:
      memcpy(job.iv, &number, sizeof number);
      job.parameter0 = bench->size < XTS_UNIT ? bench->size : XTS_UNIT;
      break;
    case ACCEL_OP_DEFLATE_COMPRESS:
      job.parameter1 = bench->level;
      break;
    case ACCEL_OP_ADLER32:
      job.parameter0 = 1;
      break;
    case ACCEL_OP_REGEX_SCAN:
      job.parameter0 = MATCHES;
      break;
    case ACCEL_OP_FILL:
      job.parameter0 = fill_pattern[0];
      job.parameter1 = fill_pattern[1];
      break;
    default:
      break;
  }
  return job;
}

void bench_place(const Bench* bench, AccelJob* job, uint64_t slot) {
  if (bench->source_length != 0) accel_source(job, bench_source(bench, slot), bench->source_length);
  if (bench->destination_length != 0) {
    accel_destination(job, bench_destination(bench, slot), bench->destination_length);
  }
  if (bench->segments == 0) return;
  /* No more pieces than octets. */
  AccelSegment* const lists = bench_lists(bench, slot);
  const uint32_t in = bench->source_length < bench->segments ? bench->source_length : bench->segments;
  const uint32_t out = bench->destination_length < bench->segments ? bench->destination_length : bench->segments;
  if (in != 0) {
    job->source = (uintptr_t)lists;
    job->source_segments = (uint16_t)in;
  }
  if (out != 0) {
    job->destination = (uintptr_t)(lists + bench->segments);
    job->destination_segments = (uint16_t)out;
  }
}
