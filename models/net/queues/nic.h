// The NIC's queues as a SystemC module: registers, DMA socket, frame links, interrupt lines.
#pragma once

#include <memory>
#include <vector>

#include "net/frame_link.h"
#include "net/queues/nic_engine.h"
#include "sim/registers.h"
#include "tlm/block.h"
#include "tlm/register_target.h"
#include "tlm/transfer.h"

namespace dpusim::net {

/// Simulates receive and transmit work queues with completion queues, receive-side scaling, checksum offload and
/// moderated interrupts, for 1 to 4 ports. One kernel event; the engine's calendar is inside. Sockets left open are
/// unplugged cables.
class Nic : public sc_core::sc_module, public Block, private NicEnvironment, private ::tlm::tlm_bw_transport_if<> {
 public:
  Nic(const BlockContext& context, const NicConfig& config);
  ~Nic() override;
  std::vector<Port> ports() override;
  void attached(const std::string& /*port*/, AddressSpace& /*bus*/, unsigned requester) override {
    attributes_.requester = static_cast<std::uint16_t>(requester);
  }

  MemoryInitiatorSocket dma_socket;
  [[nodiscard]] MemoryTargetSocket& bus() { return target_.socket(); }
  [[nodiscard]] EthernetTargetSocket& port_in(unsigned port) { return *port_in_[port]; }
  [[nodiscard]] EthernetInitiatorSocket& port_out(unsigned port) { return *port_out_[port]; }
  [[nodiscard]] IrqLine& irq(unsigned line) { return irq_[line]; }
  [[nodiscard]] const NicEngine& engine() const { return engine_; }

 private:
  // The name lives as long as this constructor, so that members become children of the module.
  Nic(const sc_core::sc_module_name& name, const BlockContext& context, const NicConfig& config);
  using Write = RegisterBank::Write;
  void before_end_of_elaboration() override;

  DmaResult dma(bool write, std::uint64_t address, std::span<std::uint8_t> data, Time when) override;
  SendResult send(unsigned port, const FramePtr& frame, Time start) override;
  void interrupt(unsigned queue) override;
  ::tlm::tlm_sync_enum nb_transport_bw(::tlm::tlm_generic_payload& payload, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 /*start*/, sc_dt::uint64 /*end*/) override {}

  Time take(unsigned port, FramePtr frame, Time start);
  void pause(unsigned port, Time until, std::uint8_t priorities);
  void on_event();
  void rearm();

  // registers (nic_registers.cpp)
  RegisterResult access(const RegisterTarget::Access& access);
  void install_registers();
  void install_receive_registers();
  void install_transmit_registers();
  void install_completion_registers();
  void reset_registers();
  void write_control(const Write& write);
  void write_port_control(const Write& write);
  void write_key(const Write& write);
  void update_lines();

  const BlockContext context_;
  const NicConfig config_;
  NicEngine engine_;
  RegisterBank bank_;
  RegisterTarget target_;
  std::vector<std::unique_ptr<EthernetTargetSocket>> port_in_;
  std::vector<std::unique_ptr<EthernetInitiatorSocket>> port_out_;
  std::vector<std::unique_ptr<EthernetForward>> entries_;
  std::vector<std::unique_ptr<EthernetBackward>> pauses_;
  std::vector<Time> paused_;
  std::vector<IrqLine> irq_;
  OpenEnd open_;
  ::tlm::tlm_generic_payload payload_;
  TransferAttributes attributes_;
  sc_core::sc_event event_;
  Time armed_ = kTimeMax;
  Time when_{0};  // of the register access under way
};

}  // namespace dpusim::net
