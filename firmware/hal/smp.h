/* The other cores, and locks between them. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

typedef struct {
  atomic_uint next, serving;
} spinlock; /* tickets: cores enter in the order of their arrival */

static inline void spin_lock(spinlock* lock) {
  const unsigned mine = atomic_fetch_add_explicit(&lock->next, 1, memory_order_relaxed);
  while (atomic_load_explicit(&lock->serving, memory_order_acquire) != mine) {
  }
}
static inline void spin_unlock(spinlock* lock) {
  atomic_store_explicit(&lock->serving, atomic_load_explicit(&lock->serving, memory_order_relaxed) + 1,
                        memory_order_release);
}

/* Starts core `core` in run(argument), with its own stack, translation and CPU interface, interrupts unmasked. When run
 * returns the core is switched off. Returns 0, or a PSCI error. */
int smp_start(unsigned core, void (*run)(void*), void* argument);
