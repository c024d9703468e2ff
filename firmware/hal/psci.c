#include "hal/psci.h"

#include "hal/cpu.h"

static int64_t call(uint64_t function, uint64_t a, uint64_t b, uint64_t c) {
  register uint64_t x0 __asm__("x0") = function;
  register uint64_t x1 __asm__("x1") = a;
  register uint64_t x2 __asm__("x2") = b;
  register uint64_t x3 __asm__("x3") = c;
  /* SMCCC 1.1: x4 to x17 are preserved; 1.0 does not promise it. */
#define SCRATCH "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "memory"
  if (hal_boot_el >= 2) {
    __asm__ volatile("smc #0" : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3)::SCRATCH);
  } else {
    __asm__ volatile("hvc #0" : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3)::SCRATCH);
  }
  return (int64_t)x0;
}

uint32_t psci_version(void) { return (uint32_t)call(0x84000000, 0, 0, 0); }

int psci_cpu_on(uint64_t affinity, uintptr_t entry, uint64_t context) {
  return (int)call(0xc4000003, affinity, entry, context);
}

_Noreturn void psci_cpu_off(void) {
  call(0x84000002, 0, 0, 0);
  for (;;) wait_for_interrupt();
}

_Noreturn void psci_system_off(void) {
  call(0x84000008, 0, 0, 0);
  for (;;) wait_for_interrupt();
}
