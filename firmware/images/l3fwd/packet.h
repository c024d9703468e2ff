/* Frame parsing and rewriting for the forwarder: Ethernet II with up to two VLAN tags, IPv4, IPv6. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What became of a frame. All but FORWARDED are drops, counted by reason. */
typedef enum {
  FORWARDED,
  DROP_SHORT,         /* ends within the Ethernet header or a VLAN tag */
  DROP_NOT_IP,        /* another EtherType: ARP, ... */
  DROP_VERSION,       /* the version field contradicts the EtherType */
  DROP_HEADER_LENGTH, /* IPv4 header length below 20 octets or beyond the total length */
  DROP_TRUNCATED,     /* the IP packet is longer than the frame, or an IPv6 jumbogram */
  DROP_CHECKSUM,      /* wrong IPv4 header checksum */
  DROP_ADDRESS,       /* source that no packet on a wire may have (RFC 1812 5.3.7, RFC 4291 2.5) */
  DROP_OTHER_HOST,    /* sent to another unicast MAC address, with any-mac off */
  DROP_NOT_UNICAST,   /* multicast, broadcast, link-local or loopback destination */
  DROP_LOCAL,         /* for the router itself */
  DROP_DENIED,        /* by the firewall */
  DROP_NO_ROUTE,
  DROP_TTL,           /* time to live or hop limit used up */
  DROP_TOO_BIG,       /* longer than the MTU of the port it would leave by */
  DROP_RECEIVE_ERROR, /* the NIC could not deliver it whole */
  DROP_TRANSMIT_ERROR,
  VERDICTS
} Verdict;

/* Returns a verdict's name as the counters' table has it. */
const char* verdict_name(Verdict verdict);

/* What the firewall looks at. Addresses are words in network order as they stand in memory; IPv4 fills the first one.
 */
typedef struct {
  uint32_t source[4], destination[4];
  uint16_t source_port, destination_port; /* host order; valid with has_ports */
  uint8_t version;                        /* 4 or 6 */
  uint8_t protocol;                       /* upper-layer protocol, behind IPv6 extension headers */
  bool has_ports;                         /* TCP, UDP, DCCP, SCTP, UDP-Lite, and not a later fragment */
} Flow;

typedef struct {
  uint8_t* ip;     /* of the IP header */
  uint32_t length; /* of the IP packet: what follows it in the frame is padding */
  Flow flow;
} Packet;

/* Parses and checks a frame. `checksum_known` says that the IPv4 header checksum was found right already. Returns
 * FORWARDED when the frame may go on. @spec RFC 1812 5.2.2, RFC 8200 3 */
Verdict packet_parse(Packet* packet, uint8_t* frame, uint32_t length, bool checksum_known);

/* Returns the Internet checksum's sum of 16-bit words, folded, not inverted. @param length in octets. @spec RFC 1071 */
uint16_t checksum_sum(const uint8_t* data, unsigned length);
/* Takes one from an IPv4 packet's time to live, and corrects its checksum. @spec RFC 1624 equation 3 */
void ipv4_decrement_ttl(uint8_t* header);
