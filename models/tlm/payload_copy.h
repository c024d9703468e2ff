// Moves a payload's octets to or from storage, with byte enables and streaming.
#pragma once

#include <cstdint>
#include <cstring>
#include <tlm>

namespace dpusim {

/// Tells whether the payload is one contiguous run of octets (no byte enables, no streaming): the usual case.
inline bool is_contiguous(const ::tlm::tlm_generic_payload& payload) {
  return payload.get_byte_enable_ptr() == nullptr && payload.get_streaming_width() >= payload.get_data_length();
}

/// Returns the number of octets of address space the payload touches from its address on.
/// @spec IEEE 1666-2011 14.15: data beyond the streaming width wraps to the start address.
inline std::uint64_t address_span(const ::tlm::tlm_generic_payload& payload) {
  const unsigned length = payload.get_data_length();
  const unsigned width = payload.get_streaming_width();
  return width < length ? width : length;
}

/// Reads or writes storage as the payload's command, byte enables and streaming width say (IEEE
/// 1666-2011 14.14, 14.15).
/// @param storage where the payload's address lies; address_span() octets must be there.
inline void copy_payload(::tlm::tlm_generic_payload& payload, std::uint8_t* storage) {
  std::uint8_t* data = payload.get_data_ptr();
  const unsigned length = payload.get_data_length();
  const bool write = payload.is_write();
  if (!write && !payload.is_read()) return;
  if (is_contiguous(payload)) [[likely]] {
    if (write) {
      std::memcpy(storage, data, length);
    } else {
      std::memcpy(data, storage, length);
    }
    return;
  }
  const std::uint8_t* enables = payload.get_byte_enable_ptr();
  const unsigned enable_length = payload.get_byte_enable_length();
  const unsigned width = payload.get_streaming_width();
  for (unsigned i = 0; i < length; ++i) {
    if (enables != nullptr && enables[i % enable_length] == TLM_BYTE_DISABLED) continue;
    std::uint8_t& cell = storage[i % width];
    if (write) {
      cell = data[i];
    } else {
      data[i] = cell;
    }
  }
}

}  // namespace dpusim
