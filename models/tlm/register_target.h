// The TLM side of a block of registers: checks the generic payload once, so that a device writes only its register
// accesses.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <utility>

#include "sim/registers.h"
#include "sim/systemc_time.h"
#include "tlm/block.h"
#include "tlm/transfer.h"

namespace dpusim {

/// A target socket (of the module that has this as a member) in front of registers: checks what the base protocol asks
/// of a payload, then makes one register access and adds its time to the initiator's delay. No direct memory interface.
/// @error What the initiator sees: address error where no register is; burst error for a size or alignment that the
/// register does not take, a length of 0 or above kLongest, or streaming; byte enable error for an enable octet other
/// than 0x00 and 0xff, or none at all; command error for an unknown command. In each case no register was touched.
/// @spec IEEE 1666-2011 clause 14 (byte enables shorter than the data repeat: 14.14).
class RegisterTarget : private ::tlm::tlm_fw_transport_if<> {
 public:
  /// One bus access. `data` is the payload's buffer; `enables` is empty or one octet a data octet.
  struct Access {
    std::uint64_t offset;
    std::span<std::uint8_t> data;
    std::span<const std::uint8_t> enables;
    bool write;
    Time when;  ///< the kernel's present time plus the initiator's offset
  };
  using Transport = std::function<RegisterResult(const Access&)>;
  /// Debug access: returns the number of octets done.
  using Debug = std::function<std::size_t(std::uint64_t offset, std::span<std::uint8_t> data, bool write)>;
  /// Longest access in octets that gets as far as Transport.
  static constexpr std::size_t kLongest = 64;

  /// Serves a bank, which outlives this. @param access time that each access adds to the initiator's delay.
  RegisterTarget(const char* name, Time access, RegisterBank& bank)
      : RegisterTarget(
            name, access,
            [&bank](const Access& a) {
              return a.write ? bank.write(a.offset, a.data, a.enables) : bank.read(a.offset, a.data, a.enables);
            },
            [&bank](std::uint64_t offset, std::span<std::uint8_t> data, bool write) {
              return write ? bank.debug_write(offset, data) : bank.debug_read(offset, data);
            }) {}
  /// Serves a device that does something before or after its bank's access, or has none.
  RegisterTarget(const char* name, Time access, Transport transport, Debug debug)
      : socket_(name), access_(access), transport_(std::move(transport)), debug_(std::move(debug)) {
    socket_.bind(*this);
  }
  [[nodiscard]] MemoryTargetSocket& socket() { return socket_; }
  /// Returns Access::when of the access under way, for hooks of the bank.
  [[nodiscard]] Time when() const { return when_; }

 private:
  void b_transport(::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    payload.set_response_status(serve(payload, delay));
    delay += to_sc(access_);
  }

  ::tlm::tlm_response_status serve(const ::tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay) {
    const std::size_t length = payload.get_data_length();
    if (payload.get_command() == ::tlm::TLM_IGNORE_COMMAND) return ::tlm::TLM_OK_RESPONSE;
    if (!payload.is_read() && !payload.is_write()) return ::tlm::TLM_COMMAND_ERROR_RESPONSE;
    const auto* attributes = payload.get_extension<TransferAttributes>();
    if (attributes != nullptr && attributes->timing_only) return ::tlm::TLM_OK_RESPONSE;  // may have no data pointer
    if (length == 0 || length > kLongest || payload.get_streaming_width() < length) {
      return ::tlm::TLM_BURST_ERROR_RESPONSE;
    }
    if (payload.get_data_ptr() == nullptr) return ::tlm::TLM_GENERIC_ERROR_RESPONSE;
    std::array<std::uint8_t, kLongest> repeated;
    std::span<const std::uint8_t> enables;
    if (const std::uint8_t* pattern = payload.get_byte_enable_ptr(); pattern != nullptr) {
      const std::size_t period = payload.get_byte_enable_length();
      if (period == 0) return ::tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
      for (std::size_t i = 0; i < length; ++i) {
        repeated[i] = pattern[i % period];
        if (repeated[i] != TLM_BYTE_ENABLED && repeated[i] != TLM_BYTE_DISABLED) {
          return ::tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
        }
      }
      enables = std::span(repeated).first(length);
    }
    when_ = now() + from_sc(delay);
    const Access access{payload.get_address(), {payload.get_data_ptr(), length}, enables, payload.is_write(), when_};
    switch (transport_(access)) {
      case RegisterResult::kOk:
        return ::tlm::TLM_OK_RESPONSE;
      case RegisterResult::kUnmapped:
        return ::tlm::TLM_ADDRESS_ERROR_RESPONSE;
      case RegisterResult::kBadSize:
        break;
    }
    return ::tlm::TLM_BURST_ERROR_RESPONSE;
  }

  // An access takes no more than its time, so the whole transaction completes with its request.
  ::tlm::tlm_sync_enum nb_transport_fw(::tlm::tlm_generic_payload& payload, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
    DPUSIM_CHECK(phase == ::tlm::BEGIN_REQ, "{}: phase {}", socket_.name(), static_cast<unsigned>(phase));
    b_transport(payload, delay);
    return ::tlm::TLM_COMPLETED;
  }

  bool get_direct_mem_ptr(::tlm::tlm_generic_payload& /*payload*/, ::tlm::tlm_dmi& dmi) override {
    dmi.allow_read_write();  // with the range: what is denied
    dmi.set_start_address(0);
    dmi.set_end_address(~0ULL);
    return false;
  }

  unsigned int transport_dbg(::tlm::tlm_generic_payload& payload) override {
    if ((!payload.is_read() && !payload.is_write()) || payload.get_data_ptr() == nullptr) return 0;
    return static_cast<unsigned>(
        debug_(payload.get_address(), {payload.get_data_ptr(), payload.get_data_length()}, payload.is_write()));
  }

  MemoryTargetSocket socket_;
  Time access_;
  Transport transport_;
  Debug debug_;
  Time when_{0};
};

}  // namespace dpusim
