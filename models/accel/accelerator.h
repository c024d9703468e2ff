// An accelerator as a SystemC module: registers, DMA socket, interrupt lines, and the engine room behind them.
#pragma once

#include <vector>

#include "accel/accel_engine.h"
#include "accel/accelerator_parts.h"
#include "sim/registers.h"
#include "tlm/block.h"
#include "tlm/register_target.h"
#include "tlm/transfer.h"

namespace dpusim::accel {

/// Simulates job queues in memory, engines that serve them, and completion queues with moderated interrupts. One kernel
/// event; the engine room's calendar is inside.
class Accelerator : public sc_core::sc_module,
                    public Block,
                    private AccelEnvironment,
                    private ::tlm::tlm_bw_transport_if<> {
 public:
  Accelerator(const BlockContext& context, const AccelConfig& config, AcceleratorParts parts);
  ~Accelerator() override;
  std::vector<Port> ports() override;
  void attached(const std::string& /*port*/, AddressSpace& /*bus*/, unsigned requester) override {
    attributes_.requester = static_cast<std::uint16_t>(requester);
  }

  MemoryInitiatorSocket dma_socket;
  [[nodiscard]] MemoryTargetSocket& bus() { return target_.socket(); }
  [[nodiscard]] IrqLine& irq(unsigned line) { return irq_[line]; }
  [[nodiscard]] const AccelEngine& engine() const { return engine_; }

 private:
  // The name lives as long as this constructor, so that members become children of the module.
  Accelerator(const sc_core::sc_module_name& name, const BlockContext& context, const AccelConfig& config,
              AcceleratorParts parts);
  using Write = RegisterBank::Write;

  DmaResult dma(bool write, std::uint64_t address, std::span<std::uint8_t> data, Time when) override;
  void interrupt(unsigned queue) override;
  ::tlm::tlm_sync_enum nb_transport_bw(::tlm::tlm_generic_payload& payload, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 /*start*/, sc_dt::uint64 /*end*/) override {}
  void on_event();
  void rearm();

  // registers (accelerator_registers.cpp)
  RegisterResult access(const RegisterTarget::Access& access);
  void install_registers();
  void install_submission_registers();
  void install_completion_registers();
  void reset_registers();
  void write_control(const Write& write);
  void write_key_command(std::uint64_t command);
  [[nodiscard]] std::uint64_t read_status() const;
  void update_lines();

  const BlockContext context_;
  const AccelConfig config_;
  AcceleratorParts parts_;
  AccelEngine engine_;
  RegisterBank bank_;
  RegisterTarget target_;
  std::vector<IrqLine> irq_;
  std::uint64_t lines_ = 0;  // levels of irq_
  ::tlm::tlm_generic_payload payload_;
  TransferAttributes attributes_;
  sc_core::sc_event event_;
  bool in_dma_ = false;
  Time armed_ = kTimeMax;
  Time when_{0};  // of the register access under way
};

/// The accelerator of a type with its own configuration, for block_type(): Config derives from AccelConfig, and
/// `AcceleratorParts make_parts(const BlockContext&, const Config&)` stands beside it.
template <class Config>
class AcceleratorOf final : public Accelerator {
 public:
  AcceleratorOf(const BlockContext& context, const Config& config)
      : Accelerator(context, config, make_parts(context, config)) {}
};

}  // namespace dpusim::accel
