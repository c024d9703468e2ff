// What every bus does alike: mapping, connecting, debug access, direct memory access and its invalidation.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "tlm/address_map.h"
#include "tlm/bus_ports.h"
#include "tlm/dmi_window.h"

namespace dpusim {

/// Base of buses. Bus derives from BusBase<Bus> and has b_transport(unsigned port, payload, delay).
template <class Bus>
class BusBase : public sc_core::sc_module, public AddressSpace {
 public:
  void map(const std::string& name, std::uint64_t base, std::uint64_t size, MemoryTargetSocket& target) override {
    const auto number = static_cast<unsigned>(downstream_.size());
    map_.add(name, base, size, number);
    const HierarchyScope scope(*this);
    downstream_.push_back(std::make_unique<BusDownstreamPort<Bus>>(self(), number, name));
    downstream_.back()->socket().bind(target);
  }

  unsigned connect(const std::string& name, MemoryInitiatorSocket& initiator) override {
    const auto number = static_cast<unsigned>(upstream_.size());
    const HierarchyScope scope(*this);
    upstream_.push_back(std::make_unique<BusUpstreamPort<Bus>>(self(), number, name));
    initiator.bind(upstream_.back()->socket());
    return number;
  }

  /// An agent may stand behind several requesters (a cluster behind its cores' ports): it is told once of each write
  /// by others, and never of one by its own. @param requester a number that connect() has returned.
  void add_agent(unsigned requester, CoherentAgent& agent) override {
    DPUSIM_CHECK(requester < upstream_.size(), "{}: agent of requester {}, there are {}", name(), requester,
                 upstream_.size());
    const auto known = std::find_if(agents_.begin(), agents_.end(), [&](const Agent& a) { return a.agent == &agent; });
    if (known == agents_.end()) {
      agents_.push_back({&agent, {requester}});
    } else {
      known->requesters.push_back(requester);
    }
  }

  /// Forwards; what the target grants or denies is translated back and clipped to the mapping. Where nothing is mapped
  /// the whole hole is denied.
  bool get_direct_mem_ptr(unsigned /*port*/, ::tlm::tlm_generic_payload& payload, ::tlm::tlm_dmi& dmi) {
    const std::uint64_t address = payload.get_address();
    const AddressMap::Range* range = map_.find(address);
    if (range == nullptr) {
      const AddressMap::Hole hole = map_.hole(address);
      deny_dmi(dmi, hole.first, hole.last);
      return false;
    }
    payload.set_address(address - range->base);
    const bool granted = target(range->target)->get_direct_mem_ptr(payload, dmi);
    payload.set_address(address);
    to_bus_window(*range, dmi);
    return granted;
  }

  /// Forwards the part up to the end of the mapping. @return the number of octets moved.
  unsigned transport_dbg(::tlm::tlm_generic_payload& payload) {
    const std::uint64_t address = payload.get_address();
    const unsigned length = payload.get_data_length();
    const AddressMap::Range* range = map_.find(address);
    if (range == nullptr) return 0;
    payload.set_address(address - range->base);
    payload.set_data_length(static_cast<unsigned>(std::min<std::uint64_t>(length, range->octets_from(address))));
    const unsigned done = target(range->target)->transport_dbg(payload);
    payload.set_data_length(length);
    payload.set_address(address);
    return done;
  }

  /// Passes on to every initiator, in the bus's addresses.
  void invalidate_direct_mem_ptr(unsigned number, std::uint64_t start, std::uint64_t end) {
    for (const AddressMap::Range& range : map_.ranges()) {
      if (range.target != number) continue;
      const DmiWindow window = to_bus_window(range, start, end);
      if (window.empty) continue;
      for (auto& port : upstream_) port->socket()->invalidate_direct_mem_ptr(window.first, window.last);
    }
  }

  [[nodiscard]] const AddressMap& address_map() const { return map_; }

 protected:
  explicit BusBase(const sc_core::sc_module_name& name) : sc_module(name) {}
  [[nodiscard]] MemoryInitiatorSocket& target(unsigned number) { return downstream_[number]->socket(); }
  /// Tells all agents but the writer's own of a write.
  void snoop(unsigned port, std::uint64_t address, std::uint64_t length) {
    for (const Agent& agent : agents_) {
      const auto& own = agent.requesters;
      if (std::find(own.begin(), own.end(), port) == own.end()) agent.agent->snoop_write(address, length);
    }
  }

 private:
  struct Agent {
    CoherentAgent* agent;
    std::vector<unsigned> requesters;
  };
  Bus& self() { return static_cast<Bus&>(*this); }

  AddressMap map_;
  std::vector<std::unique_ptr<BusUpstreamPort<Bus>>> upstream_;
  std::vector<std::unique_ptr<BusDownstreamPort<Bus>>> downstream_;
  std::vector<Agent> agents_;
};

}  // namespace dpusim
