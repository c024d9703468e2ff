/* The order of a TCP flow's octets. */
#pragma once

#include "images/dpi/segment.h"

typedef struct {
  uint32_t next; /* sequence number of what was not seen yet */
  bool started, ended;
} TcpOrder;

typedef enum {
  TCP_PASS,  /* nothing new in it */
  TCP_SCAN,  /* new octets, or the end of the flow, and nothing missing before */
  TCP_WAIT,  /* something before it is missing */
  TCP_REFUSE /* data behind the end of the flow */
} TcpAction;

/* Judges a segment. For TCP_SCAN, takes it into account, and leaves of its data what is new; `ends` tells whether the
 * flow ends with it. A flow begins with SYN, or with the first segment seen. It ends with FIN, or RST in order; SYN
 * begins it anew then. Octets that were seen are taken to be the same when they come again. */
TcpAction tcp_take(TcpOrder* order, Segment* segment, bool* ends);
/* Returns how far ahead of what is awaited a segment begins: its place among those that wait. */
uint32_t tcp_distance(const TcpOrder* order, const Segment* segment);
