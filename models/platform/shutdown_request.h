// The line by which a run asks firmware to finish.
#pragma once

#include "sim/config.h"
#include "sim/simulation.h"
#include "tlm/block.h"

namespace dpusim::platform {

struct ShutdownRequestConfig {
  static const ConfigTable<ShutdownRequestConfig>& table();
};

/// Raises an interrupt, and keeps it high, when the captures have ended and the card has gone quiet, so that firmware
/// can print and exit. Real cards have an ACPI or MCU event for this.
class ShutdownRequest : public Block {
 public:
  ShutdownRequest(const BlockContext& /*context*/, const ShutdownRequestConfig& /*config*/) {}
  std::vector<Port> ports() override { return {{"irq", &irq_, "Level: asks firmware to finish"}}; }
  /// Asks. @return false when nothing is connected.
  bool request() {
    irq_.set(true);
    return irq_.connected();
  }

 private:
  IrqLine irq_;
};

/// Returns the types of this family.
std::span<const BlockType> block_types_of_platform();

}  // namespace dpusim::platform
