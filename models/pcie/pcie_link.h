// A PCI Express link as a SystemC module.
#pragma once

#include "pcie/pcie_link_engine.h"
#include "pcie/pcie_open_end.h"
#include "tlm/block.h"

namespace dpusim::pcie {

/// Simulates both directions of a link with its two ports: rate, headers, splitting, latency, tags. A side that nobody
/// is connected to answers every request with Unsupported Request, as an empty slot does.
class PcieLink : public sc_core::sc_module,
                 public Block,
                 private PcieUpstream,
                 private PcieDownstream,
                 private PcieLinkEnvironment {
 public:
  PcieLink(const BlockContext& context, const PcieLinkConfig& config);
  std::vector<Port> ports() override;

  PcieTargetSocket device;   ///< a device's link socket is bound to this
  PcieInitiatorSocket root;  ///< binds to a root complex or a switch
  [[nodiscard]] const PcieLinkEngine& engine() const { return engine_; }

 private:
  // The name lives as long as this constructor, so that members become children of the module.
  PcieLink(const sc_core::sc_module_name& name, const BlockContext& context, const PcieLinkConfig& config);
  void before_end_of_elaboration() override;
  Time to_root(PcieRequest& request, Time when) override {
    return engine_.request(Direction::kUpstream, request, when);
  }
  Time to_device(PcieRequest& request, Time when) override {
    return engine_.request(Direction::kDownstream, request, when);
  }
  Time complete(Direction direction, PcieRequest& piece, Time arrival) override {
    return direction == Direction::kUpstream ? root->to_root(piece, arrival) : device->to_device(piece, arrival);
  }
  [[nodiscard]] Time present() const override;

  PcieLinkEngine engine_;
  PcieOpenEnd open_;
};

}  // namespace dpusim::pcie
