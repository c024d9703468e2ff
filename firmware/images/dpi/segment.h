/* What deep packet inspection looks at in a frame: the flow that it belongs to, and its payload. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A flow: one direction of a conversation, on the port where it comes in. All octets are set, so that keys compare as
 * memory. */
typedef struct {
  uint32_t source[4], destination[4]; /* as Flow of l3fwd/packet.h has them */
  uint32_t ports;                     /* source port in the upper half */
  uint32_t vlan;                      /* both tags' VLAN numbers, outer one in the upper half */
  uint32_t kind;                      /* version, protocol and port of the card */
  uint32_t reserved;
} FlowKey;

typedef struct {
  FlowKey key;
  bool tcp; /* else UDP */
  const uint8_t* data;
  uint32_t length;
  /* TCP only. */
  uint32_t sequence; /* of the first octet of data, or of SYN */
  bool syn, fin, rst;
} Segment;

/* Parses a frame. @param checksum_known the IPv4 header checksum was found right already. @return false for frames that
 * hold no whole TCP segment or UDP datagram: other protocols, fragments, malformed packets. */
bool segment_parse(Segment* segment, uint8_t* frame, uint32_t length, unsigned port, bool checksum_known);
