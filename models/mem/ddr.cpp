#include "mem/ddr.h"

#include "mem/ddr_timing.h"

namespace dpusim::mem {
namespace {

std::unique_ptr<MemoryTiming> make_timing(const BlockContext& context, const DdrConfig& config) {
  if (context.fidelity == Fidelity::kApproximate) return std::make_unique<DdrBusTiming>(config, context.stats);
  return std::make_unique<FixedTiming>(DdrBusTiming::unloaded_read(config));
}

}  // namespace

// The module's name must live until construction ends, or its sockets would not be its children.
Ddr::Ddr(const BlockContext& context, const DdrConfig& config)
    : Ddr(sc_core::sc_module_name(context.name.c_str()), context, config) {}

Ddr::Ddr(const sc_core::sc_module_name& name, const BlockContext& context, const DdrConfig& config)
    : MemoryTarget(name, context, config.capacity, make_timing(context, config)) {}

}  // namespace dpusim::mem
