// A PCI Express endpoint on the card's interconnect, as a SystemC module.
#pragma once

#include <array>
#include <vector>

#include "pcie/pcie_endpoint_core.h"
#include "pcie/pcie_open_end.h"
#include "tlm/block.h"
#include "tlm/register_target.h"
#include "tlm/transfer.h"

namespace dpusim::pcie {

/// Simulates one function: the host's configuration and BAR accesses, the card's window onto host memory, interrupt
/// lines that become MSI-X messages, doorbells and mailboxes. One kernel event. A link socket left open is an empty
/// slot.
class PcieEndpoint : public sc_core::sc_module,
                     public Block,
                     private PcieDownstream,
                     private PcieEndpointEnvironment,
                     private IrqSink,
                     private ::tlm::tlm_fw_transport_if<>,
                     private ::tlm::tlm_bw_transport_if<> {
 public:
  PcieEndpoint(const BlockContext& context, const PcieEndpointConfig& config);
  ~PcieEndpoint() override;
  std::vector<Port> ports() override;
  void attached(const std::string& port, AddressSpace& bus, unsigned requester) override;

  PcieInitiatorSocket link;
  MemoryTargetSocket window;
  MemoryInitiatorSocket bus;
  IrqLine irq;
  [[nodiscard]] MemoryTargetSocket& regs() { return regs_.socket(); }
  /// Returns what senses the interrupt inputs; input n is vector n.
  [[nodiscard]] IrqSink& inputs() { return *this; }
  [[nodiscard]] const PcieEndpointCore& core() const { return core_; }

 private:
  // The name lives as long as this constructor, so that members become children of the module.
  PcieEndpoint(const sc_core::sc_module_name& name, const BlockContext& context, const PcieEndpointConfig& config);
  void before_end_of_elaboration() override;

  Time to_device(PcieRequest& request, Time when) override { return core_.to_device(request, when); }
  Time request(PcieRequest& request, Time when) override { return link->to_root(request, when); }
  CardResult card_access(bool write, std::uint64_t address, std::span<std::uint8_t> data, Time when,
                         unsigned nesting) override;
  void tell_at(const Notice& notice, Time when) override;
  void irq_changed() override { irq.set(core_.irq()); }
  void irq_changed(unsigned number, bool level) override;

  void b_transport(::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  ::tlm::tlm_sync_enum nb_transport_fw(::tlm::tlm_generic_payload& payload, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(::tlm::tlm_generic_payload& payload, ::tlm::tlm_dmi& dmi) override;
  unsigned int transport_dbg(::tlm::tlm_generic_payload& payload) override;
  ::tlm::tlm_sync_enum nb_transport_bw(::tlm::tlm_generic_payload& payload, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 /*start*/, sc_dt::uint64 /*end*/) override {}

  ::tlm::tlm_response_status serve(::tlm::tlm_generic_payload& payload, Time& at);
  ::tlm::tlm_response_status serve_enabled(::tlm::tlm_generic_payload& payload, Time& at);
  ::tlm::tlm_response_status charge(const ::tlm::tlm_generic_payload& payload, Time& at);
  ::tlm::tlm_response_status access(bool write, std::uint64_t offset, std::span<std::uint8_t> data, Time& at);
  void on_event();
  void rearm();

  const PcieEndpointConfig config_;
  PcieEndpointCore core_;
  RegisterTarget regs_;
  PcieOpenEnd open_;
  std::array<::tlm::tlm_generic_payload, PcieEndpointCore::kMaxNesting>
      payloads_;  // one for each access inside another
  TransferAttributes attributes_;
  struct Told {
    Time when;
    Notice notice;
  };
  std::vector<Told> told_;  // a heap, earliest first
  sc_core::sc_event event_;
  Time armed_ = kTimeMax;
};

}  // namespace dpusim::pcie
