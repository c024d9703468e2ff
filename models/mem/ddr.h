// DDR memory with its controller.
#pragma once

#include "mem/ddr_config.h"
#include "mem/memory_target.h"

namespace dpusim::mem {

/// A DDR memory of one or more channels. Functional fidelity: the unloaded latency of one burst for every access, no
/// contention.
class Ddr : public MemoryTarget {
 public:
  Ddr(const BlockContext& context, const DdrConfig& config);

 private:
  Ddr(const sc_core::sc_module_name& name, const BlockContext& context, const DdrConfig& config);
};

}  // namespace dpusim::mem
