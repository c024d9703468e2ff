// The coherent crossbar: joins cores, devices and memory, with the last-level cache in the middle.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "interconnect/crossbar_config.h"
#include "interconnect/crossbar_timing.h"
#include "interconnect/last_level_cache.h"
#include "sim/occupancy.h"
#include "sim/simulation.h"
#include "tlm/bus_base.h"
#include "tlm/transfer.h"

namespace dpusim::interconnect {

/// Statistics and shared resources of one initiator's port.
struct CrossbarPort {
  explicit CrossbarPort(StatGroup& group);
  Counter transactions, octets_read, octets_written, errors, l3_hits, l3_misses;
  Histogram latency;
  Occupancy read_data, write_data;
  bool is_core = false;  ///< has a coherent agent
};

/// Routes accesses, charges hops, ports and the last-level cache, keeps cores' caches coherent with devices' writes.
///
/// A target that grants direct read and write access to all of its mapping is memory: its lines are cached. Everything
/// else is a device. The cache has tags only: octets always move between the requester and the memory's own store, and
/// what the cache would read from or write to memory becomes timing_only accesses there. Functional fidelity: two hops,
/// no cache, no contention.
class Crossbar : public BusBase<Crossbar>, public Block {
 public:
  Crossbar(const BlockContext& context, const CrossbarConfig& config);
  ~Crossbar() override;

  std::vector<Port> ports() override { return {}; }
  void map(const std::string& name, std::uint64_t base, std::uint64_t size, MemoryTargetSocket& target) override;
  unsigned connect(const std::string& name, MemoryInitiatorSocket& initiator) override;
  void add_agent(unsigned requester, CoherentAgent& agent) override;

  /// @error TLM_ADDRESS_ERROR_RESPONSE when nothing is mapped there or the access crosses the end of a mapping.
  void b_transport(unsigned port, ::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  /// Forgets what it knows of the target's memory, and passes on.
  void invalidate_direct_mem_ptr(unsigned number, std::uint64_t start, std::uint64_t end);

  [[nodiscard]] const LastLevelCache* last_level_cache() const { return cache_ ? &*cache_ : nullptr; }

 private:
  struct Target {
    bool known = false;              ///< has been asked for direct access
    std::uint8_t* memory = nullptr;  ///< octet 0 of a memory; nullptr for a device
  };
  Crossbar(const sc_core::sc_module_name& name, const BlockContext& context, const CrossbarConfig& config);
  void learn(const AddressMap::Range& range, Target& target);
  /// What an access needs to be looked at for only once.
  struct Access {
    CrossbarPort& port;
    unsigned number;
    const AddressMap::Range& range;
    std::uint64_t address, span;
    const TransferAttributes* attributes;
    Time kernel;
  };
  /// When the first octets can leave for the requester, and when the last ones have come.
  struct Ready {
    Time first, last;
  };
  Time access_memory(const Access& access, bool is_write, Time at);
  Ready read_memory(const Access& access, Time at, bool allocate);
  Time write_memory(const Access& access, Time at, bool allocate);
  void access_device(const Access& access, ::tlm::tlm_generic_payload& payload, Time& at);
  Time transfer(const Access& access, std::span<const LastLevelCache::Run> runs, bool is_write, Time at,
                Counter& count);

  const CrossbarConfig config_;
  const bool functional_;
  StatGroup& stats_;
  const BeatTime port_beats_, l3_beats_;
  std::optional<LastLevelCache> cache_;
  Occupancy l3_data_;
  Counter fetched_, written_, written_back_;
  std::vector<Target> targets_;
  std::vector<std::unique_ptr<CrossbarPort>> port_;
  ::tlm::tlm_generic_payload downstream_payload_;
  TransferAttributes downstream_attributes_;
  bool downstream_busy_ = false;
};

}  // namespace dpusim::interconnect
