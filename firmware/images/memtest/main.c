/* memtest: walking ones on each data line, then address-in-address and its complement over a range, which the cores
 * share out. Command line: "base=0x48000000 size=0x100000" (the default range is 1 MiB at 0x48000000, beyond this
 * image). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hal/cpu.h"
#include "hal/gic.h"
#include "hal/psci.h"
#include "hal/semihosting.h"
#include "hal/smp.h"

typedef struct {
  volatile uint64_t *first, *last; /* last is beyond the end */
  uint64_t errors;
  atomic_uint done;
} Share;

static Share shares[HAL_MAX_CORES];
static spinlock console;

static void report(Share* share, const char* test, volatile uint64_t* at, uint64_t found, uint64_t expected) {
  if (share->errors++ >= 4) return; /* the first few tell where; the count tells how many */
  spin_lock(&console);
  printf("core %u: %s at %p: found 0x%016" PRIx64 ", expected 0x%016" PRIx64 "\n", core_number(), test, (void*)at,
         found, expected);
  spin_unlock(&console);
}

static void test(void* argument) {
  Share* const share = argument;
  for (unsigned bit = 0; bit < 64; ++bit) {
    *share->first = 1ull << bit;
    if (*share->first != 1ull << bit) report(share, "walking ones", share->first, *share->first, 1ull << bit);
  }
  for (uint64_t inverted = 0; inverted < 2; ++inverted) {
    const uint64_t flip = inverted != 0 ? ~0ull : 0;
    for (volatile uint64_t* p = share->first; p != share->last; ++p) *p = (uintptr_t)p ^ flip;
    for (volatile uint64_t* p = share->first; p != share->last; ++p) {
      const uint64_t found = *p;
      if (found != ((uintptr_t)p ^ flip)) report(share, "address in address", p, found, (uintptr_t)p ^ flip);
    }
  }
  atomic_store_explicit(&share->done, 1, memory_order_release);
}

static uint64_t option(const char* line, const char* key, uint64_t otherwise) {
  const char* const found = strstr(line, key);
  return found == NULL ? otherwise : strtoull(found + strlen(key), NULL, 0);
}

int main(void) {
  char line[256] = "";
  semihosting_command_line(line, sizeof line);
  const uint64_t base = option(line, "base=", 0x48000000), size = option(line, "size=", 0x100000);
  unsigned cores = gic_core_count();
  const uint64_t each = size / cores & ~63ull;
  if (base % 64 != 0 || each < 64 || base < 0x48000000) {
    printf("memtest: base must be a multiple of 64 from 0x48000000 on, and size at least 64 a core\n");
    return 1;
  }
  printf("memtest: 0x%" PRIx64 " to 0x%" PRIx64 " on %u core(s)\n", base, base + each * cores, cores);
  for (unsigned core = 0; core < cores; ++core) {
    shares[core].first = (volatile uint64_t*)(base + core * each);
    shares[core].last = (volatile uint64_t*)(base + (core + 1) * each);
    const int status = core == 0 ? PSCI_SUCCESS : smp_start(core, test, &shares[core]);
    if (status == PSCI_SUCCESS) continue;
    printf("memtest: core %u does not start: %d\n", core, status);
    return 1;
  }
  test(&shares[0]);
  uint64_t errors = 0;
  for (unsigned core = 0; core < cores; ++core) {
    while (atomic_load_explicit(&shares[core].done, memory_order_acquire) == 0) {
    }
    errors += shares[core].errors;
  }
  printf("memtest: %" PRIu64 " octets, %" PRIu64 " error(s)\n", each * cores, errors);
  return errors != 0;
}
