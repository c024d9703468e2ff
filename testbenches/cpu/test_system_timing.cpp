// Static costs by hand from the class table (latencies: reference rows B010..B035), and the caches' bookkeeping.
#include <catch2/catch.hpp>

#include <functional>
#include <set>
#include <utility>

#include "cpu/a64/timing/caches.h"
#include "cpu/a64/timing/static_cost.h"

namespace dpusim::cpu {

namespace {

std::uint32_t cost(std::initializer_list<CostedOp> ops) {
  const std::vector<CostedOp> list(ops);
  return static_cost(cortex_a72_timing(), list);
}
// Encodings: ADD X0, X0, X1; ADD X2, X3, X4; MUL X0, X0, X1; LDR X0, [X0]; LDR X1, [X2]; STR X1, [X2]; FADD D0, D0, D1.
constexpr CostedOp kChain{Cost::kAlu, 0x8b01'0000}, kFree{Cost::kAlu, 0x8b04'0062},
    kMul{Cost::kMultiplyLong, 0x9b01'7c00}, kChase{Cost::kLoad, 0xf940'0000}, kLoad{Cost::kLoad, 0xf940'0041},
    kStore{Cost::kStore, 0xf900'0041}, kFadd{Cost::kFpAdd, 0x1e61'2800};

struct Port final : MissPort {
  std::uint64_t now = 0;
  std::vector<std::uint64_t> fills, write_backs;
  std::function<void()> meanwhile;  // what another core does during the next fill
  struct Uncached {
    std::uint64_t physical;
    unsigned size;
    bool write;
    bool operator==(const Uncached&) const = default;
  };
  std::vector<Uncached> uncached_accesses;
  std::uint32_t fill(unsigned, std::uint64_t line, bool) override {
    fills.push_back(line);
    if (meanwhile) std::exchange(meanwhile, {})();
    return 200;
  }
  std::uint32_t uncached(unsigned, std::uint64_t physical, unsigned size, bool write) override {
    uncached_accesses.push_back({physical, size, write});
    return 150;
  }
  void write_back(unsigned, std::uint64_t line) override { write_backs.push_back(line); }
  std::uint64_t cycle(unsigned) override { return now; }
};
struct Kept final : Lines {
  std::vector<std::uint64_t> evicted, cleaned;
  void evict_line(std::uint64_t line) override { evicted.push_back(line); }
  void clean_line(std::uint64_t line) override { cleaned.push_back(line); }
  void fetch_evicted() override {}
};
CacheConfig small(unsigned cores) {
  CacheConfig config;
  config.cores = cores;
  config.prefetch_lines = 0;
  config.store_misses = 2;
  return config;
}

}  // namespace

TEST_CASE("Static cost is bounded by dispatch, by units, and by recurrences") {
  CHECK(cost({}) == 0);
  CHECK(cost({kFree, kFree, kFree}) == 2);             // two integer pipes
  CHECK(cost({kFree, kFree, kStore}) == 1);            // three wide
  CHECK(cost({kLoad, kLoad, kLoad, kLoad}) == 4);      // one load pipe, no dependence
  CHECK(cost({kChain, kChain, kChain, kChain}) == 4);  // 1 cycle each: B027
  CHECK(cost({kMul, kMul}) == 10);                     // 5 cycles each: B029
  CHECK(cost({kChase, kChase}) == 8);                  // 4 cycles each: B054
  CHECK(cost({kFadd, kFadd}) == 8);                    // 4 cycles each: B034
}

TEST_CASE("The cost of a block never falls as instructions are appended") {
  // MOVZ X0, #0 ends the chain through X0 without making what came before cheaper.
  const std::vector<CostedOp> ops{kMul, kMul, {Cost::kMove, 0xd280'0000}, kChain, kFree, kStore, kLoad, kChase};
  std::uint32_t last = 0;
  for (std::size_t n = 1; n <= ops.size(); ++n) {
    const std::uint32_t now = static_cost(cortex_a72_timing(), std::span(ops).first(n));
    CHECK(now >= last);
    last = now;
  }
}

TEST_CASE("A line is filled once, kept, and costs the L2 after L1 evicted it") {
  Port port;
  Kept kept;
  Caches caches(small(1), port);
  caches.connect(0, kept);
  AccessTiming t = caches.data_access(0, 0x1008, false);
  CHECK(t.cycles == 207);  // the bus, and 7 beyond the L1
  CHECK(t.keep_read);
  CHECK_FALSE(t.keep_write);
  CHECK(port.fills == std::vector<std::uint64_t>{0x1000});
  t = caches.data_access(0, 0x1010, true);
  CHECK(t.cycles == 0);
  CHECK(t.keep_write);
  // Two more lines of the set (256 sets of 64 octets: 16 KiB apart) push it out of the two ways.
  caches.data_access(0, 0x5000, false);
  CHECK(kept.evicted == std::vector<std::uint64_t>{0x1000});  // no longer the most recent of its set
  caches.data_access(0, 0x9000, false);
  CHECK_FALSE(caches.in_l1d(0, 0x1000));
  CHECK(caches.data_access(0, 0x1000, false).cycles == 7);
  CHECK(caches.counters(0).l1d_refills == 4);
  CHECK(caches.counters(0).l2_refills == 3);
}

TEST_CASE("Store misses are hidden until all slots are taken, and a barrier waits for them") {
  Port port;
  Caches caches(small(1), port);
  CHECK(caches.data_access(0, 0x1000, true).cycles == 0);
  CHECK(caches.data_access(0, 0x2040, true).cycles == 0);
  CHECK(caches.data_access(0, 0x3080, true).cycles == 207);  // two slots: waits for the first
  port.now = 207;
  CHECK(caches.drain_stores(0) == 207);  // the third began at 207
  port.now = 414;
  CHECK(caches.drain_stores(0) == 0);
}

TEST_CASE("Cores of one cluster take lines from one another") {
  Port port;
  std::array<Kept, 4> kept;
  Caches caches(small(4), port);
  for (unsigned core = 0; core < 4; ++core) caches.connect(core, kept[core]);
  caches.data_access(0, 0x1000, true);
  // Another pair of cores reads the dirty line: from the cluster, not from the bus; the owner may not write unseen any
  // more.
  CHECK(caches.data_access(2, 0x1000, false).cycles == 7 + 20);
  CHECK(port.fills.size() == 1);
  CHECK(kept[0].cleaned == std::vector<std::uint64_t>{0x1000});
  // The reader writes: the first one's copy goes.
  caches.data_access(2, 0x1000, true);
  CHECK_FALSE(caches.in_l1d(0, 0x1000));
  CHECK(kept[0].evicted == std::vector<std::uint64_t>{0x1000});
  // A device writes: nobody has it.
  caches.snoop_write(0x1020, 4);
  CHECK_FALSE(caches.in_l1d(2, 0x1000));
  CHECK(caches.data_access(2, 0x1000, false).cycles == 207);
}

TEST_CASE("A line that another core takes while a miss waits for the bus is taken back, so one owner is left") {
  // Cores 0 and 1 share an L2, core 2 has another.
  for (const unsigned other : {1u, 2u}) {
    INFO("other core " << other);
    Port port;
    std::array<Kept, 4> kept;
    Caches caches(small(4), port);
    for (unsigned core = 0; core < 4; ++core) caches.connect(core, kept[core]);
    // Both write: the one whose fill ends last owns the line, and the other is told that it may not write unseen.
    port.meanwhile = [&] { CHECK(caches.data_access(other, 0x1000, true).keep_write); };
    CHECK(caches.data_access(0, 0x1000, true).keep_write);
    CHECK(caches.in_l1d(0, 0x1000));
    CHECK_FALSE(caches.in_l1d(other, 0x1000));
    CHECK(kept[other].evicted == std::vector<std::uint64_t>{0x1000});
    CHECK(caches.counters(other).snoops == 1);
    // One reads while the other writes: both have it, the writer's is clean again, and the transfer costs 20 more.
    port.meanwhile = [&] { CHECK(caches.data_access(other, 0x2000, true).keep_write); };
    const AccessTiming read = caches.data_access(0, 0x2000, false);
    CHECK(read.cycles == 7 + 200 + 20);
    CHECK(read.keep_read);
    CHECK_FALSE(read.keep_write);
    CHECK(kept[other].cleaned == std::vector<std::uint64_t>{0x2000});
  }
}

TEST_CASE("Accesses that no cache keeps go to the bus as they are") {
  Port port;
  Caches caches(small(1), port);
  CHECK(caches.uncached_access(0, 0x1008, 4, false) == 150);
  CHECK(caches.uncached_access(0, 0x2010, 8, true) == 0);  // a store in flight
  CHECK(port.uncached_accesses == std::vector<Port::Uncached>{{0x1008, 4, false}, {0x2010, 8, true}});
  CHECK(port.fills.empty());
  CHECK(caches.drain_stores(0) == 150);
}

TEST_CASE("A dirty line that leaves the L2 is written back once and leaves the L1 too") {
  Port port;
  Caches caches(small(1), port);
  caches.data_access(0, 0, true);
  // 1024 sets of 16 ways: lines 64 KiB apart share a set. The L1 (2 ways) evicts line 0 when line 2 comes, which uses
  // it in the L2, so the L2 drops lines 1 and 2 for lines 16 and 17, and line 0 for line 18.
  for (std::uint64_t way = 1; way <= 17; ++way) caches.data_access(0, way << 16, false);
  CHECK(port.write_backs.empty());
  caches.data_access(0, std::uint64_t{18} << 16, false);
  CHECK(port.write_backs == std::vector<std::uint64_t>{0});
  CHECK_FALSE(caches.in_l1d(0, 0));
}

TEST_CASE("A stream is fetched ahead within its page") {
  Port port;
  CacheConfig config = small(1);
  config.prefetch_lines = 4;
  Caches caches(config, port);
  caches.data_access(0, 0x1000, false);
  caches.data_access(0, 0x1040, false);
  CHECK(caches.counters(0).prefetches == 0);
  caches.data_access(0, 0x1080, false);
  CHECK(caches.counters(0).prefetches == 4);  // 0x10c0..0x1180
  CHECK(port.fills.back() == 0x1180);
  port.now = 150;
  CHECK(caches.data_access(0, 0x10c0, false).cycles == 7 + 50);  // still on its way
  port.now = 1000;
  CHECK(caches.data_access(0, 0x1100, false).cycles == 7);
  for (std::uint64_t line = 0x1140; line < 0x2000; line += 64) caches.data_access(0, line, false);
  const std::set<std::uint64_t> distinct(port.fills.begin(), port.fills.end());
  CHECK(distinct.size() == port.fills.size());  // no line twice
  CHECK(*distinct.rbegin() == 0x1fc0);          // and none of the next page
}

}  // namespace dpusim::cpu
