// What closes a PCI Express socket that nobody connected.
#pragma once

#include "tlm/pcie.h"

namespace dpusim::pcie {

/// An empty slot: every request is unsupported.
class PcieOpenEnd : public PcieUpstream, public PcieDownstream {
 public:
  Time to_root(PcieRequest& request, Time when) override { return refuse(request, when); }
  Time to_device(PcieRequest& request, Time when) override { return refuse(request, when); }
  /// Plugs itself into a socket that has no peer. Call before the end of elaboration.
  void close(PcieInitiatorSocket& socket) {
    if (socket.bind_count() == 0) socket.get_base_port().bind(static_cast<PcieUpstream&>(*this));
  }
  void close(PcieTargetSocket& socket) {
    if (socket.get_base_port().bind_count() == 0) socket.get_base_port().bind(static_cast<PcieDownstream&>(*this));
  }

 private:
  static Time refuse(PcieRequest& request, Time when) {
    request.status = CompletionStatus::kUnsupportedRequest;
    request.sent = when;
    return when;
  }
};

}  // namespace dpusim::pcie
