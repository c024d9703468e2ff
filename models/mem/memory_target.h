// What all memories have in common: a target socket, contents, direct memory access, statistics. Their timing is given
// to them.
#pragma once

#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "mem/backing_store.h"
#include "mem/memory_timing.h"
#include "sim/stats.h"
#include "tlm/block.h"

namespace dpusim::mem {

/// Traffic and latency of a memory.
struct MemoryStats {
  explicit MemoryStats(StatGroup& group);
  Counter reads, writes, octets_read, octets_written, errors;
  Histogram read_latency, write_latency;
  Formula bandwidth;
};

/// A memory behind one socket. Contents are exact whatever the timing; accesses outside of it are address errors.
class MemoryTarget : public sc_core::sc_module, public Block, public ::tlm::tlm_fw_transport_if<> {
 public:
  /// @param timing given and kept.
  MemoryTarget(const sc_core::sc_module_name& name, const BlockContext& context, Bytes capacity,
               std::unique_ptr<MemoryTiming> timing);

  MemoryTargetSocket socket{"socket"};

  std::vector<Port> ports() override;
  [[nodiscard]] const BackingStore& store() const { return store_; }
  [[nodiscard]] const MemoryStats& stats() const { return stats_; }

  /// Accesses the contents and charges the timing model. A timing_only access is charged and moves nothing.
  /// @error TLM_ADDRESS_ERROR_RESPONSE outside of the memory, TLM_BYTE_ENABLE_ERROR_RESPONSE for enables of length 0.
  void b_transport(::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  ::tlm::tlm_sync_enum nb_transport_fw(::tlm::tlm_generic_payload& payload, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(::tlm::tlm_generic_payload& payload, ::tlm::tlm_dmi& dmi) override;
  unsigned int transport_dbg(::tlm::tlm_generic_payload& payload) override;

 private:
  [[nodiscard]] ::tlm::tlm_response_status check(const ::tlm::tlm_generic_payload& payload) const;

  BackingStore store_;
  std::unique_ptr<MemoryTiming> timing_;
  MemoryStats stats_;
};

}  // namespace dpusim::mem
