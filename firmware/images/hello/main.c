/* hello: what a new board prints first, and proof that interrupts, the timer and floating point work. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "hal/board.h"
#include "hal/cpu.h"
#include "hal/gic.h"
#include "hal/psci.h"
#include "hal/smp.h"
#include "hal/timer.h"

static volatile uint64_t fired_at;
static volatile unsigned sgi_from_core[HAL_MAX_CORES];

static void on_timer(unsigned intid, void* argument) {
  (void)intid;
  (void)argument;
  fired_at = timer_count();
  timer_stop();
}

static void on_sgi(unsigned intid, void* argument) {
  (void)intid;
  (void)argument;
  sgi_from_core[core_number()] = 1;
  send_event();
}

static void other_core(void* argument) {
  static spinlock console;
  spinlock* const order = argument;
  spin_lock(&console);
  printf("core %u: MPIDR 0x%010" PRIx64 "\n", core_number(), READ_SYSREG(mpidr_el1));
  spin_unlock(&console);
  irq_register(1, true, core_number(), on_sgi, NULL);
  spin_unlock(order); /* tells the first core that this one is ready */
  for (;;) {
    const uint64_t daif = irq_save();
    if (sgi_from_core[core_number()] == 0) wait_for_interrupt();
    irq_restore(daif);
    if (sgi_from_core[core_number()] != 0) return;
  }
}

int main(void) {
  printf("hello from dpusim firmware\n");
  printf("entered at EL%" PRIu64 ", now at EL%" PRIu64 "\n", hal_boot_el, READ_SYSREG(CurrentEL) >> 2);
  printf("core %u: MIDR 0x%08" PRIx64 ", MPIDR 0x%010" PRIx64 "\n", core_number(), READ_SYSREG(midr_el1),
         READ_SYSREG(mpidr_el1));
  const uint32_t version = psci_version();
  printf("PSCI %" PRIu32 ".%" PRIu32 ", %u core(s)\n", version >> 16, version & 0xffff, gic_core_count());

  const uint64_t frequency = timer_frequency(), start = timer_count();
  const uint32_t wait = (uint32_t)(frequency / 100000); /* 10 us */
  printf("counter %" PRIu64 " at %" PRIu64 " Hz\n", start, frequency);
  timer_register(on_timer, NULL);
  const uint64_t armed = timer_count();
  timer_start(wait);
  for (;;) {
    const uint64_t daif = irq_save();
    if (fired_at == 0) wait_for_interrupt();
    irq_restore(daif);
    if (fired_at != 0) break;
  }
  const uint64_t waited = fired_at - armed;
  printf("timer interrupt %u: %s\n", INTID_TIMER_EL1_PHYSICAL, waited >= wait ? "not early" : "EARLY");
  printf("pi = %.10f, sqrt(2) = %.6e\n", 4 * atan(1.0), sqrt(2.0));

  int failures = waited >= wait ? 0 : 1;
  for (unsigned core = 1; core < gic_core_count(); ++core) {
    static spinlock ready[HAL_MAX_CORES];
    const int status = smp_start(core, other_core, &ready[core]);
    if (status == PSCI_SUCCESS) {
      while (atomic_load_explicit(&ready[core].serving, memory_order_acquire) == 0) {
      }
      irq_send(core, 1);
      while (sgi_from_core[core] == 0) {
      }
    } else {
      printf("core %u: CPU_ON failed: %d\n", core, status);
      ++failures;
    }
  }
  printf("hello done, %d failure(s)\n", failures);
  return failures != 0;
}
