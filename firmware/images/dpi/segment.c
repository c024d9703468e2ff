#include "images/dpi/segment.h"

#include <stddef.h>

#include "images/l3fwd/packet.h"

enum {
  PROTOCOL_TCP = 6,
  PROTOCOL_UDP = 17,
  PROTOCOL_AH = 51,
  PROTOCOL_FRAGMENT = 44,
  IPV4_MORE_FRAGMENTS = 0x2000,
  IPV6_HEADER = 40,
  TCP_HEADER = 20,
  UDP_HEADER = 8,
  TCP_FIN = 1,
  TCP_SYN = 2,
  TCP_RST = 4,
};

static uint32_t load16(const uint8_t* p) { return (uint32_t)p[0] << 8 | p[1]; }
static uint32_t load32(const uint8_t* p) { return load16(p) << 16 | load16(p + 2); }

/* Returns the transport header of a packet that packet_parse has found good, or NULL in fragments. */
static const uint8_t* transport(const Packet* packet) {
  const uint8_t* const ip = packet->ip;
  if (packet->flow.version == 4) {
    return (load16(ip + 6) & IPV4_MORE_FRAGMENTS) != 0 ? NULL : ip + (ip[0] & 0xfu) * 4;
  }
  /* packet_parse has walked the same headers and found the packet long enough for them. */
  const uint8_t* at = ip + IPV6_HEADER;
  for (uint8_t next = ip[6]; next != packet->flow.protocol;) {
    if (next == PROTOCOL_FRAGMENT) return NULL;
    const uint8_t type = next;
    next = at[0];
    at += type == PROTOCOL_AH ? 8 + 4 * at[1] : 8 + 8 * at[1];
  }
  return at;
}

static uint32_t vlan_numbers(const uint8_t* frame, const uint8_t* ip) {
  const uint32_t header = (uint32_t)(ip - frame);
  if (header < 18) return 0;
  const uint32_t outer = (load16(frame + 14) & 0xfff) + 1; /* VLAN 0 is a tag too */
  return outer << 16 | (header < 22 ? 0 : (load16(frame + 18) & 0xfff) + 1);
}

bool segment_parse(Segment* segment, uint8_t* frame, uint32_t length, unsigned port, bool checksum_known) {
  Packet packet = {0};
  const Verdict verdict = packet_parse(&packet, frame, length, checksum_known);
  /* What only a router minds is looked at as well. */
  if (verdict != FORWARDED && verdict != DROP_NOT_UNICAST && verdict != DROP_ADDRESS) return false;
  const Flow* const flow = &packet.flow;
  if (!flow->has_ports || (flow->protocol != PROTOCOL_TCP && flow->protocol != PROTOCOL_UDP)) return false;
  const uint8_t* const at = transport(&packet);
  if (at == NULL) return false;
  *segment = (Segment){.tcp = flow->protocol == PROTOCOL_TCP};
  FlowKey* const key = &segment->key;
  for (unsigned i = 0; i < 4; ++i) {
    key->source[i] = flow->source[i];
    key->destination[i] = flow->destination[i];
  }
  key->ports = (uint32_t)flow->source_port << 16 | flow->destination_port;
  key->vlan = vlan_numbers(frame, packet.ip);
  key->kind = (uint32_t)flow->version << 16 | (uint32_t)flow->protocol << 8 | port;
  const uint32_t left = packet.length - (uint32_t)(at - packet.ip);
  uint32_t header = UDP_HEADER, end = left;
  if (segment->tcp) {
    if (left < TCP_HEADER) return false;
    header = (at[12] >> 4) * 4u;
    if (header < TCP_HEADER) return false;
    segment->sequence = load32(at + 4);
    segment->fin = (at[13] & TCP_FIN) != 0;
    segment->syn = (at[13] & TCP_SYN) != 0;
    segment->rst = (at[13] & TCP_RST) != 0;
  } else {
    if (left < UDP_HEADER) return false;
    end = load16(at + 4); /* what follows in the IP packet is not the datagram's */
  }
  if (end < header || end > left) return false;
  segment->data = at + header;
  segment->length = end - header;
  return true;
}
