#include "images/l3fwd/lpm.h"

#include <string.h>

static int is_child(LpmEntry entry) { return entry >> LPM_CHILD_BIT != 0; }
static unsigned length_of(LpmEntry entry) { return entry >> 16 & 0xff; }

void lpm_init(Lpm* lpm, unsigned key_bits, LpmEntry* root, LpmChunk* chunks, unsigned chunk_limit) {
  memset(root, 0, LPM_ROOT_ENTRIES * sizeof *root);
  lpm->root = root;
  lpm->chunks = chunks;
  lpm->chunk_count = 0;
  lpm->chunk_limit = chunk_limit;
  lpm->key_bits = key_bits;
  lpm->default_value = LPM_NO_ROUTE;
}

/* Puts a leaf in an entry and everything below it, except where a longer prefix stands. */
static void cover(Lpm* lpm, LpmEntry* entry, LpmEntry leaf) {
  if (is_child(*entry)) {
    LpmEntry* const chunk = lpm->chunks[*entry & 0x7fffffffu];
    for (unsigned i = 0; i < LPM_CHUNK_ENTRIES; ++i) cover(lpm, &chunk[i], leaf);
  } else if (length_of(leaf) >= length_of(*entry)) {
    *entry = leaf;
  }
}

int lpm_add(Lpm* lpm, const uint8_t* key, unsigned length, uint16_t value) {
  if (length == 0) {
    lpm->default_value = value;
    return 0;
  }
  const LpmEntry leaf = (LpmEntry)length << 16 | value;
  LpmEntry* level = lpm->root;
  unsigned index = (unsigned)key[0] << 8 | key[1];
  unsigned end = LPM_ROOT_BITS; /* bits of the key that this level and those above decide */
  while (length > end) {
    LpmEntry* const entry = &level[index];
    if (!is_child(*entry)) {
      if (lpm->chunk_count == lpm->chunk_limit) return -1;
      for (unsigned i = 0; i < LPM_CHUNK_ENTRIES; ++i) lpm->chunks[lpm->chunk_count][i] = *entry;
      *entry = 1u << LPM_CHILD_BIT | lpm->chunk_count++;
    }
    level = lpm->chunks[*entry & 0x7fffffffu];
    index = key[end / 8];
    end += 8;
  }
  const unsigned span = 1u << (end - length);
  const unsigned first = index & ~(span - 1);
  for (unsigned i = 0; i < span; ++i) cover(lpm, &level[first + i], leaf);
  return 0;
}
