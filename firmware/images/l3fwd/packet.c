#include "images/l3fwd/packet.h"

#include <string.h>

enum {
  ETHERTYPE_IPV4 = 0x0800,
  ETHERTYPE_IPV6 = 0x86dd,
  ETHERTYPE_VLAN = 0x8100,
  ETHERTYPE_SERVICE_VLAN = 0x88a8,
  PROTOCOL_HOP_BY_HOP = 0,
  PROTOCOL_TCP = 6,
  PROTOCOL_UDP = 17,
  PROTOCOL_DCCP = 33,
  PROTOCOL_ROUTING = 43,
  PROTOCOL_FRAGMENT = 44,
  PROTOCOL_AH = 51,
  PROTOCOL_DESTINATION_OPTIONS = 60,
  PROTOCOL_SCTP = 132,
  PROTOCOL_UDP_LITE = 136,
  MAC_HEADER = 14,
  VLAN_TAG = 4,
  MAX_TAGS = 2,
  IPV4_HEADER = 20,
  IPV6_HEADER = 40,
  MAX_EXTENSIONS = 16,
};

const char* verdict_name(Verdict verdict) {
  static const char* const names[VERDICTS] = {[FORWARDED] = "forwarded",
                                              [DROP_SHORT] = "short",
                                              [DROP_NOT_IP] = "not_ip",
                                              [DROP_VERSION] = "version",
                                              [DROP_HEADER_LENGTH] = "header_length",
                                              [DROP_TRUNCATED] = "truncated",
                                              [DROP_CHECKSUM] = "checksum",
                                              [DROP_ADDRESS] = "address",
                                              [DROP_OTHER_HOST] = "other_host",
                                              [DROP_NOT_UNICAST] = "not_unicast",
                                              [DROP_LOCAL] = "local",
                                              [DROP_DENIED] = "denied",
                                              [DROP_NO_ROUTE] = "no_route",
                                              [DROP_TTL] = "ttl",
                                              [DROP_TOO_BIG] = "too_big",
                                              [DROP_RECEIVE_ERROR] = "receive_error",
                                              [DROP_TRANSMIT_ERROR] = "transmit_error"};
  return names[verdict];
}

static uint16_t load16(const uint8_t* p) { return (uint16_t)(p[0] << 8 | p[1]); }

uint16_t checksum_sum(const uint8_t* data, unsigned length) {
  uint32_t sum = 0;
  for (unsigned i = 0; i + 1 < length; i += 2) sum += load16(data + i);
  if (length % 2 != 0) sum += (uint32_t)data[length - 1] << 8;
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return (uint16_t)sum;
}

void ipv4_decrement_ttl(uint8_t* header) {
  const uint16_t before = load16(header + 8); /* time to live and protocol */
  --header[8];
  const uint16_t after = load16(header + 8);
  uint32_t sum = (uint16_t)~load16(header + 10) + (uint32_t)(uint16_t)~before + after;
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  const uint16_t checksum = (uint16_t)~sum;
  header[10] = (uint8_t)(checksum >> 8);
  header[11] = (uint8_t)checksum;
}

static void take_ports(Flow* flow, const uint8_t* data, const uint8_t* end) {
  const uint8_t protocol = flow->protocol;
  if (protocol != PROTOCOL_TCP && protocol != PROTOCOL_UDP && protocol != PROTOCOL_SCTP && protocol != PROTOCOL_DCCP &&
      protocol != PROTOCOL_UDP_LITE) {
    return;
  }
  if (end - data < 4) return;
  flow->source_port = load16(data);
  flow->destination_port = load16(data + 2);
  flow->has_ports = true;
}

static Verdict check_ipv4_addresses(const uint8_t* ip) {
  const uint8_t* const source = ip + 12;
  const uint8_t* const destination = ip + 16;
  if (source[0] == 0 || source[0] == 127 || source[0] >= 224) return DROP_ADDRESS;
  if (destination[0] == 0 || destination[0] == 127 || (destination[0] & 0xf0) == 0xe0) return DROP_NOT_UNICAST;
  if ((destination[0] & destination[1] & destination[2] & destination[3]) == 255) return DROP_NOT_UNICAST;
  return FORWARDED;
}

