// A CRC-32 accelerator: registers, memory reads, an interrupt. The model of a user, outside dpusim's tree.
#pragma once

#include <span>

#include "crc_core.h"
#include "sim/config.h"
#include "sim/simulation.h"
#include "tlm/block.h"
#include "tlm/register_target.h"

namespace example {

struct CrcEngineConfig {
  dpusim::Frequency clock{500'000'000};
  unsigned octets_per_cycle = 16;
  dpusim::Time access{20'000};
  static const dpusim::ConfigTable<CrcEngineConfig>& table();
};

/// Reads a job's octets in bursts of 64, one after the other, and computes their CRC; each burst takes the bus's time,
/// or the engine's when that is longer.
class CrcEngine : public sc_core::sc_module, public dpusim::Block, private ::tlm::tlm_bw_transport_if<> {
 public:
  CrcEngine(const dpusim::BlockContext& context, const CrcEngineConfig& config);
  std::vector<dpusim::Port> ports() override;
  void attached(const std::string& port, dpusim::AddressSpace& bus, unsigned requester) override;

 private:
  CrcEngine(const sc_core::sc_module_name& name, const dpusim::BlockContext& context, const CrcEngineConfig& config);
  void start();
  void on_burst();
  void end_job(bool error);
  void update_line();
  ::tlm::tlm_sync_enum nb_transport_bw(::tlm::tlm_generic_payload&, ::tlm::tlm_phase&, sc_core::sc_time&) override {
    return ::tlm::TLM_COMPLETED;  // only blocking calls are made
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}  // no direct access is kept

  CrcEngineConfig config_;
  bool functional_;
  dpusim::RegisterBank bank_;
  dpusim::RegisterTarget registers_;
  dpusim::MemoryInitiatorSocket memory_;
  dpusim::IrqLine irq_;
  sc_core::sc_event burst_;
  CrcCore core_;
  std::uint64_t next_ = 0, left_ = 0;
  unsigned requester_ = 0;
  dpusim::Counter jobs_, octets_, errors_;
};

/// Returns the types of this library.
std::span<const dpusim::BlockType> block_types();

}  // namespace example
