// The frame protocol between a wire, a MAC and what stands behind it, over TLM sockets.
#pragma once

#include <tlm>

#include "tlm/frame.h"

namespace dpusim {

/// Names the protocol for TLM's binding check (IEEE 1666-2011 13.2.3).
struct EthernetProtocol {};

/// Forward path of a frame link: the sender calls, the receiver implements.
class EthernetForward : public virtual sc_core::sc_interface {
 public:
  using protocol_types = EthernetProtocol;
  /// Takes a frame whose first bit is on the link at `start`, no earlier than the kernel's present time and in order of
  /// `start`. On a wire, that is the first bit of preamble and the last bit follows wire_time() less the gap later; on
  /// the link between a MAC and the blocks behind it, a frame is there whole at `start`.
  /// @return the earliest `start` of the next frame (a sender that offers one sooner has broken the protocol).
  virtual Time send(FramePtr frame, Time start) = 0;
};

/// Backward path of a frame link: flow control from receiver to sender.
class EthernetBackward : public virtual sc_core::sc_interface {
 public:
  using protocol_types = EthernetProtocol;
  /// Stops (until > now) or resumes (until <= now) the sender for the priorities in `priorities` (bit mask, 0xff: all).
  virtual void pause(Time until, std::uint8_t priorities) = 0;
};

/// Full duplex takes one initiator (what I send) and one target (what I receive) on each side.
using EthernetInitiatorSocket = ::tlm::tlm_base_initiator_socket<0, EthernetForward, EthernetBackward>;
using EthernetTargetSocket = ::tlm::tlm_base_target_socket<0, EthernetForward, EthernetBackward>;

}  // namespace dpusim
