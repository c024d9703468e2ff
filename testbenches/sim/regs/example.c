/* Compiles the generated C header as firmware would, and holds it against regs/example.regs.json. */
#include "example.h"

_Static_assert(EXAMPLE_CTRL == 0x00 && EXAMPLE_EVENT == 0x04 && EXAMPLE_WIDE == 0x08 && EXAMPLE_HALF == 0x14, "offsets");
_Static_assert(EXAMPLE_QUEUE_LOW(2) == 0x30 && EXAMPLE_QUEUE_HIGH(2) == 0x34 && EXAMPLE_QUEUE_LOW_COUNT == 3, "arrays");
_Static_assert(EXAMPLE_CTRL_MODE_MASK == 0xe && EXAMPLE_CTRL_MODE_SHIFT == 1, "field of 3 bits");
_Static_assert(EXAMPLE_CTRL_STAT_MASK == 0xff000000u && EXAMPLE_CTRL_STAT_SHIFT == 24, "field at the top");
_Static_assert(EXAMPLE_WIDE_TOP_MASK == 0xf000000000000000ull && EXAMPLE_WIDE_TOP_SHIFT == 60, "64-bit field");
_Static_assert(EXAMPLE_SIZE == 0x80, "size");

unsigned example_c_octet(unsigned n);
unsigned example_c_octet(unsigned n) { return EXAMPLE_OCTET(n); }

unsigned long long example_c_top(void);
unsigned long long example_c_top(void) { return EXAMPLE_WIDE_TOP_MASK; }
