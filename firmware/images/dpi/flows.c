#include "images/dpi/flows.h"

#include <string.h>

void flows_init(FlowTable* table, uint32_t count) {
  memset(table, 0, sizeof *table);
  table->count = count;
  table->newest = table->oldest = NONE;
  for (unsigned i = 0; i < sizeof table->bucket / sizeof table->bucket[0]; ++i) table->bucket[i] = NONE;
}

static bool equal(const FlowKey* a, const FlowKey* b) {
  const uint32_t* const x = (const uint32_t*)a;
  const uint32_t* const y = (const uint32_t*)b;
  uint32_t difference = 0;
  for (unsigned i = 0; i < sizeof *a / 4; ++i) difference |= x[i] ^ y[i];
  return difference == 0;
}

/* Multiplies by an odd number near 2^64 / golden ratio at each step (Knuth, The Art of Computer Programming 3, 6.4). */
static uint32_t bucket_of(const FlowKey* key) {
  const uint32_t* const words = (const uint32_t*)key;
  uint64_t hash = 0;
  for (unsigned i = 0; i < sizeof *key / 4; ++i) hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15u;
  return (uint32_t)(hash >> (64 - INSPECT_LOG2_BUCKETS));
}

static void unlink_age(FlowTable* table, uint32_t number) {
  const TrackedFlow* const flow = &table->flow[number];
  if (flow->newer != NONE) table->flow[flow->newer].older = flow->older;
  if (flow->older != NONE) table->flow[flow->older].newer = flow->newer;
  if (table->newest == number) table->newest = flow->older;
  if (table->oldest == number) table->oldest = flow->newer;
}

static void make_newest(FlowTable* table, uint32_t number) {
  TrackedFlow* const flow = &table->flow[number];
  flow->newer = NONE;
  flow->older = table->newest;
  if (table->newest != NONE) table->flow[table->newest].newer = number;
  table->newest = number;
  if (table->oldest == NONE) table->oldest = number;
}

static bool idle(const TrackedFlow* flow) {
  return !flow->busy && !flow->in_ready && flow->queue_head == NONE && flow->waiting == NONE;
}

/* Takes the oldest idle flow out of its bucket; one that is blocked, so that its frames are dropped, only when there is
 * no other. */
static uint32_t forget_oldest(FlowTable* table) {
  uint32_t victim = NONE;
  for (uint32_t i = table->oldest; i != NONE; i = table->flow[i].newer) {
    if (!idle(&table->flow[i])) continue;
    if (victim == NONE) victim = i;
    if (!table->flow[i].blocked) {
      victim = i;
      break;
    }
  }
  if (victim == NONE) return NONE;
  uint32_t* link = &table->bucket[bucket_of(&table->flow[victim].key)];
  while (*link != victim) link = &table->flow[*link].chain;
  *link = table->flow[victim].chain;
  unlink_age(table, victim);
  ++table->forgotten;
  return victim;
}

uint32_t flows_find(FlowTable* table, const FlowKey* key, bool* fresh) {
  const uint32_t bucket = bucket_of(key);
  *fresh = false;
  for (uint32_t i = table->bucket[bucket]; i != NONE; i = table->flow[i].chain) {
    if (!equal(&table->flow[i].key, key)) continue;
    unlink_age(table, i);
    make_newest(table, i);
    return i;
  }
  const uint32_t number = table->known < table->count ? table->known++ : forget_oldest(table);
  if (number == NONE) return NONE;
  TrackedFlow* const flow = &table->flow[number];
  const bool open = flow->open;
  *flow = (TrackedFlow){.key = *key, .used = true, .open = open, .stale = open};
  flow->queue_head = flow->queue_tail = flow->waiting = flow->under_way = NONE;
  flow->chain = table->bucket[bucket];
  table->bucket[bucket] = number;
  make_newest(table, number);
  *fresh = true;
  return number;
}
