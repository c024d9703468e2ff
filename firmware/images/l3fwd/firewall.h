/* Packet filter: an ordered list of 5-tuple rules with masks and port ranges; the first that matches decides, else the
 * default. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "images/l3fwd/packet.h"

enum { FIREWALL_MAX_RULES = 1024 };

typedef struct {
  uint32_t source[4], source_mask[4], destination[4], destination_mask[4]; /* words in network order */
  uint16_t source_port_first, source_port_last, destination_port_first, destination_port_last;
  uint8_t version; /* 4, 6, or 0 for both */
  bool has_protocol, has_ports;
  uint8_t protocol;
  bool allow;
  unsigned line; /* where the rule stands, for the report */
} Rule;

typedef struct {
  Rule rules[FIREWALL_MAX_RULES];
  unsigned count;
  bool default_allow;
} Firewall;

/* Returns the number of the first rule that matches, or `count` when none does. */
unsigned firewall_match(const Firewall* firewall, const Flow* flow);
/* Tells whether the flow may pass. `matched` receives firewall_match's answer. */
bool firewall_allows(const Firewall* firewall, const Flow* flow, unsigned* matched);
