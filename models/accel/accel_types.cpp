#include "accel/accel_types.h"

#include "accel/accelerator.h"
#include "accel/dma/dma_type.h"

namespace dpusim::accel {

// A type is a configuration that derives from AccelConfig, and make_parts() beside it.
std::span<const BlockType> block_types() {
  static const BlockType types[] = {
      block_type<AcceleratorOf<DmaConfig>, DmaConfig>("dma", "accel", "Copies and fills memory by jobs in rings"),
  };
  return types;
}

}  // namespace dpusim::accel
