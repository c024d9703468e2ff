#include "mem/mem_types.h"

#include "mem/ddr.h"
#include "mem/ram.h"

namespace dpusim::mem {

std::span<const BlockType> block_types() {
  static const BlockType types[] = {
      block_type<Ram, RamConfig>("ram", "mem", "On-chip SRAM with a fixed latency and one port"),
      block_type<Ddr, DdrConfig>("ddr", "mem",
                                 "DDR memory: JEDEC latency, and the data bus of each channel as shared resource"),
  };
  return types;
}

}  // namespace dpusim::mem
