// A memory initiator for tests of devices.
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>

#include "sim/systemc_time.h"
#include "tlm/block.h"

namespace dpusim {

/// Makes single little-endian accesses and tells their response and delay.
class BusInitiator : public sc_core::sc_module, private ::tlm::tlm_bw_transport_if<> {
 public:
  explicit BusInitiator(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") { socket.bind(*this); }
  ::tlm::tlm_response_status access(bool write, std::uint64_t address, std::uint32_t& value, Time& delay,
                                    unsigned size = 4) {
    ::tlm::tlm_generic_payload payload;
    payload.set_command(write ? ::tlm::TLM_WRITE_COMMAND : ::tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(size);
    payload.set_streaming_width(size);
    sc_core::sc_time time = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, time);
    delay = from_sc(time);
    return payload.get_response_status();
  }
  MemoryInitiatorSocket socket;

 private:
  ::tlm::tlm_sync_enum nb_transport_bw(::tlm::tlm_generic_payload& /*payload*/, ::tlm::tlm_phase& /*phase*/,
                                       sc_core::sc_time& /*delay*/) override {
    return ::tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64 /*first*/, sc_dt::uint64 /*last*/) override {}
};

}  // namespace dpusim
