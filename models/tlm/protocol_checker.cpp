#include "tlm/protocol_checker.h"

#include <cstring>
#include <optional>

#include "sim/systemc_time.h"

namespace dpusim {

/// The payload as it was when the call came.
struct ProtocolChecker::Before {
  explicit Before(const ::tlm::tlm_generic_payload& p)
      : command(p.get_command()),
        address(p.get_address()),
        data(p.get_data_ptr()),
        length(p.get_data_length()),
        width(p.get_streaming_width()),
        enables(p.get_byte_enable_ptr()),
        enable_length(p.get_byte_enable_length()),
        status(p.get_response_status()),
        has_mm(p.has_mm()) {
    if (const auto* extension = p.get_extension<TransferAttributes>()) attributes = *extension;
    if (data != nullptr) octets.assign(data, data + length);
    if (enables != nullptr) enable_octets.assign(enables, enables + enable_length);
  }
  ::tlm::tlm_command command;
  std::uint64_t address;
  const unsigned char* data;
  unsigned length, width;
  const unsigned char* enables;
  unsigned enable_length;
  ::tlm::tlm_response_status status;
  bool has_mm;
  std::optional<TransferAttributes> attributes;
  std::vector<unsigned char> octets, enable_octets;
};

ProtocolChecker::ProtocolChecker(const sc_core::sc_module_name& name) : sc_module(name) {
  target.bind(static_cast<::tlm::tlm_fw_transport_if<>&>(*this));
  initiator.bind(static_cast<::tlm::tlm_bw_transport_if<>&>(*this));
}

std::string ProtocolChecker::report() const {
  std::string text;
  for (const std::string& violation : violations_) text += violation + '\n';
  return text;
}

void ProtocolChecker::found(const char* clause, const std::string& what, const ::tlm::tlm_generic_payload& payload) {
  violations_.push_back(fmt::format("{}: {} at {} ps, address {:#x}, {}: {} ({})", name(), call_, now().count(),
                                    payload.get_address(),
                                    payload.is_read()    ? "read"
                                    : payload.is_write() ? "write"
                                                         : "ignore",
                                    what, clause));
}

void ProtocolChecker::check_request(const ::tlm::tlm_generic_payload& payload) {
  const bool moves = payload.is_read() || payload.is_write();
  const auto* attributes = payload.get_extension<TransferAttributes>();
  const bool timing_only = attributes != nullptr && attributes->timing_only;
  if (moves && payload.get_data_ptr() == nullptr && !timing_only) found("14.11 e", "data pointer is null", payload);
  if (moves && payload.get_data_length() == 0) found("14.12 d", "data length is 0", payload);
  if (payload.get_byte_enable_ptr() != nullptr && payload.get_byte_enable_length() == 0) {
    found("14.14 f", "byte enable length is 0", payload);
  }
  if (payload.get_streaming_width() == 0) found("14.15 f", "streaming width is 0", payload);
  if (payload.is_dmi_allowed()) found("14.16", "DMI hint is set in a request", payload);
  if (payload.get_response_status() != ::tlm::TLM_INCOMPLETE_RESPONSE) {
    found("14.17 e", "response status of a request is " + payload.get_response_string(), payload);
  }
  if (payload.get_gp_option() != ::tlm::TLM_MIN_PAYLOAD) found("14.8 g", "gp_option is not TLM_MIN_PAYLOAD", payload);
}

void ProtocolChecker::check_unchanged(const Before& before, const ::tlm::tlm_generic_payload& payload) {
  if (payload.get_command() != before.command) found("14.7", "command was changed", payload);
  if (payload.get_data_ptr() != before.data) found("14.7", "data pointer was changed", payload);
  if (payload.get_data_length() != before.length) found("14.7", "data length was changed", payload);
  if (payload.get_streaming_width() != before.width) found("14.7", "streaming width was changed", payload);
  const bool enables_moved = payload.get_byte_enable_ptr() != before.enables;
  if (enables_moved) found("14.7", "byte enable pointer was changed", payload);
  if (payload.get_byte_enable_length() != before.enable_length)
    found("14.7", "byte enable length was changed", payload);
  if (!enables_moved && before.enables != nullptr && !before.enable_octets.empty() &&
      std::memcmp(before.enables, before.enable_octets.data(), before.enable_octets.size()) != 0) {
    found("14.7", "byte enable array was changed", payload);
  }
  if (!before.has_mm && payload.has_mm()) found("14.5 aa", "a memory manager was set and not cleared", payload);
  if (payload.get_address() != before.address) {
    found("dpusim", fmt::format("address was not restored, it was {:#x}", before.address), payload);
  }
  const auto* attributes = payload.get_extension<TransferAttributes>();
  if ((attributes != nullptr) != before.attributes.has_value()) {
    found("14.5 aa", "TransferAttributes were added or removed", payload);
  } else if (attributes != nullptr) {
    const TransferAttributes& was = *before.attributes;
    if (attributes->requester != was.requester || attributes->timing_only != was.timing_only ||
        attributes->allocate != was.allocate || attributes->coherent != was.coherent ||
        attributes->secure != was.secure) {
      found("dpusim", "TransferAttributes were changed", payload);
    }
  }
}

void ProtocolChecker::check_data(const Before& before, const ::tlm::tlm_generic_payload& payload) {
  if (before.data == nullptr || payload.get_data_ptr() != before.data) return;
  const bool timing_only = before.attributes.has_value() && before.attributes->timing_only;
  const bool read = before.command == ::tlm::TLM_READ_COMMAND && !timing_only;
  for (unsigned i = 0; i < before.length; ++i) {
    if (before.data[i] == before.octets[i]) continue;
    const bool enabled = before.enables == nullptr || before.enable_length == 0 ||
                         before.enable_octets[i % before.enable_length] != TLM_BYTE_DISABLED;
    if (read && enabled) continue;
    found(timing_only ? "dpusim"
          : read      ? "14.14"
                      : "14.7",
          fmt::format("data octet {} was changed by a {}", i,
                      timing_only ? "timing_only access"
                      : read      ? "read although it is not enabled"
                                  : "command that is not a read"),
          payload);
    return;
  }
}

void ProtocolChecker::b_transport(::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  ++calls_;
  call_ = "b_transport";
  check_request(payload);
  const Before before(payload);
  const sc_core::sc_time due = sc_core::sc_time_stamp() + delay;
  initiator->b_transport(payload, delay);
  call_ = "b_transport";
  check_unchanged(before, payload);
  check_data(before, payload);
  if (payload.get_response_status() == ::tlm::TLM_INCOMPLETE_RESPONSE)
    found("14.17 e", "response status was not set", payload);
  if (sc_core::sc_time_stamp() + delay < due) found("15.2.7 c", "the timing annotation went back", payload);
}

::tlm::tlm_sync_enum ProtocolChecker::nb_transport_fw(::tlm::tlm_generic_payload& payload, ::tlm::tlm_phase& phase,
                                                      sc_core::sc_time& delay) {
  ++calls_;
  call_ = "nb_transport_fw";
  if (!payload.has_mm()) found("14.5 i", "a non-blocking transaction has no memory manager", payload);
  if (payload.has_mm() && payload.get_ref_count() == 0) found("14.5 t", "reference count is 0", payload);
  if (phase == ::tlm::BEGIN_REQ) {
    check_request(payload);
  } else if (phase != ::tlm::END_RESP && phase < 5U) {
    found("15.2.3 c", "phase does not belong on the forward path", payload);
  }
  return initiator->nb_transport_fw(payload, phase, delay);
}

::tlm::tlm_sync_enum ProtocolChecker::nb_transport_bw(::tlm::tlm_generic_payload& payload, ::tlm::tlm_phase& phase,
                                                      sc_core::sc_time& delay) {
  ++calls_;
  call_ = "nb_transport_bw";
  if (phase != ::tlm::END_REQ && phase != ::tlm::BEGIN_RESP && phase < 5U) {
    found("15.2.3 c", "phase does not belong on the backward path", payload);
  }
  if (phase == ::tlm::BEGIN_RESP && payload.get_response_status() == ::tlm::TLM_INCOMPLETE_RESPONSE) {
    found("14.17 e", "response status was not set", payload);
  }
  return target->nb_transport_bw(payload, phase, delay);
}

void ProtocolChecker::check_dmi(const Before& before, bool granted, const ::tlm::tlm_generic_payload& payload,
                                const ::tlm::tlm_dmi& dmi) {
  if (before.address < dmi.get_start_address() || before.address > dmi.get_end_address()) {
    found("11.2.5 u",
          fmt::format("window {:#x}..{:#x} does not hold the address", dmi.get_start_address(), dmi.get_end_address()),
          payload);
  }
  if (!granted) return;
  if (dmi.get_dmi_ptr() == nullptr) found("11.2.5 f", "direct access granted with a null pointer", payload);
  const bool covers = before.command == ::tlm::TLM_WRITE_COMMAND ? dmi.is_write_allowed() : dmi.is_read_allowed();
  if (!covers) found("11.2.5 a", "direct access granted without the right that was asked for", payload);
}

bool ProtocolChecker::get_direct_mem_ptr(::tlm::tlm_generic_payload& payload, ::tlm::tlm_dmi& dmi) {
  ++calls_;
  call_ = "get_direct_mem_ptr";
  if (dmi.get_dmi_ptr() != nullptr || !dmi.is_none_allowed() || dmi.get_start_address() != 0 ||
      dmi.get_end_address() != ~sc_dt::uint64{0}) {
    found("11.2.5 a", "DMI descriptor is not in its initial state", payload);
  }
  const Before before(payload);
  const bool granted = initiator->get_direct_mem_ptr(payload, dmi);
  call_ = "get_direct_mem_ptr";
  check_unchanged(before, payload);
  check_dmi(before, granted, payload, dmi);
  if (payload.get_response_status() != before.status) found("dpusim", "a DMI call set the response status", payload);
  return granted;
}

unsigned int ProtocolChecker::transport_dbg(::tlm::tlm_generic_payload& payload) {
  ++calls_;
  call_ = "transport_dbg";
  if (payload.get_data_length() > 0 && payload.get_data_ptr() == nullptr)
    found("11.3.4 l", "data pointer is null", payload);
  const Before before(payload);
  const sc_core::sc_time at = sc_core::sc_time_stamp();
  const unsigned count = initiator->transport_dbg(payload);
  call_ = "transport_dbg";
  check_unchanged(before, payload);
  if (before.command != ::tlm::TLM_READ_COMMAND) check_data(before, payload);
  if (count > before.length) found("11.3.4 s", fmt::format("{} of {} octets moved", count, before.length), payload);
  if (sc_core::sc_time_stamp() != at) found("11.3.4", "a debug access took simulated time", payload);
  if (payload.get_response_status() != before.status)
    found("dpusim", "a debug access set the response status", payload);
  return count;
}

void ProtocolChecker::invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) {
  ++calls_;
  call_ = "invalidate_direct_mem_ptr";
  if (start > end) {
    violations_.push_back(fmt::format("{}: {}: range {:#x}..{:#x} is empty (11.2.6)", name(), call_, start, end));
  }
  target->invalidate_direct_mem_ptr(start, end);
}

}  // namespace dpusim
