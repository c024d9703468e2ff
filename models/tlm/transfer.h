// The payload extension that says who makes a memory access and how it is to be treated.
#pragma once

#include <cstdint>
#include <tlm>

namespace dpusim {

/// Attributes of a memory access, in the words of AMBA. Set by the initiator, read by interconnect and memory.
struct TransferAttributes : ::tlm::tlm_extension<TransferAttributes> {
  std::uint16_t requester =
      0;  ///< number of the initiator, as registered with the interconnect; for statistics and QoS
  bool timing_only =
      false;  ///< charge time, move no octets: a cache line fill or write-back of a core, whose caches keep tags only
  bool allocate = false;  ///< the last-level cache may allocate the lines (DDIO-style for devices, always for cores)
  bool coherent = true;   ///< cores' tags of the lines are to be invalidated (write) or cleaned (read)
  bool secure = false;

  [[nodiscard]] ::tlm::tlm_extension_base* clone() const override { return new TransferAttributes(*this); }
  void copy_from(const ::tlm::tlm_extension_base& other) override {
    *this = static_cast<const TransferAttributes&>(other);
  }
};

}  // namespace dpusim
