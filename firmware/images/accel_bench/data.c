#include "images/accel_bench/data.h"

#include <string.h>

const char* const data_names[DATA_KINDS] = {[DATA_RANDOM] = "random", [DATA_TEXT] = "text", [DATA_ZERO] = "zero"};

/* Marsaglia's xorshift of 64 bits. */
static uint64_t next(uint64_t* state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static void make_text(uint8_t* data, uint32_t length) {
  static const char* const words[16] = {"frame ", "queue ",   "packet ", "the ",  "of ",       "descriptor ",
                                        "is ",    "memory\n", "engine ", "and ",  "doorbell ", "a ",
                                        "route ", "when ",    "it ",     "card. "};
  uint64_t state = 88172645463325252u;
  uint32_t at = 0;
  while (at < length) {
    const char* const word = words[next(&state) >> 60];
    for (unsigned i = 0; word[i] != '\0' && at < length; ++i) data[at++] = (uint8_t)word[i];
  }
}

void data_make(DataKind kind, uint8_t* data, uint32_t length) {
  /* Beyond the windows of DEFLATE and LZ4 a repetition is as good as something new. */
  enum { PERIOD = 256 * 1024 };
  const uint32_t first = length < PERIOD ? length : PERIOD;
  uint64_t state = 88172645463325252u;
  switch (kind) {
    case DATA_RANDOM:
      for (uint32_t i = 0; i < first; i += 8) {
        const uint64_t value = next(&state);
        memcpy(data + i, &value, first - i < 8 ? first - i : 8);
      }
      break;
    case DATA_TEXT:
      make_text(data, first);
      break;
    default:
      memset(data, 0, first);
      break;
  }
  for (uint32_t at = first; at < length; at += first)
    memcpy(data + at, data, length - at < first ? length - at : first);
}

uint32_t data_crc32(const uint8_t* data, uint32_t length) {
  uint32_t table[256];
  for (uint32_t i = 0; i < 256; ++i) {
    table[i] = i;
    for (unsigned bit = 0; bit < 8; ++bit) table[i] = table[i] >> 1 ^ (0xedb88320u & -(table[i] & 1));
  }
  uint32_t crc = ~0u;
  for (uint32_t i = 0; i < length; ++i) crc = table[(crc ^ data[i]) & 0xff] ^ crc >> 8;
  return ~crc;
}

uint32_t data_adler32(const uint8_t* data, uint32_t length) {
  enum { BASE = 65521 };
  uint32_t a = 1, b = 0;
  for (uint32_t i = 0; i < length; ++i) {
    a = (a + data[i]) % BASE;
    b = (b + a) % BASE;
  }
  return b << 16 | a;
}
