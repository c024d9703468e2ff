#include "images/l3fwd/firewall.h"

static bool address_matches(const uint32_t* address, const uint32_t* value, const uint32_t* mask, unsigned words) {
  uint32_t difference = 0;
  for (unsigned i = 0; i < words; ++i) difference |= (address[i] ^ value[i]) & mask[i];
  return difference == 0;
}

static bool matches(const Rule* rule, const Flow* flow) {
  if (rule->version != 0 && rule->version != flow->version) return false;
  if (rule->has_protocol && rule->protocol != flow->protocol) return false;
  if (rule->has_ports) {
    if (!flow->has_ports) return false;
    if (flow->source_port < rule->source_port_first || flow->source_port > rule->source_port_last) return false;
    if (flow->destination_port < rule->destination_port_first || flow->destination_port > rule->destination_port_last)
      return false;
  }
  const unsigned words = flow->version == 4 ? 1 : 4;
  return address_matches(flow->source, rule->source, rule->source_mask, words) &&
         address_matches(flow->destination, rule->destination, rule->destination_mask, words);
}

unsigned firewall_match(const Firewall* firewall, const Flow* flow) {
  unsigned i = 0;
  while (i < firewall->count && !matches(&firewall->rules[i], flow)) ++i;
  return i;
}

bool firewall_allows(const Firewall* firewall, const Flow* flow, unsigned* matched) {
  *matched = firewall_match(firewall, flow);
  return *matched < firewall->count ? firewall->rules[*matched].allow : firewall->default_allow;
}
