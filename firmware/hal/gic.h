/* GICv3 driver: all interrupts in Group 1, one priority, no preemption. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef void (*irq_handler)(unsigned intid, void* argument);

/* Turns the distributor on (first core only). */
void gic_init(void);
/* Wakes this core's redistributor and opens its CPU interface. */
void gic_init_core(void);
/* Returns the number of cores that have a redistributor. */
unsigned gic_core_count(void);
/* Returns the affinity of core `number` as MPIDR has it. */
uint64_t gic_affinity(unsigned number);
/* Installs a handler and enables the interrupt; an SPI goes to core `core`, an SGI or PPI is enabled on the calling
 * core. */
void irq_register(unsigned intid, bool edge, unsigned core, irq_handler handler, void* argument);
void irq_disable(unsigned intid);
/* Sends SGI `intid` (0..15) to core `core`. */
void irq_send(unsigned core, unsigned intid);