static Verdict parse_ipv4(Packet* packet, uint32_t length, bool checksum_known) {
  const uint8_t* const ip = packet->ip;
  if (length < IPV4_HEADER) return DROP_TRUNCATED;
  if (ip[0] >> 4 != 4) return DROP_VERSION;
  const uint32_t header = (ip[0] & 0xfu) * 4, total = load16(ip + 2);
  if (header < IPV4_HEADER || total < header) return DROP_HEADER_LENGTH;
  if (total > length) return DROP_TRUNCATED;
  if (!checksum_known && checksum_sum(ip, header) != 0xffff) return DROP_CHECKSUM;
  packet->length = total;
  Flow* const flow = &packet->flow;
  flow->version = 4;
  memcpy(flow->source, ip + 12, 4);
  memcpy(flow->destination, ip + 16, 4);
  flow->protocol = ip[9];
  if ((load16(ip + 6) & 0x1fff) == 0) take_ports(flow, ip + header, ip + total);
  return check_ipv4_addresses(ip);
}

/* Walks the extension headers to the upper-layer protocol. */
static void walk_extensions(Flow* flow, const uint8_t* ip, const uint8_t* end) {
  const uint8_t* at = ip + IPV6_HEADER;
  flow->protocol = ip[6];
  for (unsigned i = 0; i < MAX_EXTENSIONS && end - at >= 8; ++i) {
    const uint8_t next = at[0];
    switch (flow->protocol) {
      case PROTOCOL_HOP_BY_HOP:
      case PROTOCOL_ROUTING:
      case PROTOCOL_DESTINATION_OPTIONS:
        at += 8 + 8 * at[1];
        break;
      case PROTOCOL_AH:
        at += 8 + 4 * at[1];
        break;
      case PROTOCOL_FRAGMENT: {
        const bool later = (load16(at + 2) & 0xfff8) != 0;
        at += 8;
        if (later) {
          flow->protocol = next;
          return;
        }
        break;
      }
      default:
        take_ports(flow, at, end);
        return;
    }
    flow->protocol = next;
  }
  if (at <= end) take_ports(flow, at, end);
}

static Verdict check_ipv6_addresses(const uint8_t* ip) {
  static const uint8_t unspecified_or_loopback[15];
  const uint8_t* const source = ip + 8;
  const uint8_t* const destination = ip + 24;
  const bool low_source = memcmp(source, unspecified_or_loopback, 15) == 0 && source[15] <= 1;
  if (source[0] == 0xff || low_source) return DROP_ADDRESS;
  const bool low_destination = memcmp(destination, unspecified_or_loopback, 15) == 0 && destination[15] <= 1;
  if (destination[0] == 0xff || low_destination) return DROP_NOT_UNICAST;
  const bool link_local =
      (source[0] == 0xfe && (source[1] & 0xc0) == 0x80) || (destination[0] == 0xfe && (destination[1] & 0xc0) == 0x80);
  return link_local ? DROP_NOT_UNICAST : FORWARDED; /* RFC 4291 2.5.6: routers do not forward link-local */
}

static Verdict parse_ipv6(Packet* packet, uint32_t length) {
  const uint8_t* const ip = packet->ip;
  if (length < IPV6_HEADER) return DROP_TRUNCATED;
  if (ip[0] >> 4 != 6) return DROP_VERSION;
  const uint32_t payload = load16(ip + 4);
  if (IPV6_HEADER + payload > length || (payload == 0 && ip[6] == PROTOCOL_HOP_BY_HOP)) return DROP_TRUNCATED;
  packet->length = IPV6_HEADER + payload;
  Flow* const flow = &packet->flow;
  flow->version = 6;
  memcpy(flow->source, ip + 8, 16);
  memcpy(flow->destination, ip + 24, 16);
  walk_extensions(flow, ip, ip + packet->length);
  return check_ipv6_addresses(ip);
}

Verdict packet_parse(Packet* packet, uint8_t* frame, uint32_t length, bool checksum_known) {
  uint32_t header = MAC_HEADER;
  if (length < header) return DROP_SHORT;
  uint16_t type = load16(frame + 12);
  for (unsigned tags = 0; tags < MAX_TAGS && (type == ETHERTYPE_VLAN || type == ETHERTYPE_SERVICE_VLAN); ++tags) {
    header += VLAN_TAG;
    if (length < header) return DROP_SHORT;
    type = load16(frame + header - 2);
  }
  packet->ip = frame + header;
  packet->flow.source_port = packet->flow.destination_port = 0;
  packet->flow.has_ports = false;
  Verdict verdict = DROP_NOT_IP;
  if (type == ETHERTYPE_IPV4) verdict = parse_ipv4(packet, length - header, checksum_known);
  if (type == ETHERTYPE_IPV6) verdict = parse_ipv6(packet, length - header);
  if (verdict == FORWARDED && (frame[0] & 1) != 0) verdict = DROP_NOT_UNICAST; /* RFC 1812 5.3.4: group MAC address */
  return verdict;
}
