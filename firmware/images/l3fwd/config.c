#include "images/l3fwd/config.h"

#include <stdlib.h>
#include <string.h>

const char config_default[] =
    "port 0 mac 02:00:00:00:01:01\n"
    "port 1 mac 02:00:00:00:02:01\n"
    "local 192.0.2.1\n"
    "local 198.51.100.1\n"
    "local 2001:db8:1::1\n"
    "local 2001:db8:2::1\n"
    "route 192.0.2.0/24 port 0 via 02:00:00:00:01:02\n"
    "route 198.51.100.0/24 port 1 via 02:00:00:00:02:02\n"
    "route 2001:db8:1::/64 port 0 via 02:00:00:00:01:02\n"
    "route 2001:db8:2::/64 port 1 via 02:00:00:00:02:02\n"
    "deny tcp dport 23\n"
    "deny udp dport 9\n"
    "deny src 192.0.2.64/26\n"
    "deny src 2001:db8:1::bad\n"
    "default allow\n";

/* ---- words and values ---- */

static int parse_number(const char* text, unsigned long limit, unsigned long* value) {
  if (text == NULL || *text < '0' || *text > '9') return 0;
  char* end;
  *value = strtoul(text, &end, 0);
  return *end == '\0' && *value <= limit;
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

static int parse_mac(const char* text, uint8_t mac[6]) {
  if (text == NULL || strlen(text) != 17) return 0;
  for (unsigned i = 0; i < 6; ++i) {
    const int high = hex_digit(text[3 * i]), low = hex_digit(text[3 * i + 1]);
    if (high < 0 || low < 0 || (i < 5 && text[3 * i + 2] != ':')) return 0;
    mac[i] = (uint8_t)(high << 4 | low);
  }
  return 1;
}

static const char* parse_ipv4(const char* text, uint8_t* address) {
  for (unsigned i = 0; i < 4; ++i) {
    if (i > 0 && *text++ != '.') return NULL;
    unsigned value = 0, digits = 0;
    for (; *text >= '0' && *text <= '9' && digits < 4; ++digits) value = value * 10 + (unsigned)(*text++ - '0');
    if (digits == 0 || digits > 3 || value > 255) return NULL;
    address[i] = (uint8_t)value;
  }
  return text;
}

static const char* parse_ipv6(const char* text, uint8_t* address) {
  uint8_t groups[16] = {0};
  unsigned count = 0;
  int gap = -1; /* number of octets before "::" */
  if (text[0] == ':' && text[1] == ':') {
    gap = 0;
    text += 2;
  }
  while (count < 16 && hex_digit(*text) >= 0) {
    unsigned value = 0, digits = 0;
    for (; hex_digit(*text) >= 0; ++digits) value = value << 4 | (unsigned)hex_digit(*text++);
    if (digits > 4) return NULL;
    groups[count++] = (uint8_t)(value >> 8);
    groups[count++] = (uint8_t)value;
    if (*text != ':') break;
    if (text[1] == ':') {
      if (gap >= 0) return NULL;
      gap = (int)count;
      text += 2;
    } else {
      if (hex_digit(text[1]) < 0) return NULL;
      ++text;
    }
  }
  if (gap < 0 ? count != 16 : count > 14) return NULL;
  memset(address, 0, 16);
  const unsigned before = gap < 0 ? 16 : (unsigned)gap;
  memcpy(address, groups, before);
  if (gap >= 0) memcpy(address + 16 - (count - before), groups + before, count - before);
  return text;
}

unsigned config_parse_prefix(const char* text, uint8_t address[16], unsigned* length) {
  if (text == NULL) return 0;
  unsigned version = 4;
  const char* end = parse_ipv4(text, address);
  if (end == NULL) {
    version = 6;
    end = parse_ipv6(text, address);
  }
  if (end == NULL) return 0;
  const unsigned bits = version == 4 ? 32 : 128;
  *length = bits;
  if (*end == '/') {
    unsigned long value;
    if (!parse_number(end + 1, bits, &value)) return 0;
    *length = (unsigned)value;
  } else if (*end != '\0') {
    return 0;
  }
  for (unsigned i = 0; i < bits / 8; ++i) {
    const unsigned keep = *length <= 8 * i ? 0 : *length - 8 * i;
    if (keep < 8) address[i] &= (uint8_t)(0xff00u >> keep);
  }
  return version;
}

/* ---- statements ---- */

typedef struct {
  Tables* tables;
  unsigned line;
  ConfigErrorHandler report;
  char* rest; /* of strtok_r */
} Reader;

static const char* next_word(Reader* reader) { return strtok_r(NULL, " \t\r", &reader->rest); }

static int fail(Reader* reader, const char* message, const char* word) {
  reader->report(reader->line, message, word != NULL ? word : "end of line");
  return -1;
}

static int read_port(Reader* reader) {
  unsigned long port, mtu;
  const char* word = next_word(reader);
  if (!parse_number(word, MAX_PORTS - 1, &port)) return fail(reader, "expected a port number from 0 to 3", word);
  PortSettings settings = reader->tables->ports[port];
  while ((word = next_word(reader)) != NULL) {
    const char* const value = next_word(reader);
    if (strcmp(word, "mac") == 0) {
      if (!parse_mac(value, settings.mac))
        return fail(reader, "expected a MAC address such as 02:00:00:00:01:01", value);
    } else if (strcmp(word, "mtu") == 0) {
      if (!parse_number(value, 9500, &mtu) || mtu < 68) return fail(reader, "expected an MTU from 68 to 9500", value);
      settings.mtu = (uint32_t)mtu;
    } else {
      return fail(reader, "expected mac or mtu", word);
    }
  }
  reader->tables->ports[port] = settings;
  return 0;
}

static int read_local(Reader* reader) {
  uint8_t address[16];
  unsigned length;
  const char* const word = next_word(reader);
  const unsigned version = config_parse_prefix(word, address, &length);
  if (version == 0 || length != (version == 4 ? 32u : 128u))
    return fail(reader, "expected an IPv4 or IPv6 address", word);
  if (tables_add_route(reader->tables, version, address, length, NEXT_HOP_LOCAL) != 0)
    return fail(reader, "no room for this route", word);
  return 0;
}

static int read_route(Reader* reader) {
  uint8_t prefix[16], mac[6];
  unsigned length;
  unsigned long port;
  const char* const text = next_word(reader);
  const unsigned version = config_parse_prefix(text, prefix, &length);
  if (version == 0) return fail(reader, "expected a prefix such as 192.0.2.0/24 or 2001:db8::/32", text);
  const char* word = next_word(reader);
  if (word == NULL || strcmp(word, "port") != 0) return fail(reader, "expected port", word);
  word = next_word(reader);
  if (!parse_number(word, MAX_PORTS - 1, &port)) return fail(reader, "expected a port number from 0 to 3", word);
  word = next_word(reader);
  if (word == NULL || strcmp(word, "via") != 0) return fail(reader, "expected via", word);
  word = next_word(reader);
  if (!parse_mac(word, mac)) return fail(reader, "expected the next hop's MAC address", word);
  const uint16_t value = tables_next_hop(reader->tables, (unsigned)port, mac);
  if (value == 0 || tables_add_route(reader->tables, version, prefix, length, value) != 0) {
    return fail(reader, "no room for this route", text);
  }
  return 0;
}

static int read_range(const char* text, uint16_t* first, uint16_t* last) {
  if (text == NULL) return 0;
  char copy[16];
  if (strlen(text) >= sizeof copy) return 0;
  strcpy(copy, text);
  char* const dash = strchr(copy, '-');
  if (dash != NULL) *dash = '\0';
  unsigned long low, high;
  if (!parse_number(copy, 65535, &low) || !parse_number(dash != NULL ? dash + 1 : copy, 65535, &high) || low > high)
    return 0;
  *first = (uint16_t)low;
  *last = (uint16_t)high;
  return 1;
}

static int read_address(Reader* reader, Rule* rule, uint32_t* value, uint32_t* mask) {
  uint8_t address[16] = {0}, mask_octets[16] = {0};
  unsigned length;
  const char* const word = next_word(reader);
  const unsigned version = config_parse_prefix(word, address, &length);
  if (version == 0) return fail(reader, "expected a prefix such as 192.0.2.0/24 or 2001:db8::/32", word);
  if (rule->version != 0 && rule->version != version) return fail(reader, "a rule cannot mix IPv4 and IPv6", word);
  rule->version = (uint8_t)version;
  for (unsigned bit = 0; bit < length; ++bit) mask_octets[bit / 8] |= (uint8_t)(0x80u >> bit % 8);
  memcpy(value, address, 16);
  memcpy(mask, mask_octets, 16);
  return 0;
}

static int read_rule(Reader* reader, int allow) {
  Firewall* const firewall = &reader->tables->firewall;
  static const struct {
    const char* name;
    uint8_t number;
  } protocols[] = {{"icmp", 1}, {"tcp", 6}, {"udp", 17}, {"icmpv6", 58}};
  Rule rule = {.source_port_last = 65535, .destination_port_last = 65535, .allow = allow != 0, .line = reader->line};
  const char* word;
  while ((word = next_word(reader)) != NULL) {
    unsigned long number;
    unsigned i = 0;
    while (i < 4 && strcmp(word, protocols[i].name) != 0) ++i;
    if (i < 4) {
      rule.protocol = protocols[i].number;
      rule.has_protocol = true;
    } else if (strcmp(word, "proto") == 0) {
      word = next_word(reader);
      if (!parse_number(word, 255, &number)) return fail(reader, "expected a protocol number from 0 to 255", word);
      rule.protocol = (uint8_t)number;
      rule.has_protocol = true;
    } else if (strcmp(word, "src") == 0) {
      if (read_address(reader, &rule, rule.source, rule.source_mask) != 0) return -1;
    } else if (strcmp(word, "dst") == 0) {
      if (read_address(reader, &rule, rule.destination, rule.destination_mask) != 0) return -1;
    } else if (strcmp(word, "sport") == 0 || strcmp(word, "dport") == 0) {
      const int source = *word == 's';
      word = next_word(reader);
      if (!read_range(word, source ? &rule.source_port_first : &rule.destination_port_first,
                      source ? &rule.source_port_last : &rule.destination_port_last)) {
        return fail(reader, "expected a port or a range such as 1000-2000", word);
      }
      rule.has_ports = true;
    } else {
      return fail(reader, "expected a protocol, src, dst, sport or dport", word);
    }
  }
  if (firewall->count == FIREWALL_MAX_RULES) return fail(reader, "no room for this rule", "rule");
  firewall->rules[firewall->count++] = rule;
  return 0;
}

/* Reads one of two words. Returns 1 for the first, 0 for the second, -1 for neither. */
static int read_choice(Reader* reader, const char* first, const char* second, const char* message) {
  const char* const word = next_word(reader);
  if (word != NULL && strcmp(word, first) == 0) return 1;
  if (word != NULL && strcmp(word, second) == 0) return 0;
  return fail(reader, message, word);
}

static int read_statement(Reader* reader, const char* word) {
  int choice;
  if (strcmp(word, "port") == 0) return read_port(reader);
  if (strcmp(word, "local") == 0) return read_local(reader);
  if (strcmp(word, "route") == 0) return read_route(reader);
  if (strcmp(word, "allow") == 0) return read_rule(reader, 1);
  if (strcmp(word, "deny") == 0) return read_rule(reader, 0);
  if (strcmp(word, "default") == 0) {
    if ((choice = read_choice(reader, "allow", "deny", "expected allow or deny")) < 0) return -1;
    reader->tables->firewall.default_allow = choice != 0;
    return 0;
  }
  if (strcmp(word, "any-mac") == 0) {
    if ((choice = read_choice(reader, "on", "off", "expected on or off")) < 0) return -1;
    reader->tables->any_mac = choice != 0;
    return 0;
  }
  return fail(reader, "expected port, local, route, allow, deny, default or any-mac", word);
}

unsigned config_apply(Tables* tables, char* text, ConfigErrorHandler report) {
  Reader reader = {.tables = tables, .line = 0, .report = report};
  unsigned errors = 0;
  for (char* line = text; line != NULL;) {
    ++reader.line;
    char* const end = strchr(line, '\n');
    if (end != NULL) *end = '\0';
    char* const comment = strchr(line, '#');
    if (comment != NULL) *comment = '\0';
    const char* const word = strtok_r(line, " \t\r", &reader.rest);
    if (word != NULL) {
      const char* extra;
      if (read_statement(&reader, word) != 0) {
        ++errors;
      } else if ((extra = next_word(&reader)) != NULL) {
        fail(&reader, "expected the end of the line", extra);
        ++errors;
      }
    }
    line = end != NULL ? end + 1 : NULL;
  }
  return errors;
}
