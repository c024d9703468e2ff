/* The flows that a core knows: found by key, the one that was idle longest makes room for a new one. */
#pragma once

#include "images/dpi/inspect.h"

#define NONE UINT32_MAX

typedef struct {
  FlowKey key;
  TcpOrder order;
  bool used, blocked, busy; /* busy: a job is under way */
  bool open;                /* the stream of the flow's number is open in the accelerator */
  bool stale;               /* and is an earlier flow's: to be closed first */
  bool in_ready;            /* in the list of flows to go on with */
  /* Frames by buffer number, see Inspector. */
  uint32_t queue_head, queue_tail; /* that came while a job was under way */
  uint32_t waiting, waiting_count; /* that wait for something before them, nearest first */
  bool ending;                     /* the job closes the stream */
  uint32_t under_way;              /* the job's frame, NONE for one that only closes */
  TcpOrder before;                 /* the job's frame was taken into account */
  uint32_t chain, newer, older, next_ready;
} TrackedFlow;

typedef struct {
  TrackedFlow flow[INSPECT_MAX_FLOWS];
  uint32_t bucket[1 << INSPECT_LOG2_BUCKETS];
  uint32_t newest, oldest, count, known;
  uint64_t forgotten;
} FlowTable;

void flows_init(FlowTable* table, uint32_t count);
/* Returns the number of a key's flow, a new one if need be, and makes it the newest; NONE when all others have frames
 * here. `fresh` tells whether it is new. */
uint32_t flows_find(FlowTable* table, const FlowKey* key, bool* fresh);
