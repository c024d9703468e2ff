#include "images/l3fwd/forward.h"

#include <string.h>

void tables_init(Tables* tables, TableMemory* memory) {
  memset(tables, 0, sizeof *tables);
  lpm_init(&tables->ipv4, 32, memory->root4, memory->chunks4, LPM_CHUNKS);
  lpm_init(&tables->ipv6, 128, memory->root6, memory->chunks6, LPM_CHUNKS);
  for (unsigned port = 0; port < MAX_PORTS; ++port) {
    const uint8_t mac[6] = {2, 0, 0, 0, (uint8_t)(port + 1), 1};
    memcpy(tables->ports[port].mac, mac, 6);
    tables->ports[port].mtu = 9000;
  }
  tables->firewall.default_allow = true;
  tables->any_mac = true;
}

int tables_add_route(Tables* tables, unsigned version, const uint8_t* prefix, unsigned length, uint16_t value) {
  if (lpm_add(version == 4 ? &tables->ipv4 : &tables->ipv6, prefix, length, value) != 0) return -1;
  ++tables->route_count;
  return 0;
}

uint16_t tables_next_hop(Tables* tables, unsigned port, const uint8_t* mac) {
  for (unsigned i = 0; i < tables->next_hop_count; ++i) {
    if (tables->next_hops[i].port == port && memcmp(tables->next_hops[i].mac, mac, 6) == 0) return (uint16_t)(i + 1);
  }
  if (tables->next_hop_count == MAX_NEXT_HOPS) return 0;
  NextHop* const hop = &tables->next_hops[tables->next_hop_count++];
  memcpy(hop->mac, mac, 6);
  hop->port = (uint8_t)port;
  return (uint16_t)tables->next_hop_count;
}

Decision forward_frame(const Tables* tables, unsigned port, uint8_t* frame, uint32_t length, bool checksum_known) {
  Decision decision = {.port = 0, .length = 0, .rule = 0, .filtered = false};
  Packet packet;
  decision.verdict = packet_parse(&packet, frame, length, checksum_known);
  if (decision.verdict != FORWARDED) return decision;
  if (!tables->any_mac && memcmp(frame, tables->ports[port].mac, 6) != 0) {
    decision.verdict = DROP_OTHER_HOST;
    return decision;
  }
  const bool v4 = packet.flow.version == 4;
  const uint16_t value = v4 ? lpm_find(&tables->ipv4, packet.ip + 16) : lpm_find(&tables->ipv6, packet.ip + 24);
  if (value == NEXT_HOP_LOCAL) {
    decision.verdict = DROP_LOCAL;
    return decision;
  }
  if (value == LPM_NO_ROUTE) {
    decision.verdict = DROP_NO_ROUTE;
    return decision;
  }
  uint8_t* const live = packet.ip + (v4 ? 8 : 7);
  if (*live <= 1) {
    decision.verdict = DROP_TTL;
    return decision;
  }
  decision.filtered = true;
  if (!firewall_allows(&tables->firewall, &packet.flow, &decision.rule)) {
    decision.verdict = DROP_DENIED;
    return decision;
  }
  const NextHop* const hop = &tables->next_hops[value - 1];
  if (packet.length > tables->ports[hop->port].mtu) {
    decision.verdict = DROP_TOO_BIG;
    return decision;
  }
  if (v4) {
    ipv4_decrement_ttl(packet.ip);
  } else {
    --*live;
  }
  memcpy(frame, hop->mac, 6);
  memcpy(frame + 6, tables->ports[hop->port].mac, 6);
  decision.port = hop->port;
  decision.length = (uint32_t)(packet.ip - frame) + packet.length;
  return decision;
}
