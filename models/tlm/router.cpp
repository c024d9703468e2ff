#include "tlm/router.h"

#include <algorithm>

#include "tlm/dmi_window.h"
#include "tlm/transfer.h"

namespace dpusim {

void Router::map(const std::string& name, std::uint64_t base, std::uint64_t size, MemoryTargetSocket& target) {
  const auto number = static_cast<unsigned>(downstream_.size());
  map_.add(name, base, size, number);
  const HierarchyScope scope(*this);
  downstream_.push_back(std::make_unique<BusDownstreamPort<Router>>(*this, number, name));
  downstream_.back()->socket().bind(target);
}

unsigned Router::connect(const std::string& name, MemoryInitiatorSocket& initiator) {
  const auto number = static_cast<unsigned>(upstream_.size());
  const HierarchyScope scope(*this);
  upstream_.push_back(std::make_unique<BusUpstreamPort<Router>>(*this, number, name));
  initiator.bind(upstream_.back()->socket());
  return number;
}

void Router::add_agent(unsigned requester, CoherentAgent& agent) { agents_.push_back({requester, &agent}); }

void Router::snoop(unsigned port, const ::tlm::tlm_generic_payload& payload) {
  const auto* attributes = payload.get_extension<TransferAttributes>();
  if (attributes != nullptr && (attributes->timing_only || !attributes->coherent)) return;
  for (const Agent& agent : agents_) {
    if (agent.requester != port) agent.agent->snoop_write(payload.get_address(), payload.get_data_length());
  }
}

void Router::b_transport(unsigned port, ::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  const AddressMap::Range* range = map_.find(address);
  const std::uint64_t length = std::max(payload.get_data_length(), 1U);  // an IGNORE command may have length 0
  if (range == nullptr || !range->contains(address, length)) {
    payload.set_response_status(::tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  payload.set_address(address - range->base);
  downstream_[range->target]->socket()->b_transport(payload, delay);
  payload.set_address(address);
  if (!agents_.empty() && payload.is_write() && payload.is_response_ok()) snoop(port, payload);
}

bool Router::get_direct_mem_ptr(unsigned /*port*/, ::tlm::tlm_generic_payload& payload, ::tlm::tlm_dmi& dmi) {
  const std::uint64_t address = payload.get_address();
  const AddressMap::Range* range = map_.find(address);
  if (range == nullptr) {
    const AddressMap::Hole hole = map_.hole(address);
    deny_dmi(dmi, hole.first, hole.last);
    return false;
  }
  payload.set_address(address - range->base);
  const bool granted = downstream_[range->target]->socket()->get_direct_mem_ptr(payload, dmi);
  payload.set_address(address);
  to_bus_window(*range, dmi);
  return granted;
}

unsigned Router::transport_dbg(::tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  const unsigned length = payload.get_data_length();
  const AddressMap::Range* range = map_.find(address);
  if (range == nullptr) return 0;
  payload.set_address(address - range->base);
  payload.set_data_length(static_cast<unsigned>(std::min<std::uint64_t>(length, range->octets_from(address))));
  const unsigned done = downstream_[range->target]->socket()->transport_dbg(payload);
  payload.set_data_length(length);
  payload.set_address(address);
  return done;
}

void Router::invalidate_direct_mem_ptr(unsigned target, std::uint64_t start, std::uint64_t end) {
  for (const AddressMap::Range& range : map_.ranges()) {
    if (range.target != target) continue;
    const DmiWindow window = to_bus_window(range, start, end);
    if (window.empty) continue;
    for (auto& port : upstream_) port->socket()->invalidate_direct_mem_ptr(window.first, window.last);
  }
}

}  // namespace dpusim
