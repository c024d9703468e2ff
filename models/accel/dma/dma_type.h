// The DMA accelerator as a type: parameters and rates.
#pragma once

#include "accel/accel_config.h"
#include "accel/accelerator_parts.h"
#include "sim/simulation.h"

namespace dpusim::accel {

/// Parameters of the DMA accelerator.
struct DmaConfig : AccelConfig {
  double octets_per_cycle = 32;
  static const ConfigTable<DmaConfig>& table();
};

/// One rate for all opcodes.
class DmaTiming : public Timing {
 public:
  explicit DmaTiming(const DmaConfig& config) : clock_(config.clock), octets_per_cycle_(config.octets_per_cycle) {}
  [[nodiscard]] Time service(const AccelJob& job, std::uint64_t in, std::uint64_t out) const override;
  [[nodiscard]] bool streams(const AccelJob& /*job*/) const override { return true; }

 private:
  Clock clock_;
  double octets_per_cycle_;
};

/// Returns what the accelerator is made of.
[[nodiscard]] AcceleratorParts make_parts(const BlockContext& context, const DmaConfig& config);

}  // namespace dpusim::accel
