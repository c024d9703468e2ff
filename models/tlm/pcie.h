// How PCI Express transactions pass between endpoint, link, switch and root complex: whole at the sockets, packets inside a link.
#pragma once

#include <cstdint>
#include <span>
#include <tlm>

#include "sim/units.h"
#include "tlm/pcie_tlp.h"

namespace dpusim {

/// A request as its requester makes it and its completer answers it: of any length and alignment. A link on the way splits it into
/// packets by MPS, MRRS and RCB, charges them, and passes on to the completer in the pieces that it would see.
struct PcieRequest {
  TlpType type = TlpType::kMemoryRead;  ///< a memory or configuration request
  std::uint64_t address = 0;            ///< memory: of the first octet; configuration: register number in octets
  std::span<std::uint8_t> data{};       ///< what is written, or where what is read goes; memory: 1 octet or more
  PcieId requester{};
  PcieId target{};  ///< of configuration requests
  CompletionStatus status = CompletionStatus::kSuccessful;  ///< out: anything else means that no octet of a read is valid
  Time sent{0};  ///< out: when the first link on the way has sent the request's last packet, and the requester may send the next
};

/// Names the protocol for TLM's binding check (IEEE 1666-2011 13.2.3).
struct PcieProtocol {};

/// Forward path, towards the root complex: what a device requests (DMA, MSI-X).
class PcieUpstream : public virtual sc_core::sc_interface {
 public:
  using protocol_types = PcieProtocol;
  /// Does the request, which leaves at `when` or as soon as it can. Values move at the call; what is not yet visible to software at the
  /// other end is told to it with its time. @return when it is done: a read's last octet is there, a posted write has reached the
  /// completer, a configuration write's completion has come.
  virtual Time to_root(PcieRequest& request, Time when) = 0;
};

/// Backward path, towards the devices: what the host requests (configuration, BARs).
class PcieDownstream : public virtual sc_core::sc_interface {
 public:
  using protocol_types = PcieProtocol;
  /// See PcieUpstream::to_root.
  virtual Time to_device(PcieRequest& request, Time when) = 0;
};

/// The device's side of a connection is the initiator, the side nearer to the root the target.
using PcieInitiatorSocket = ::tlm::tlm_base_initiator_socket<0, PcieUpstream, PcieDownstream>;
using PcieTargetSocket = ::tlm::tlm_base_target_socket<0, PcieUpstream, PcieDownstream>;

}  // namespace dpusim
