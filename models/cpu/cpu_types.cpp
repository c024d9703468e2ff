#include "cpu/cpu_types.h"

#include "cpu/a64/arm_cluster.h"

namespace dpusim::cpu {

std::span<const BlockType> block_types() {
  static const BlockType types[] = {block_type<ArmCluster, ArmClusterConfig>(
      "arm_cluster", "cpu",
      "Cluster of AArch64 cores that runs guest code, with private caches, generic timers, PSCI and semihosting")};
  return types;
}

}  // namespace dpusim::cpu
