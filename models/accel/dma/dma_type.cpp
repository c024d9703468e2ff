#include "accel/dma/dma_type.h"

#include <algorithm>

#include "accel/dma/dma_function.h"

namespace dpusim::accel {

const ConfigTable<DmaConfig>& DmaConfig::table() {
  static const ConfigTable<DmaConfig> table =
      accel_table<DmaConfig>("DMA accelerator", {},
                             field("octets_per_cycle", &DmaConfig::octets_per_cycle, between(0.125, 1024.0),
                                   "Octets that an engine moves a cycle"));
  return table;
}

Time DmaTiming::service(const AccelJob& /*job*/, std::uint64_t in, std::uint64_t out) const {
  return cycle_time(clock_, std::max(in, out), octets_per_cycle_);
}

AcceleratorParts make_parts(const BlockContext& /*context*/, const DmaConfig& config) {
  return {.type = ACCEL_TYPE_DMA,
          .function = std::make_unique<DmaFunction>(),
          .timing = std::make_unique<DmaTiming>(config)};
}

}  // namespace dpusim::accel
