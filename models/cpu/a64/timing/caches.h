// The private caches of a cluster's cores: L1I and L1D of each core, an L2 for each group of cores; tags only. No
// SystemC.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "cache/tag_array.h"
#include "cpu/a64/timing/timing_model.h"

namespace dpusim::cpu {

/// Shapes and latencies; cycles are load-to-use of the core's clock.
struct CacheConfig {
  cache::Geometry l1d{Bytes(32 * 1024), 2, Bytes(64)}, l1i{Bytes(48 * 1024), 3, Bytes(64)},
      l2{Bytes(1024 * 1024), 16, Bytes(64)};
  unsigned cores = 1, cores_per_l2 = 2;
  std::uint32_t l2_cycles = 7;  ///< an L2 hit beyond an L1 hit: 11.2 - 4 measured (reference rows B054, B055)
  std::uint32_t snoop_cycles =
      20;                       ///< taking a line, or ownership of it, from another core of the cluster; not calibrated
  unsigned prefetch_lines = 6;  ///< how far ahead of a detected stream lines are fetched; 0 is off; not calibrated
  unsigned store_misses = 6;    ///< store misses in flight before the core waits; not calibrated
};

/// Where misses of the cluster go; implemented by the SystemC module.
class MissPort {
 public:
  virtual ~MissPort() = default;
  /// Fetches a line that no cache of the cluster has. The call may let other cores run. @return cycles until it is
  /// there.
  virtual std::uint32_t fill(unsigned core, std::uint64_t line, bool for_write) = 0;
  /// Makes an access that no cache keeps. The call may let other cores run. @param size octets, within one line.
  /// @return cycles until it is done;
  /// here those of a line.
  virtual std::uint32_t uncached(unsigned core, std::uint64_t physical, unsigned /*size*/, bool write) {
    return fill(core, physical & ~std::uint64_t{63}, write);
  }
  /// Sends a dirty line to memory; nobody waits for it.
  virtual void write_back(unsigned core, std::uint64_t line) = 0;
  /// Returns the core's present cycle, for misses in flight.
  [[nodiscard]] virtual std::uint64_t cycle(unsigned core) = 0;
};

/// What the caches have counted for a core (L1) or through it (L2).
struct CacheCounters {
  std::uint64_t l1d_refills = 0, l1i_refills = 0, l2_accesses = 0, l2_refills = 0, l2_write_backs = 0, snoops = 0,
                prefetches = 0;
};

/// Keeps the tags coherent (a line is dirty in one L1 at most, and then in no other cache) and tells engines which
/// lines they may access without asking: the most recently used of each L1D set.
class Caches {
 public:
  Caches(const CacheConfig& config, MissPort& port);
  /// Names the engine of a core.
  void connect(unsigned core, Lines& lines) { cores_[core].lines = &lines; }
  AccessTiming data_access(unsigned core, std::uint64_t physical, bool write);
  /// An access that no cache keeps.
  std::uint32_t uncached_access(unsigned core, std::uint64_t physical, unsigned size, bool write);
  std::uint32_t fetch(unsigned core, std::uint64_t physical, std::uint32_t size);
  /// Returns the cycles until all store misses of the core are done.
  std::uint32_t drain_stores(unsigned core);
  /// Removes lines that somebody outside of the cluster has written.
  void snoop_write(std::uint64_t physical, std::uint64_t size);
  [[nodiscard]] const CacheCounters& counters(unsigned core) const { return cores_[core].counters; }
  /// Tells whether a line is in a core's L1D (for tests).
  [[nodiscard]] bool in_l1d(unsigned core, std::uint64_t physical) const { return cores_[core].l1d.present(physical); }

 private:
  static constexpr std::uint64_t kNoLine = 1;
  static constexpr unsigned kStreams = 8, kPending = 64;
  struct Stream {
    std::uint64_t next = kNoLine;
    unsigned confidence = 0;
    std::uint64_t ahead = 0;
  };
  struct Pending {
    std::uint64_t line = kNoLine, ready = 0;
  };
  struct Core {
    explicit Core(const CacheConfig& config);
    cache::TagArray l1d, l1i;
    std::vector<std::uint64_t> kept;    ///< by L1D set: the line that the engine may keep
    std::vector<std::uint64_t> stores;  ///< cycle at which each store miss in flight is done
    std::array<Stream, kStreams> streams{};
    std::array<Pending, kPending> pending{};  ///< prefetched lines on their way
    unsigned next_stream = 0, next_pending = 0;
    std::vector<std::uint64_t> leaving;  ///< dirty lines that its misses pushed out of the L2, not yet written back
    Lines* lines = nullptr;
    CacheCounters counters;
  };
  cache::TagArray& l2_of(unsigned core) { return *l2_[core / config_.cores_per_l2]; }
  void keep(Core& core, std::uint64_t line);
  void drop_l1(Core& core, std::uint64_t line);
  /// Brings a line into the L2 of a core. @return cycles beyond the L1.
  std::uint32_t bring(unsigned core, std::uint64_t line, bool write);
  void install_l2(unsigned core, std::uint64_t line);
  /// Fetches a line from the bus into the L2, shared or owned as at the moment when it comes. @return cycles.
  std::uint32_t fetch_line(unsigned core, std::uint64_t line, bool write);
  /// Sends what install_l2 pushed out; lets other cores run, so nothing may depend on tags looked up before.
  void write_back_leaving(unsigned core);
  /// Takes a line from the other cores of the cluster, for reading or for writing. @return whether one had it.
  bool snoop_cluster(unsigned core, std::uint64_t line, bool write);
  void train(unsigned core, std::uint64_t line);
  std::uint32_t store_stall(Core& core, unsigned number, std::uint32_t latency);

  CacheConfig config_;
  MissPort& port_;
  std::vector<Core> cores_;
  std::vector<std::unique_ptr<cache::TagArray>> l2_;
};

}  // namespace dpusim::cpu
