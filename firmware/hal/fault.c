/* What a user sees of an unexpected exception: its class in words, the registers, and the run's end with exit code 1.
 */
#include <inttypes.h>
#include <stdio.h>

#include "hal/cpu.h"
#include "hal/semihosting.h"

typedef struct {
  uint64_t x[31], elr, spsr, sp;
} Registers;

void hal_fault(Registers* registers, unsigned vector);

static const char* class_name(unsigned ec) {
  switch (ec) {
    case 0x00:
      return "undefined instruction";
    case 0x07:
      return "FP or SIMD access trapped";
    case 0x0e:
      return "illegal execution state";
    case 0x15:
      return "SVC";
    case 0x16:
      return "HVC";
    case 0x17:
      return "SMC";
    case 0x18:
      return "system register access trapped";
    case 0x20:
      return "instruction abort, lower level";
    case 0x21:
      return "instruction abort";
    case 0x22:
      return "PC alignment fault";
    case 0x24:
      return "data abort, lower level";
    case 0x25:
      return "data abort";
    case 0x26:
      return "SP alignment fault";
    case 0x2f:
      return "SError";
    case 0x3c:
      return "BRK";
    default:
      return "exception";
  }
}

/* Fault status codes of aborts (Arm ARM, ISS encoding for data aborts). */
static const char* status_name(unsigned status) {
  switch (status >> 2) {
    case 0:
      return "address size fault";
    case 1:
      return "translation fault";
    case 2:
      return "access flag fault";
    case 3:
      return "permission fault";
    default:
      break;
  }
  if (status == 0x10) return "external abort: the bus answered with an error";
  if (status == 0x21) return "alignment fault";
  return "other fault";
}

void hal_fault(Registers* registers, unsigned vector) {
  const uint64_t esr = READ_SYSREG(esr_el1);
  const unsigned ec = (unsigned)(esr >> 26) & 0x3f;
  /* HLT #0xf000 without a semihosting host is undefined: the call then answers -1. */
  if (vector == 4 && ec == 0 && *(const uint32_t*)registers->elr == 0xd45e0000u) {
    registers->x[0] = ~0ull;
    registers->elr += 4;
    return;
  }
  static volatile unsigned reporting[64];
  if (reporting[core_number()]++ != 0) semihosting_exit(1); /* a fault while reporting one, such as no UART */
  printf("\n*** %s on core %u (vector %u)\n", (vector & 3) == 3 ? "SError" : class_name(ec), core_number(), vector);
  if (ec == 0x21 || ec == 0x25) {
    const unsigned status = (unsigned)esr & 0x3f;
    printf("*** %s of address 0x%016" PRIx64 ": %s",
           ec == 0x21             ? "fetch"
           : (esr & 1u << 6) != 0 ? "write"
                                  : "read",
           READ_SYSREG(far_el1), status_name(status));
    if (status < 0x10) printf(", level %u", status & 3);
    printf("\n");
  }
  printf("ELR 0x%016" PRIx64 "  ESR 0x%08" PRIx64 "  FAR 0x%016" PRIx64 "  SPSR 0x%08" PRIx64 "\n", registers->elr, esr,
         READ_SYSREG(far_el1), registers->spsr);
  for (unsigned i = 0; i < 31; ++i)
    printf("%sX%-2u 0x%016" PRIx64 "%s", i % 3 == 0 ? "" : "  ", i, registers->x[i], i % 3 == 2 ? "\n" : "");
  printf("  SP  0x%016" PRIx64 "\n", registers->sp);
  printf("frames:");
  /* A frame is the pair (caller's frame, return address); the chain ends with 0 and stays within RAM. */
  uint64_t frame = registers->x[29];
  for (unsigned depth = 0; depth < 16 && frame >= 0x40000000u && frame % 8 == 0; ++depth) {
    const uint64_t* const pair = (const uint64_t*)frame;
    printf(" 0x%" PRIx64, pair[1]);
    if (pair[0] <= frame) break;
    frame = pair[0];
  }
  printf("\n*** stopped; find a line with: aarch64-linux-gnu-addr2line -fe IMAGE.elf 0x%" PRIx64 "\n", registers->elr);
  semihosting_exit(1);
}
