#include "hal/gic.h"

#include <stdio.h>

#include "hal/board.h"
#include "hal/cpu.h"
#include "regs/gicd_regs.h"
#include "regs/gicr_regs.h"

enum { INTIDS = 1020, FIRST_SPI = 32, PRIORITY = 0xa0 };

static struct {
  irq_handler handler;
  void* argument;
} handlers[INTIDS];

void hal_interrupt(unsigned is_fiq);

static uintptr_t redistributor(unsigned core) { return BOARD_GICR + (uintptr_t)core * GICR_SIZE; }

static void wait_for_writes(void) {
  while ((mmio_read32(BOARD_GICD + GICD_CTLR) & GICD_CTLR_RWP_MASK) != 0) {
  }
}

void gic_init(void) {
  mmio_write32(BOARD_GICD + GICD_CTLR, 0);
  wait_for_writes();
  const unsigned blocks = (mmio_read32(BOARD_GICD + GICD_TYPER) & GICD_TYPER_ITLINESNUMBER_MASK) + 1;
  for (unsigned i = 1; i < blocks; ++i) {
    mmio_write32(BOARD_GICD + GICD_ICENABLER(i), 0xffffffff);
    mmio_write32(BOARD_GICD + GICD_ICPENDR(i), 0xffffffff);
    mmio_write32(BOARD_GICD + GICD_ICACTIVER(i), 0xffffffff);
    mmio_write32(BOARD_GICD + GICD_IGROUPR(i), 0xffffffff);
  }
  mmio_write32(BOARD_GICD + GICD_CTLR, GICD_CTLR_ARE_MASK | GICD_CTLR_ENABLEGRP1_MASK);
  wait_for_writes();
}

void gic_init_core(void) {
  const uintptr_t base = redistributor(core_number());
  mmio_write32(base + GICR_WAKER, 0);
  while ((mmio_read32(base + GICR_WAKER) & GICR_WAKER_CHILDRENASLEEP_MASK) != 0) {
  }
  mmio_write32(base + GICR_ICENABLER0, 0xffffffff);
  mmio_write32(base + GICR_ICPENDR0, 0xffffffff);
  mmio_write32(base + GICR_ICACTIVER0, 0xffffffff);
  mmio_write32(base + GICR_IGROUPR0, 0xffffffff);
  WRITE_SYSREG(S3_0_C12_C12_5, 7); /* ICC_SRE_EL1 */
  isb();
  WRITE_SYSREG(S3_0_C4_C6_0, 0xf0); /* ICC_PMR_EL1 */
  WRITE_SYSREG(S3_0_C12_C12_3, 7);  /* ICC_BPR1_EL1: no preemption */
  WRITE_SYSREG(S3_0_C12_C12_4, 0);  /* ICC_CTLR_EL1: EOI drops and deactivates */
  WRITE_SYSREG(S3_0_C12_C12_7, 1);  /* ICC_IGRPEN1_EL1 */
  isb();
}

unsigned gic_core_count(void) {
  unsigned count = 1;
  while (count < HAL_MAX_CORES && (mmio_read64(redistributor(count - 1) + GICR_TYPER) & GICR_TYPER_LAST_MASK) == 0) {
    ++count;
  }
  return count;
}

uint64_t gic_affinity(unsigned number) {
  const uint64_t affinity = mmio_read64(redistributor(number) + GICR_TYPER) >> GICR_TYPER_AFFINITY_VALUE_SHIFT;
  return (affinity & 0xffffff) | (affinity >> 24) << 32; /* Aff3 has its own place in MPIDR */
}

void irq_register(unsigned intid, bool edge, unsigned core, irq_handler handler, void* argument) {
  handlers[intid].handler = handler;
  handlers[intid].argument = argument;
  const uint32_t bit = 1u << intid % 32, edge_bit = 2u << intid % 16 * 2;
  if (intid < FIRST_SPI) {
    const uintptr_t base = redistributor(core_number());
    *(volatile uint8_t*)(base + GICR_IPRIORITYR(0) + intid) = PRIORITY;
    if (intid >= 16) {
      const uint32_t config = mmio_read32(base + GICR_ICFGR1);
      mmio_write32(base + GICR_ICFGR1, edge ? config | edge_bit : config & ~edge_bit);
    }
    mmio_write32(base + GICR_ISENABLER0, bit);
    return;
  }
  *(volatile uint8_t*)(BOARD_GICD + GICD_IPRIORITYR(0) + intid) = PRIORITY;
  const uint32_t config = mmio_read32(BOARD_GICD + GICD_ICFGR(intid / 16));
  mmio_write32(BOARD_GICD + GICD_ICFGR(intid / 16), edge ? config | edge_bit : config & ~edge_bit);
  mmio_write64(BOARD_GICD + GICD_IROUTER(intid - FIRST_SPI), gic_affinity(core));
  mmio_write32(BOARD_GICD + GICD_ISENABLER(intid / 32), bit);
}

void irq_disable(unsigned intid) {
  const uint32_t bit = 1u << intid % 32;
  if (intid < FIRST_SPI) {
    mmio_write32(redistributor(core_number()) + GICR_ICENABLER0, bit);
  } else {
    mmio_write32(BOARD_GICD + GICD_ICENABLER(intid / 32), bit);
    wait_for_writes();
  }
}

void irq_send(unsigned core, unsigned intid) {
  const uint64_t affinity = gic_affinity(core);
  dsb();
  const uint64_t value = (affinity >> 8 & 0xff) << 16 | (affinity >> 16 & 0xff) << 32 | (affinity >> 32 & 0xff) << 48 |
                         (uint64_t)intid << 24 | 1ull << (affinity & 0xf);
  WRITE_SYSREG(S3_0_C12_C11_5, value); /* ICC_SGI1R_EL1 */
  isb();
}

void hal_interrupt(unsigned is_fiq) {
  if (is_fiq != 0) printf("unexpected FIQ on core %u\n", core_number());
  for (;;) {
    const unsigned intid = (unsigned)READ_SYSREG(S3_0_C12_C12_0) & 0xffffff; /* ICC_IAR1_EL1 */
    if (intid >= INTIDS) return;
    dsb();
    if (handlers[intid].handler != 0) {
      handlers[intid].handler(intid, handlers[intid].argument);
    } else {
      printf("unexpected interrupt %u on core %u\n", intid, core_number());
      irq_disable(intid);
    }
    WRITE_SYSREG(S3_0_C12_C12_1, intid); /* ICC_EOIR1_EL1 */
    isb();
  }
}
