/* Generic timer: the EL1 physical counter and timer. */
#pragma once

#include <stdint.h>

#include "hal/cpu.h"
#include "hal/gic.h"

static inline uint64_t timer_frequency(void) { return READ_SYSREG(cntfrq_el0); }
static inline uint64_t timer_count(void) {
  isb();
  return READ_SYSREG(cntpct_el0);
}
/* Installs a handler for this core's timer; it must call timer_stop or timer_start. */
void timer_register(irq_handler handler, void* argument);
/* Raises the interrupt `ticks` from now. */
void timer_start(uint32_t ticks);
void timer_stop(void);
