#include "images/dpi/tcp.h"

/* SYN takes a sequence number of its own before the data. */
static uint32_t first(const Segment* segment) { return segment->sequence + (segment->syn ? 1 : 0); }

uint32_t tcp_distance(const TcpOrder* order, const Segment* segment) { return first(segment) - order->next; }

TcpAction tcp_take(TcpOrder* order, Segment* segment, bool* ends) {
  *ends = false;
  if (!order->started || (order->ended && segment->syn)) {
    order->started = true;
    order->ended = false;
    order->next = first(segment);
  }
  const int32_t ahead = (int32_t)(first(segment) - order->next);
  if (segment->rst) { /* its data is text for people (RFC 9293 3.5.3), not the flow's */
    if (ahead != 0 || order->ended) return TCP_PASS;
    segment->length = 0;
    order->ended = *ends = true;
    return TCP_SCAN;
  }
  if (segment->length == 0 && !segment->fin) return TCP_PASS;
  const int64_t end = (int64_t)ahead + segment->length; /* of the data, beyond what is awaited */
  if (end < 0 || (end == 0 && !(segment->fin && !order->ended))) return TCP_PASS;
  if (order->ended) return TCP_REFUSE;
  if (ahead > 0) return TCP_WAIT;
  segment->data += -ahead;
  segment->length = (uint32_t)end;
  order->next += segment->length;
  if (segment->fin) {
    ++order->next;
    order->ended = *ends = true;
  }
  return TCP_SCAN;
}
