// Writes octets into a card's memory before time starts, as a debugger would.
#pragma once

#include <string>
#include <systemc>

#include "platform/card.h"
#include "platform/firmware_loader.h"

namespace dpusim::platform {

/// An initiator on the card's bus that only uses debug transport.
class MemoryLoader : public sc_core::sc_module, private ::tlm::tlm_bw_transport_if<> {
 public:
  explicit MemoryLoader(const sc_core::sc_module_name& name);
  MemoryInitiatorSocket bus;
  /// Has an image's segments and zeros written when simulation starts, before any core fetches. Before elaboration.
  /// @param image outlives this. @error ConfigError when a segment lies where no memory is, with the memory that there
  /// is.
  void load(const FirmwareImage& image, const std::vector<Card::Mapping>& mappings);

 private:
  void start_of_simulation() override;
  void write(const Segment& segment);
  void write(std::uint64_t address, const std::uint8_t* data, std::uint64_t size);
  ::tlm::tlm_sync_enum nb_transport_bw(::tlm::tlm_generic_payload&, ::tlm::tlm_phase&, sc_core::sc_time&) override {
    return ::tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  std::vector<const FirmwareImage*> images_;
};

}  // namespace dpusim::platform
