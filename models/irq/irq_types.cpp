#include "irq/irq_types.h"

#include "irq/gicv3.h"

namespace dpusim::irq {

std::span<const BlockType> block_types() {
  static const BlockType types[] = {block_type<Gicv3, Gicv3Config>(
      "gicv3", "irq", "GICv3 interrupt controller: distributor, redistributors and CPU interfaces")};
  return types;
}

}  // namespace dpusim::irq
