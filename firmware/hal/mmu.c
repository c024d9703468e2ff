#include "hal/mmu.h"

#include "hal/cpu.h"

enum { ENTRIES = 512, GIB_OF_DDR = 16 };
static uint64_t level1[ENTRIES] __attribute__((aligned(4096)));
static uint64_t level2_low[ENTRIES] __attribute__((aligned(4096)));

/* Descriptor bits (Arm ARM D8.3). MAIR index 0 is Normal write-back, 1 is Device-nGnRE. */
#define BLOCK 0x1ull
#define TABLE 0x3ull
#define ATTRIBUTE(n) ((uint64_t)(n) << 2)
#define INNER_SHAREABLE (3ull << 8)
#define ACCESSED (1ull << 10)
#define EXECUTE_NEVER (3ull << 53)

void mmu_build(void) {
  for (uint64_t i = 1; i < ENTRIES; ++i) {
    level2_low[i] = i << 21 | BLOCK | ATTRIBUTE(1) | ACCESSED | EXECUTE_NEVER;
  }
  level1[0] = (uintptr_t)level2_low | TABLE;
  for (uint64_t i = 1; i <= GIB_OF_DDR; ++i) {
    level1[i] = i << 30 | BLOCK | ATTRIBUTE(0) | INNER_SHAREABLE | ACCESSED;
  }
  dsb();
}

void mmu_enable(void) {
  WRITE_SYSREG(mair_el1, 0x04ffull);
  /* T0SZ 25 (39 bits), walks write-back inner shareable, 4 KiB granule, no TTBR1, 40-bit physical addresses. */
  WRITE_SYSREG(tcr_el1, 25ull | 1ull << 8 | 1ull << 10 | 3ull << 12 | 1ull << 23 | 2ull << 32);
  WRITE_SYSREG(ttbr0_el1, (uintptr_t)level1);
  __asm__ volatile("tlbi vmalle1\n\tic iallu\n\tdsb sy\n\tisb" ::: "memory");
  WRITE_SYSREG(sctlr_el1, READ_SYSREG(sctlr_el1) | 1ull << 0 | 1ull << 2 | 1ull << 12); /* M, C, I */
  isb();
}
