/* From the assembly entry to main(), and the other cores' way in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hal/board.h"
#include "hal/cpu.h"
#include "hal/gic.h"
#include "hal/mmu.h"
#include "hal/psci.h"
#include "hal/semihosting.h"
#include "hal/smp.h"
#include "hal/uart.h"

int main(void);
void hal_main(uint64_t el);
void hal_secondary_main(uint64_t el);
void hal_secondary_entry(void);

uint64_t hal_boot_el;

/* ---- thread-local data (errno and the like): a block a core, after the two words that the ABI reserves ---- */
extern char hal_tls_image[], hal_tls_data_size[], hal_tls_size[];
enum { TLS_ROOM = 1024, TLS_HEADER = 16 };
static char tls[HAL_MAX_CORES][TLS_HEADER + TLS_ROOM] __attribute__((aligned(64)));

static void set_up_tls(void) {
  char* const block = tls[core_number()];
  if ((uintptr_t)hal_tls_size > TLS_ROOM) psci_system_off();
  memcpy(block + TLS_HEADER, hal_tls_image, (uintptr_t)hal_tls_data_size);
  WRITE_SYSREG(tpidr_el0, (uintptr_t)block);
}

/* ---- picolibc's needs ---- */
static int put(char c, FILE* file) {
  (void)file;
  uart_putc(c);
  return (unsigned char)c;
}
static int get(FILE* file) {
  (void)file;
  int c;
  while ((c = uart_getc()) < 0) {
  }
  return c;
}
static FILE console = FDEV_SETUP_STREAM(put, get, NULL, _FDEV_SETUP_RW);
FILE* const stdin = &console;
FILE* const stdout = &console;
FILE* const stderr = &console;

extern char hal_heap_start[], hal_heap_end[];
void* sbrk(ptrdiff_t increment) {
  static char* top;
  if (top == NULL) top = hal_heap_start;
  if (increment > hal_heap_end - top) return (void*)-1;
  char* const old = top;
  top += increment;
  return old;
}
_Noreturn void _exit(int code) { semihosting_exit(code); }

/* ---- entries ---- */
extern void (*__init_array_start[])(void);
extern void (*__init_array_end[])(void);

void hal_main(uint64_t el) {
  hal_boot_el = el;
  mmu_build();
  mmu_enable();
  set_up_tls();
  uart_init();
  gic_init();
  gic_init_core();
  for (void (**f)(void) = __init_array_start; f != __init_array_end; ++f) (*f)();
  irq_unmask();
  exit(main());
}

static struct {
  void (*run)(void*);
  void* argument;
} jobs[HAL_MAX_CORES];

int smp_start(unsigned core, void (*run)(void*), void* argument) {
  jobs[core].run = run;
  jobs[core].argument = argument;
  /* The new core reads this with its caches off. */
  __asm__ volatile("dc cvac, %0\n\tdc cvac, %1\n\tdsb sy" ::"r"(&jobs[core]), "r"((char*)(&jobs[core] + 1) - 1)
                   : "memory");
  return psci_cpu_on(gic_affinity(core), (uintptr_t)hal_secondary_entry, core);
}

void hal_secondary_main(uint64_t el) {
  (void)el;
  mmu_enable();
  set_up_tls();
  gic_init_core();
  irq_unmask();
  jobs[core_number()].run(jobs[core_number()].argument);
  psci_cpu_off();
}
