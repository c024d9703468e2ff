// A bus without time: takes every initiator's accesses to the target that its address map names.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "tlm/address_map.h"
#include "tlm/bus_ports.h"

namespace dpusim {

/// Decodes and translates addresses and forwards blocking transport, debug transport and direct memory pointers. Adds
/// no time. Buses with time of their own derive from it or use BusUpstreamPort and BusDownstreamPort.
class Router : public sc_core::sc_module, public AddressSpace {
 public:
  explicit Router(const sc_core::sc_module_name& name) : sc_module(name) {}

  void map(const std::string& name, std::uint64_t base, std::uint64_t size, MemoryTargetSocket& target) override;
  unsigned connect(const std::string& name, MemoryInitiatorSocket& initiator) override;
  void add_agent(unsigned requester, CoherentAgent& agent) override;

  /// Forwards an access; the target sees the address relative to its mapping, the caller gets its own back.
  /// @error TLM_ADDRESS_ERROR_RESPONSE when nothing is mapped there or the access crosses the end of a mapping.
  void b_transport(unsigned port, ::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  /// Forwards; what the target grants or denies is translated back and clipped to the mapping. Where nothing is mapped
  /// the whole hole is denied.
  bool get_direct_mem_ptr(unsigned port, ::tlm::tlm_generic_payload& payload, ::tlm::tlm_dmi& dmi);
  /// Forwards the part up to the end of the mapping. @return the number of octets moved.
  unsigned transport_dbg(::tlm::tlm_generic_payload& payload);
  /// Passes on to every initiator, for every mapping of the target, in the bus's addresses.
  void invalidate_direct_mem_ptr(unsigned target, std::uint64_t start, std::uint64_t end);
  [[nodiscard]] const AddressMap& address_map() const { return map_; }

 private:
  void snoop(unsigned port, const ::tlm::tlm_generic_payload& payload);

  struct Agent {
    unsigned requester;
    CoherentAgent* agent;
  };
  AddressMap map_;
  std::vector<std::unique_ptr<BusUpstreamPort<Router>>> upstream_;
  std::vector<std::unique_ptr<BusDownstreamPort<Router>>> downstream_;
  std::vector<Agent> agents_;
};

}  // namespace dpusim
