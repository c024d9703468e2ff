// The ends of frame links: members that take calls for their owner, and what closes a socket that nobody connected.
#pragma once

#include "tlm/ethernet.h"

namespace dpusim::net {

/// Takes the frames of one of its owner's target sockets. @param Method Time (unsigned link, FramePtr, Time start).
template <class Owner, Time (Owner::*Method)(unsigned, FramePtr, Time)>
class FrameEntry : public EthernetForward {
 public:
  FrameEntry(Owner& owner, unsigned link) : owner_(owner), link_(link) {}
  Time send(FramePtr frame, Time start) override { return (owner_.*Method)(link_, std::move(frame), start); }

 private:
  Owner& owner_;
  unsigned link_;
};

/// Takes the flow control of one of its owner's initiator sockets. @param Method void (unsigned link, Time until,
/// uint8_t priorities).
template <class Owner, void (Owner::*Method)(unsigned, Time, std::uint8_t)>
class PauseEntry : public EthernetBackward {
 public:
  PauseEntry(Owner& owner, unsigned link) : owner_(owner), link_(link) {}
  void pause(Time until, std::uint8_t priorities) override { (owner_.*Method)(link_, until, priorities); }

 private:
  Owner& owner_;
  unsigned link_;
};

/// An unplugged cable: swallows frames as fast as they come, never pauses.
class OpenEnd : public EthernetForward, public EthernetBackward {
 public:
  Time send(FramePtr /*frame*/, Time start) override { return start; }
  void pause(Time /*until*/, std::uint8_t /*priorities*/) override {}
  /// Plugs itself into a socket that has no peer. Call before the end of elaboration.
  void close(EthernetInitiatorSocket& socket) {
    if (socket.bind_count() == 0) socket.get_base_port().bind(static_cast<EthernetForward&>(*this));
  }
  void close(EthernetTargetSocket& socket) {
    if (socket.get_base_port().bind_count() == 0) socket.get_base_port().bind(static_cast<EthernetBackward&>(*this));
  }
};

}  // namespace dpusim::net
