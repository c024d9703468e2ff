// A plain memory target for tests of what stands in front of it, with switches that break the protocol on purpose.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <systemc>
#include <tlm>
#include <vector>

#include "tlm/block.h"
#include "tlm/payload_copy.h"
#include "tlm/transfer.h"

namespace dpusim::test {

class MemoryStub : public sc_core::sc_module, public ::tlm::tlm_fw_transport_if<> {
 public:
  MemoryStub(const sc_core::sc_module_name& name, std::size_t size, sc_core::sc_time latency = sc_core::SC_ZERO_TIME)
      : sc_module(name), octets(size), latency_(latency) {
    socket.bind(*this);
  }
  MemoryTargetSocket socket{"socket"};
  std::vector<std::uint8_t> octets;
  bool dmi = true;
  std::uint64_t last_address = ~0ULL;
  unsigned accesses = 0;
  struct Seen {
    bool write;
    std::uint64_t address;
    unsigned length;
    bool timing_only;
    bool operator==(const Seen&) const = default;
  };
  std::vector<Seen> seen;  ///< good accesses, in order
  /// Called at the end of b_transport: a test's chance to break a rule.
  std::function<void(::tlm::tlm_generic_payload&, sc_core::sc_time&)> sabotage;

  void b_transport(::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    ++accesses;
    last_address = payload.get_address();
    if (last_address + address_span(payload) > octets.size()) {
      payload.set_response_status(::tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    const auto* attributes = payload.get_extension<TransferAttributes>();
    const bool timing_only = attributes != nullptr && attributes->timing_only;
    if (!timing_only) copy_payload(payload, octets.data() + last_address);
    seen.push_back({payload.is_write(), last_address, payload.get_data_length(), timing_only});
    payload.set_response_status(::tlm::TLM_OK_RESPONSE);
    delay += latency_;
    if (sabotage) sabotage(payload, delay);
  }
  ::tlm::tlm_sync_enum nb_transport_fw(::tlm::tlm_generic_payload&, ::tlm::tlm_phase&, sc_core::sc_time&) override {
    return ::tlm::TLM_COMPLETED;
  }
  bool get_direct_mem_ptr(::tlm::tlm_generic_payload&, ::tlm::tlm_dmi& data) override {
    data.set_start_address(0);
    data.set_end_address(octets.size() - 1);
    if (!dmi) return false;
    data.set_dmi_ptr(octets.data());
    data.allow_read_write();
    return true;
  }
  unsigned int transport_dbg(::tlm::tlm_generic_payload& payload) override {
    const std::uint64_t address = payload.get_address();
    if (address >= octets.size() || payload.get_data_ptr() == nullptr) return 0;
    const auto count =
        static_cast<unsigned>(std::min<std::uint64_t>(payload.get_data_length(), octets.size() - address));
    if (payload.is_write()) {
      std::memcpy(octets.data() + address, payload.get_data_ptr(), count);
    } else {
      std::memcpy(payload.get_data_ptr(), octets.data() + address, count);
    }
    return count;
  }

 private:
  sc_core::sc_time latency_;
};

/// An initiator that a test drives by hand.
class InitiatorStub : public sc_core::sc_module, public ::tlm::tlm_bw_transport_if<> {
 public:
  explicit InitiatorStub(const sc_core::sc_module_name& name) : sc_module(name) { socket.bind(*this); }
  MemoryInitiatorSocket socket{"socket"};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> invalidated;

  ::tlm::tlm_sync_enum nb_transport_bw(::tlm::tlm_generic_payload&, ::tlm::tlm_phase&, sc_core::sc_time&) override {
    return ::tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override {
    invalidated.emplace_back(start, end);
  }

  /// Prepares a payload as a request must be.
  static void prepare(::tlm::tlm_generic_payload& payload, ::tlm::tlm_command command, std::uint64_t address,
                      void* data, unsigned length) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    payload.set_byte_enable_ptr(nullptr);
    payload.set_byte_enable_length(0);
    payload.set_dmi_allowed(false);
    payload.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE);
  }
  /// Makes an access at the kernel's present time. @return the response; `delay` is the time it took.
  ::tlm::tlm_response_status access(::tlm::tlm_command command, std::uint64_t address, void* data, unsigned length,
                                    sc_core::sc_time* delay = nullptr) {
    ::tlm::tlm_generic_payload payload;
    prepare(payload, command, address, data, length);
    sc_core::sc_time taken;
    socket->b_transport(payload, delay != nullptr ? *delay : taken);
    return payload.get_response_status();
  }
};

}  // namespace dpusim::test
