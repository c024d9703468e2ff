// A bus without time: takes every initiator's accesses to the target that its address map names.
#pragma once

#include "tlm/bus_base.h"

namespace dpusim {

/// Decodes and translates addresses and forwards blocking transport, debug transport and direct memory pointers. Adds
/// no time. Registered agents hear of others' coherent writes.
class Router : public BusBase<Router> {
 public:
  explicit Router(const sc_core::sc_module_name& name) : BusBase(name) {}
  /// Forwards an access; the target sees the address relative to its mapping, the caller gets its own back.
  /// @error TLM_ADDRESS_ERROR_RESPONSE when nothing is mapped there or the access crosses the end of a mapping.
  void b_transport(unsigned port, ::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
};

}  // namespace dpusim
