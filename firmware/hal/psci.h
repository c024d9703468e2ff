/* Power State Coordination Interface (Arm DEN 0022). The conduit is SMC when this image was entered at EL2 or EL3, HVC
 * at EL1. */
#pragma once

#include <stdint.h>

enum { PSCI_SUCCESS = 0, PSCI_NOT_SUPPORTED = -1, PSCI_INVALID_PARAMETERS = -2, PSCI_ALREADY_ON = -4 };

uint32_t psci_version(void);
/* Starts the core of an affinity at `entry` with x0 = `context`. Returns PSCI_SUCCESS or an error. */
int psci_cpu_on(uint64_t affinity, uintptr_t entry, uint64_t context);
_Noreturn void psci_cpu_off(void);
_Noreturn void psci_system_off(void);
