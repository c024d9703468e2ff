#include <catch2/catch.hpp>

#include "interconnect/last_level_cache.h"

using namespace dpusim;
using namespace dpusim::literals;
using interconnect::LastLevelCache;

namespace {

// 4 sets of 2 ways: lines 256 octets apart share a set.
const cache::Geometry kSmall{512_B, 2, 64_B};

std::vector<std::pair<std::uint64_t, std::uint64_t>> runs(std::span<const LastLevelCache::Run> list) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
  for (const auto& run : list) all.emplace_back(run.address, run.octets);
  return all;
}
using Runs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

}  // namespace

TEST_CASE("a read fetches the lines it misses, in runs") {
  LastLevelCache cache(kSmall);
  auto found = cache.read(0x50, 0x60, true);  // touches lines 0x40 and 0x80
  CHECK(found.hits == 0);
  CHECK(found.misses == 2);
  CHECK(found.kept == 0);
  CHECK(runs(found.fetches) == Runs{{0x40, 0x80}});
  CHECK(found.write_backs.empty());
  found = cache.read(0, 0x100, true);  // 0x00 and 0xc0 are missing: two runs
  CHECK(found.hits == 2);
  CHECK(found.misses == 2);
  CHECK(runs(found.fetches) == Runs{{0, 0x40}, {0xc0, 0x40}});
  CHECK(cache.read(0xff, 1, true).hits == 1);
}

TEST_CASE("a read that does not allocate leaves nothing behind") {
  LastLevelCache cache(kSmall);
  CHECK(runs(cache.read(0, 64, false).fetches) == Runs{{0, 64}});
  CHECK_FALSE(cache.tags().present(0));
}

TEST_CASE("an allocating write fetches only lines that it does not cover") {
  LastLevelCache cache(kSmall);
  auto found = cache.write(0x20, 0xa0, true);  // half of 0x00, all of 0x40 and 0x80
  CHECK(found.misses == 3);
  CHECK(found.kept == 3);
  CHECK(runs(found.fetches) == Runs{{0, 0x40}});
  CHECK(found.writes.empty());
  CHECK(cache.tags().dirty(0x00));
  CHECK(cache.tags().dirty(0x80));
  found = cache.write(0x7f, 1, false);  // a hit on part of a line stays in the cache even without allocation
  CHECK(found.hits == 1);
  CHECK(found.kept == 1);
  CHECK(found.writes.empty());
}

TEST_CASE("a write around the cache takes whole lines out of it") {
  LastLevelCache cache(kSmall);
  cache.write(0x40, 64, true);
  const auto found = cache.write(0x40, 0x90, false);  // lines 0x40 (hit, dirty), 0x80 (miss), 16 octets of 0xc0 (miss)
  CHECK(found.hits == 1);
  CHECK(found.misses == 2);
  CHECK(found.kept == 0);
  CHECK(runs(found.writes) == Runs{{0x40, 0x90}});
  CHECK(found.write_backs.empty());  // what was dirty has been overwritten
  CHECK(found.fetches.empty());
  CHECK_FALSE(cache.tags().present(0x40));
}

TEST_CASE("dirty lines that have to leave are written back, clean ones are not") {
  LastLevelCache cache(kSmall);
  cache.write(0x000, 0x100, true);  // one dirty line in each set
  cache.read(0x100, 0x100, true);   // one clean line in each set
  auto found = cache.write(0x200, 0x80, true);
  CHECK(runs(found.write_backs) == Runs{{0x000, 0x80}});  // the older, dirty ones, as one run
  found = cache.write(0x300, 0x80, true);
  CHECK(found.write_backs.empty());        // 0x100 and 0x140 were clean
  found = cache.read(0x400, 0x100, true);  // sets 0, 1: 0x200, 0x240 dirty; sets 2, 3: 0x080, 0x0c0 dirty
  CHECK(runs(found.write_backs) == Runs{{0x200, 0x80}, {0x080, 0x80}});
}

TEST_CASE("the last line of the address space is a line like others") {
  LastLevelCache cache(kSmall);
  const std::uint64_t last = UINT64_MAX - 63;
  CHECK(runs(cache.write(last, 64, false).writes) == Runs{{last, 64}});
  CHECK(cache.write(UINT64_MAX, 1, true).misses == 1);
  CHECK(cache.read(last, 64, true).hits == 1);
}
