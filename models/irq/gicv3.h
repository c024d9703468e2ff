// GICv3 interrupt controller as a SystemC module.
#pragma once

#include <memory>
#include <vector>

#include "irq/gic_cpu_core.h"
#include "irq/gic_interrupts.h"
#include "irq/gic_registers.h"
#include "sim/config.h"
#include "sim/simulation.h"
#include "sim/units.h"
#include "tlm/block.h"
#include "tlm/gic_cpu_interface.h"
#include "tlm/register_target.h"

namespace dpusim::irq {

struct Gicv3Config {
  unsigned cores = 8;
  unsigned spis = 224;
  unsigned priority_bits = 5;
  Time access{30'000};
  Time delivery{25'000};
  static const ConfigTable<Gicv3Config>& table();
};

/// Simulates a GICv3 without LPIs and virtual interrupts, with one security state. An interrupt that becomes the one to
/// signal raises the core's line after `delivery`; a line falls at once.
class Gicv3 : public sc_core::sc_module, public Block {
 public:
  Gicv3(const BlockContext& context, const Gicv3Config& config);
  ~Gicv3() override;
  std::vector<Port> ports() override;

 private:
  Gicv3(const sc_core::sc_module_name& name, const BlockContext& context, const Gicv3Config& config);
  class CpuInterface;
  class Inputs;
  friend class CpuInterface;

  RegisterResult access(GicRegisters::Region region, const RegisterTarget::Access& access);
  void settle();
  void on_event();
  void arm();

  BlockContext context_;
  Gicv3Config config_;
  GicInterrupts interrupts_;
  GicRegisters registers_;
  std::unique_ptr<Inputs> spi_inputs_;
  std::vector<std::unique_ptr<Inputs>> ppi_inputs_;
  std::vector<std::unique_ptr<CpuInterface>> cpus_;
  RegisterTarget distributor_, redistributors_;
  sc_core::sc_event event_;
  Time armed_ = kTimeMax;
  Counter accesses_;
};

}  // namespace dpusim::irq
