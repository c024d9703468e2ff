/* Stage 1 translation of EL1: identity. */
#pragma once

/* Builds the table (first core only). 0 to 2 MiB is not mapped, so that null pointers fault; the rest below 1 GiB is
 * Device-nGnRE; DDR from 1 GiB to 17 GiB is Normal write-back, inner shareable. */
void mmu_build(void);
/* Turns translation and caches on for this core. */
void mmu_enable(void);
