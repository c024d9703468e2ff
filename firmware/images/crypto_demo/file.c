/* All opcodes over a file. Keys and initialisation vectors are published here, so that anybody can compare the results:
 * key octet i is i (AES-128: 0 to 15, AES-256: 0 to 31, XTS: 0 to 31 or 63, HMAC: 0 to 31), the initialisation vector
 * of GCM is a0 a1 ... ab, its additional data are the file's first 20 octets, XTS has units of 512 octets from number 5
 * on. */
#include <stdio.h>
#include <string.h>

#include "images/common/files.h"
#include "images/crypto_demo/demo.h"

enum { TAG = 16, AAD = 20, UNIT = 512, FIRST_UNIT = 5, GUARD = 0x5a, PIECES_IN = 7, PIECES_OUT = 5, GAP = 3 };
enum { AES_128_SLOT = 4, AES_256_SLOT, XTS_128_SLOT, XTS_256_SLOT, HMAC_SLOT };

static uint8_t result[DEMO_MAX_FILE + TAG] __attribute__((section(".noinit")));
static uint8_t other[DEMO_MAX_FILE + 4096] __attribute__((section(".noinit")));
static uint8_t scattered[2 * DEMO_MAX_FILE] __attribute__((section(".noinit")));

typedef struct {
  const char* name; /* of the file that the result goes to */
  uint8_t opcode, back;
  uint16_t key;
  uint32_t digest; /* octets, or 0: as many as the text */
} Operation;

static const Operation operations[] = {
    {"gcm128.bin", ACCEL_OP_AES_GCM_ENCRYPT, ACCEL_OP_AES_GCM_DECRYPT, AES_128_SLOT, 0},
    {"gcm256.bin", ACCEL_OP_AES_GCM_ENCRYPT, ACCEL_OP_AES_GCM_DECRYPT, AES_256_SLOT, 0},
    {"xts128.bin", ACCEL_OP_AES_XTS_ENCRYPT, ACCEL_OP_AES_XTS_DECRYPT, XTS_128_SLOT, 0},
    {"xts256.bin", ACCEL_OP_AES_XTS_ENCRYPT, ACCEL_OP_AES_XTS_DECRYPT, XTS_256_SLOT, 0},
    {"sha256.bin", ACCEL_OP_SHA256, 0, 0, 32},
    {"sha512.bin", ACCEL_OP_SHA512, 0, 0, 64},
    {"hmac256.bin", ACCEL_OP_HMAC_SHA256, 0, HMAC_SLOT, 32},
    {"hmac512.bin", ACCEL_OP_HMAC_SHA512, 0, HMAC_SLOT, 64},
};

static AccelJob prepare(const Operation* operation, uint32_t length) {
  AccelJob job = {.opcode = operation->opcode, .key = operation->key};
  if (operation->back == ACCEL_OP_AES_GCM_DECRYPT) {
    job.aad_length = length < AAD ? length : AAD;
    for (unsigned i = 0; i < 12; ++i) job.iv[i] = (uint8_t)(0xa0 + i);
  }
  if (operation->back == ACCEL_OP_AES_XTS_DECRYPT) {
    job.parameter0 = UNIT;
    job.iv[0] = FIRST_UNIT;
  }
  return job;
}

/* Puts the source at odd addresses in PIECES_IN pieces, has the result in PIECES_OUT pieces with GAP octets between,
 * and looks whether they hold what came in one piece and the gaps what they held before. */
static void scatter_gather(Demo* demo, AccelJob job, const uint8_t* source, uint32_t length, uint32_t produced) {
  static AccelSegment in[PIECES_IN], out[PIECES_OUT];
  if (length < PIECES_IN || produced < PIECES_OUT) return;
  accel_cut(in, PIECES_IN, source, length);
  uint8_t* at = other + 1;
  for (unsigned i = 0; i < PIECES_IN; ++i) {
    memcpy(at, (const void*)(uintptr_t)in[i].address, in[i].length);
    in[i].address = (uintptr_t)at;
    at += in[i].length + (in[i].length % 2 == 0 ? 1 : 2);
  }
  accel_cut(out, PIECES_OUT, scattered + 3, produced);
  memset(scattered, GUARD, produced + 64);
  for (unsigned i = 0; i < PIECES_OUT; ++i) out[i].address += (uint64_t)GAP * i;
  accel_source_list(&job, in, PIECES_IN);
  accel_destination_list(&job, out, PIECES_OUT);
  demo_row(demo, "  in pieces", &job, ACCEL_STATUS_OK, NULL, NULL, 0);
  uint32_t checked = 0;
  bool good = true;
  const uint8_t* next = scattered;
  for (unsigned i = 0; i < PIECES_OUT; ++i) {
    const uint8_t* const piece = (const uint8_t*)(uintptr_t)out[i].address;
    for (; next < piece; ++next) good = good && *next == GUARD;
    good = good && memcmp(piece, result + checked, out[i].length) == 0;
    checked += out[i].length;
    next = piece + out[i].length;
  }
  for (unsigned i = 0; i < GAP; ++i) good = good && next[i] == GUARD;
  if (good) return;
  printf("crypto_demo: pieces differ from the whole\n");
  ++demo->failures;
}

static void run(Demo* demo, const Operation* operation, const uint8_t* data, uint32_t length) {
  const bool gcm = operation->back == ACCEL_OP_AES_GCM_DECRYPT, xts = operation->back == ACCEL_OP_AES_XTS_DECRYPT;
  if (xts && length % UNIT != 0 && length % UNIT < 16) length -= length % UNIT; /* no unit is below 16 octets */
  if (xts && length == 0) return;
  AccelJob job = prepare(operation, length);
  const uint32_t aad = job.aad_length;
  const uint32_t produced = operation->digest != 0 ? operation->digest : length - aad + (gcm ? TAG : 0);
  accel_source(&job, data, length);
  accel_destination(&job, result, produced);
  demo_row(demo, operation->name, &job, ACCEL_STATUS_OK, NULL, NULL, 0);
  if (!file_write("crypto_demo", operation->name, result, produced)) ++demo->failures;
  scatter_gather(demo, job, data, length, produced);
  if (operation->back == 0) return;
  memcpy(other, data, aad);
  memcpy(other + aad, result, produced);
  job.opcode = operation->back;
  accel_source(&job, other, aad + produced);
  accel_destination(&job, scattered, length - aad);
  demo_row(demo, "  decrypted", &job, ACCEL_STATUS_OK, scattered, data + aad, length - aad);
}

void demo_file(Demo* demo, const uint8_t* data, uint32_t length) {
  uint8_t key[64];
  for (unsigned i = 0; i < sizeof key; ++i) key[i] = (uint8_t)i;
  demo_load_key(demo, AES_128_SLOT, ACCEL_KEY_AES_128, key, 16);
  demo_load_key(demo, AES_256_SLOT, ACCEL_KEY_AES_256, key, 32);
  demo_load_key(demo, XTS_128_SLOT, ACCEL_KEY_XTS_128, key, 32);
  demo_load_key(demo, XTS_256_SLOT, ACCEL_KEY_XTS_256, key, 64);
  demo_load_key(demo, HMAC_SLOT, ACCEL_KEY_HMAC, key, 32);
  for (unsigned i = 0; i < sizeof operations / sizeof operations[0]; ++i) run(demo, &operations[i], data, length);
}
