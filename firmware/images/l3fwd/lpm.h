/* Longest-prefix match for IPv4 and IPv6 keys: a multi-bit trie of strides 16, 8, 8, ... with prefixes pushed into the
 * leaves, so that a look-up reads one entry a level and needs no way back. After DIR-24-8 (Gupta, Lin, McKeown, INFOCOM
 * 1998), with a root of 2^16 entries, which a core's caches hold. No allocation: the caller gives the memory. */
#pragma once

#include <stdint.h>

enum {
  LPM_ROOT_BITS = 16,
  LPM_ROOT_ENTRIES = 1 << LPM_ROOT_BITS,
  LPM_CHUNK_ENTRIES = 256,
  LPM_NO_ROUTE = 0,
  LPM_MAX_VALUE = 0xffff
};

typedef uint32_t LpmEntry; /* a chunk's number with the top bit set, or prefix length << 16 | value */
typedef LpmEntry LpmChunk[LPM_CHUNK_ENTRIES];

typedef struct {
  LpmEntry* root; /* LPM_ROOT_ENTRIES */
  LpmChunk* chunks;
  unsigned chunk_count, chunk_limit;
  unsigned key_bits;      /* 32 or 128 */
  uint16_t default_value; /* of the prefix of length 0, kept apart so that it need not be written everywhere */
} Lpm;

/* Makes an empty table in memory that the caller owns. */
void lpm_init(Lpm* lpm, unsigned key_bits, LpmEntry* root, LpmChunk* chunks, unsigned chunk_limit);
/* Adds a prefix; an equal one is replaced. Prefixes may come in any order. `key` is in network order, bits beyond
 * `length` are ignored; `value` is 1..LPM_MAX_VALUE. Returns 0, or -1 when the chunks are used up (the table is
 * unchanged for keys outside the prefix). */
int lpm_add(Lpm* lpm, const uint8_t* key, unsigned length, uint16_t value);

enum { LPM_CHILD_BIT = 31 };

/* Returns the value of the longest prefix that holds `key`, or LPM_NO_ROUTE. */
static inline uint16_t lpm_find(const Lpm* lpm, const uint8_t* key) {
  LpmEntry entry = lpm->root[key[0] << 8 | key[1]];
  for (unsigned octet = 2; (entry >> LPM_CHILD_BIT) != 0; ++octet) {
    entry = lpm->chunks[entry & 0x7fffffffu][key[octet]];
  }
  return entry != 0 ? (uint16_t)entry : lpm->default_value;
}
