// The two ends that every bus is made of: a port for each initiator and a port for each target, without callbacks or
// allocation on the way through.
#pragma once

#include <algorithm>
#include <string>
#include <systemc>
#include <tlm>

#include "sim/error.h"
#include "tlm/block.h"

namespace dpusim {

/// Makes objects that are built while it lives children of `parent`. Elaboration only.
class HierarchyScope {
 public:
  // IEEE 1666-2011 has no means to add a child to a module from outside its constructor; libsystemc 2.3 does it this
  // way.
  explicit HierarchyScope(sc_core::sc_module& parent) : context_(*parent.simcontext()) {
    context_.hierarchy_push(&parent);
  }
  ~HierarchyScope() { context_.hierarchy_pop(); }
  HierarchyScope(const HierarchyScope&) = delete;
  HierarchyScope& operator=(const HierarchyScope&) = delete;

 private:
  sc_core::sc_simcontext& context_;
};

/// Returns a name that the kernel takes: a '.' would separate hierarchy levels (IEEE 1666-2011 5.17).
inline std::string kernel_name(std::string text) {
  std::replace(text.begin(), text.end(), '.', '_');
  return sc_core::sc_gen_unique_name(text.c_str(), true);
}

/// What one initiator is bound to. Bus has b_transport, get_direct_mem_ptr and transport_dbg that take the port's
/// number first.
template <class Bus>
class BusUpstreamPort : public ::tlm::tlm_fw_transport_if<> {
 public:
  BusUpstreamPort(Bus& bus, unsigned number, const std::string& initiator)
      : socket_(kernel_name("from_" + initiator).c_str()), bus_(bus), number_(number) {
    socket_.bind(*this);
  }
  [[nodiscard]] MemoryTargetSocket& socket() { return socket_; }

  void b_transport(::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    bus_.b_transport(number_, payload, delay);
  }
  /// Completes at once with the time annotated, which the base protocol allows a target to do (IEEE
  /// 1666-2011 15.2.3, 15.2.5).
  ::tlm::tlm_sync_enum nb_transport_fw(::tlm::tlm_generic_payload& payload, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
    if (phase == ::tlm::BEGIN_REQ) bus_.b_transport(number_, payload, delay);
    return ::tlm::TLM_COMPLETED;
  }
  bool get_direct_mem_ptr(::tlm::tlm_generic_payload& payload, ::tlm::tlm_dmi& dmi) override {
    return bus_.get_direct_mem_ptr(number_, payload, dmi);
  }
  unsigned int transport_dbg(::tlm::tlm_generic_payload& payload) override { return bus_.transport_dbg(payload); }

 private:
  MemoryTargetSocket socket_;
  Bus& bus_;
  const unsigned number_;
};

/// What one target is bound to. Bus has invalidate_direct_mem_ptr that takes the port's number first.
template <class Bus>
class BusDownstreamPort : public ::tlm::tlm_bw_transport_if<> {
 public:
  BusDownstreamPort(Bus& bus, unsigned number, const std::string& target)
      : socket_(kernel_name("to_" + target).c_str()), bus_(bus), number_(number) {
    socket_.bind(*this);
  }
  [[nodiscard]] MemoryInitiatorSocket& socket() { return socket_; }

  ::tlm::tlm_sync_enum nb_transport_bw(::tlm::tlm_generic_payload& payload, ::tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
    DPUSIM_CHECK(false, "{}: a backward call for a transaction that was never sent non-blocking (address {:#x})",
                 socket_.name(), payload.get_address());
    return ::tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override {
    bus_.invalidate_direct_mem_ptr(number_, start, end);
  }

 private:
  MemoryInitiatorSocket socket_;
  Bus& bus_;
  const unsigned number_;
};

}  // namespace dpusim
