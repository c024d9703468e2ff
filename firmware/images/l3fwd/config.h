/* The forwarder's tables as text. A line is one statement; '#' begins a comment.
 *
 *   port N [mac MAC] [mtu OCTETS]       port's own address and longest IP packet
 *   local ADDRESS                       an address of the router itself: not forwarded
 *   route PREFIX port N via MAC         PREFIX is ADDRESS/LENGTH, or ADDRESS for a host route; 0.0.0.0/0 and ::/0 are
 * default routes allow|deny [tcp|udp|icmp|icmpv6|proto NUMBER] [src PREFIX] [dst PREFIX] [sport N[-N]] [dport N[-N]]
 *                                       firewall rule; the first that matches decides
 *   default allow|deny                  what happens when none does; allow at first
 *   any-mac on|off                      whether frames to other unicast MAC addresses are taken; on at first
 */
#pragma once

#include "images/l3fwd/forward.h"

/* Called for each bad line. @param line from 1 on. */
typedef void (*ConfigErrorHandler)(unsigned line, const char* message, const char* word);

/* The tables that the image has without a file: two networks, one a port, and a small firewall (traces/README.md). */
extern const char config_default[];

/* Applies a text to the tables; bad lines are reported and skipped. Returns their number. The text is changed while it
 * is read. */
unsigned config_apply(Tables* tables, char* text, ConfigErrorHandler report);

/* Reads "192.0.2.0/24", "2001:db8::1" and the like. Returns 4 or 6, or 0 when it is neither. Bits beyond the length are
 * cleared. */
unsigned config_parse_prefix(const char* text, uint8_t address[16], unsigned* length);
