#include "tlm/router.h"

#include "tlm/payload_copy.h"
#include "tlm/transfer.h"

namespace dpusim {

void Router::b_transport(unsigned port, ::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  const AddressMap::Range* range = address_map().find(address);
  const std::uint64_t length =
      std::max<std::uint64_t>(address_span(payload), 1);  // an IGNORE command may have length 0
  if (range == nullptr || !range->contains(address, length)) {
    payload.set_response_status(::tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  payload.set_address(address - range->base);
  target(range->target)->b_transport(payload, delay);
  payload.set_address(address);
  if (!payload.is_write() || !payload.is_response_ok()) return;
  const auto* attributes = payload.get_extension<TransferAttributes>();
  if (attributes == nullptr || (attributes->coherent && !attributes->timing_only)) snoop(port, address, length);
}

}  // namespace dpusim
