/* The PE: system registers, barriers, interrupt mask, exclusive access. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define HAL_MAX_CORES 16

#define READ_SYSREG(name)                              \
  ({                                                   \
    uint64_t value_;                                   \
    __asm__ volatile("mrs %0, " #name : "=r"(value_)); \
    value_;                                            \
  })
#define WRITE_SYSREG(name, value) __asm__ volatile("msr " #name ", %0" ::"r"((uint64_t)(value)) : "memory")

static inline void isb(void) { __asm__ volatile("isb" ::: "memory"); }
static inline void dsb(void) { __asm__ volatile("dsb sy" ::: "memory"); }
/* Orders memory for devices that share it: all earlier stores before all later ones, or loads before later accesses. */
static inline void dma_write_barrier(void) { __asm__ volatile("dmb oshst" ::: "memory"); }
static inline void dma_read_barrier(void) { __asm__ volatile("dmb oshld" ::: "memory"); }
static inline void wait_for_interrupt(void) { __asm__ volatile("dsb sy\n\twfi" ::: "memory"); }
static inline void wait_for_event(void) { __asm__ volatile("wfe" ::: "memory"); }
static inline void send_event(void) { __asm__ volatile("dsb ish\n\tsev" ::: "memory"); }

static inline uint32_t mmio_read32(uintptr_t address) { return *(volatile uint32_t*)address; }
static inline void mmio_write32(uintptr_t address, uint32_t value) { *(volatile uint32_t*)address = value; }
static inline uint64_t mmio_read64(uintptr_t address) { return *(volatile uint64_t*)address; }
static inline void mmio_write64(uintptr_t address, uint64_t value) { *(volatile uint64_t*)address = value; }

/* Returns this core's number, from 0. */
static inline unsigned core_number(void) { return (unsigned)READ_SYSREG(tpidr_el1); }

/* Masks IRQ and FIQ and returns the mask as it was, for irq_restore. */
static inline uint64_t irq_save(void) {
  const uint64_t daif = READ_SYSREG(daif);
  __asm__ volatile("msr daifset, #3" ::: "memory");
  return daif;
}
static inline void irq_restore(uint64_t daif) { WRITE_SYSREG(daif, daif); }
static inline void irq_unmask(void) { __asm__ volatile("msr daifclr, #3" ::: "memory"); }

/* The Exception level that this image was entered at (before it dropped to EL1). */
extern uint64_t hal_boot_el;
