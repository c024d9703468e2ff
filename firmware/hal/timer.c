#include "hal/timer.h"

#include "hal/board.h"

void timer_register(irq_handler handler, void* argument) {
  timer_stop();
  irq_register(INTID_TIMER_EL1_PHYSICAL, false, core_number(), handler, argument);
}

void timer_start(uint32_t ticks) {
  WRITE_SYSREG(cntp_tval_el0, ticks);
  WRITE_SYSREG(cntp_ctl_el0, 1);
  isb();
}

void timer_stop(void) {
  WRITE_SYSREG(cntp_ctl_el0, 0);
  isb();
}
