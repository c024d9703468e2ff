/* The forwarding decision: tables, and what they do to a frame. No device, no time: the same code runs on a host under
 * test. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "images/l3fwd/firewall.h"
#include "images/l3fwd/lpm.h"
#include "images/l3fwd/packet.h"

enum { MAX_PORTS = 4, MAX_NEXT_HOPS = 4096, LPM_CHUNKS = 4096, NEXT_HOP_LOCAL = LPM_MAX_VALUE };

typedef struct {
  uint8_t mac[6];
  uint32_t mtu; /* longest IP packet, in octets */
} PortSettings;

typedef struct {
  uint8_t mac[6];
  uint8_t port;
} NextHop;

typedef struct {
  PortSettings ports[MAX_PORTS];
  Lpm ipv4, ipv6; /* value: number of a next hop plus 1, or NEXT_HOP_LOCAL */
  NextHop next_hops[MAX_NEXT_HOPS];
  unsigned next_hop_count, route_count;
  Firewall firewall;
  bool any_mac; /* take frames to whatever unicast MAC address */
} Tables;

/* Memory of the tries, apart so that it need not be cleared at start. */
typedef struct {
  LpmEntry root4[LPM_ROOT_ENTRIES], root6[LPM_ROOT_ENTRIES];
  LpmChunk chunks4[LPM_CHUNKS], chunks6[LPM_CHUNKS];
} TableMemory;

/* Empties the tables: no routes, the firewall lets everything pass, MTU 9000, MAC addresses 02:00:00:00:(port + 1):01.
 */
void tables_init(Tables* tables, TableMemory* memory);
/* Adds a route. `next_hop` is MAX_NEXT_HOPS at most, or NEXT_HOP_LOCAL. Returns 0, or -1 when the tables are full. */
int tables_add_route(Tables* tables, unsigned version, const uint8_t* prefix, unsigned length, uint16_t value);
/* Returns the value for a next hop, added if new; 0 when there is no room. */
uint16_t tables_next_hop(Tables* tables, unsigned port, const uint8_t* mac);

typedef struct {
  Verdict verdict;
  unsigned port;   /* to leave by, when forwarded */
  uint32_t length; /* of the frame then: without padding behind the IP packet */
  unsigned rule;   /* firewall rule that matched, or the number of rules; valid when `filtered` */
  bool filtered;   /* the firewall was asked */
} Decision;

/* Decides about a frame that arrived by `port`, and when it goes on makes it the frame to send: new MAC addresses, one
 * less to live. */
Decision forward_frame(const Tables* tables, unsigned port, uint8_t* frame, uint32_t length, bool checksum_known);
