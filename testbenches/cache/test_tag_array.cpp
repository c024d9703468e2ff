#include <catch2/catch.hpp>
#include <list>
#include <vector>

#include "cache/tag_array.h"
#include "sim/error.h"
#include "sim/random.h"

using namespace dpusim;
using namespace dpusim::literals;
using cache::Geometry;
using cache::TagArray;

namespace {

// Reference: a list a set, in order of use.
class ListCache {
 public:
  ListCache(std::uint64_t sets, unsigned ways) : ways_(ways), sets_(sets) {}
  struct Line {
    std::uint64_t number;
    bool dirty;
  };
  std::list<Line>& set(std::uint64_t line) { return sets_[line % sets_.size()]; }
  bool lookup(std::uint64_t line, bool write) {
    auto& lines = set(line);
    for (auto it = lines.begin(); it != lines.end(); ++it) {
      if (it->number != line) continue;
      it->dirty |= write;
      lines.splice(lines.begin(), lines, it);
      return true;
    }
    return false;
  }
  TagArray::Victim fill(std::uint64_t line, bool dirty) {
    auto& lines = set(line);
    TagArray::Victim victim;
    if (lines.size() == ways_) {
      victim = {lines.back().number * 64, true, lines.back().dirty};
      lines.pop_back();
    }
    lines.push_front({line, dirty});
    return victim;
  }
  TagArray::Victim invalidate(std::uint64_t line) {
    auto& lines = set(line);
    for (auto it = lines.begin(); it != lines.end(); ++it) {
      if (it->number != line) continue;
      const TagArray::Victim victim{line * 64, true, it->dirty};
      lines.erase(it);
      return victim;
    }
    return {};
  }

 private:
  unsigned ways_;
  std::vector<std::list<Line>> sets_;
};

}  // namespace

TEST_CASE("geometry: sets are size over ways and line, and impossible shapes are refused") {
  CHECK(TagArray({6_MiB, 16, 64_B}).sets() == 6'144);
  CHECK(TagArray({48_KiB, 3, 64_B}).sets() == 256);  // Cortex-A72 L1I
  CHECK(TagArray({32_KiB, 2, 64_B}).sets() == 256);  // Cortex-A72 L1D
  CHECK(TagArray({64_B, 1, 64_B}).sets() == 1);
  CHECK_THROWS_AS(TagArray({32_KiB, 2, 48_B}), ConfigError);
  CHECK_THROWS_AS(TagArray({32_KiB, 2, 4_B}), ConfigError);
  CHECK_THROWS_AS(TagArray({32_KiB, 0, 64_B}), ConfigError);
  CHECK_THROWS_AS(TagArray({32_KiB, 65, 64_B}), ConfigError);
  CHECK_THROWS_AS(TagArray({32_KiB, 3, 64_B}), ConfigError);
  CHECK_THROWS_AS(TagArray({0_B, 1, 64_B}), ConfigError);
}

TEST_CASE("a line is there from fill to eviction, to the octet") {
  TagArray tags({8_KiB, 2, 64_B});
  CHECK_FALSE(tags.lookup(0x1000, false));
  CHECK_FALSE(tags.fill(0x1010, false).valid);  // any octet of the line
  CHECK(tags.lookup(0x1000, false));
  CHECK(tags.lookup(0x103f, false));
  CHECK_FALSE(tags.lookup(0xfff, false));
  CHECK_FALSE(tags.lookup(0x1040, false));
  CHECK(tags.line_of(0x103f) == 0x1000);
}

TEST_CASE("the least recently used line of the set leaves") {
  TagArray tags({8_KiB, 2, 64_B});  // 64 sets: addresses 4 KiB apart share a set
  tags.fill(0x0000, false);
  tags.fill(0x1000, true);
  CHECK(tags.lookup(0x0000, false));  // now 0x1000 is the older
  const auto victim = tags.fill(0x2000, false);
  CHECK(victim.valid);
  CHECK(victim.dirty);
  CHECK(victim.address == 0x1000);
  CHECK(tags.present(0x0000));
  CHECK_FALSE(tags.present(0x1000));
  CHECK(tags.present(0x0000));  // looking without use does not save it
  CHECK(tags.lookup(0x2000, false));
  CHECK(tags.fill(0x3000, false).address == 0x0000);
}

TEST_CASE("writes make a line dirty, cleaning and invalidation report it once") {
  TagArray tags({8_KiB, 2, 64_B});
  tags.fill(0x40, false);
  CHECK_FALSE(tags.dirty(0x40));
  CHECK_FALSE(tags.clean(0x40));
  tags.lookup(0x44, true);
  CHECK(tags.dirty(0x40));
  CHECK(tags.lookup(0x48, false));
  CHECK(tags.dirty(0x40));  // a read does not clean
  CHECK(tags.clean(0x7f));
  CHECK_FALSE(tags.dirty(0x40));
  tags.lookup(0x40, true);
  const auto removed = tags.invalidate(0x60);
  CHECK(removed.valid);
  CHECK(removed.dirty);
  CHECK(removed.address == 0x40);
  CHECK_FALSE(tags.invalidate(0x40).valid);
  CHECK_FALSE(tags.present(0x40));
}

TEST_CASE("clearing tells how many dirty lines were lost") {
  TagArray tags({8_KiB, 2, 64_B});
  tags.fill(0x0, true);
  tags.fill(0x40, false);
  tags.fill(0x80, true);
  CHECK(tags.clear() == 2);
  CHECK(tags.clear() == 0);
  CHECK_FALSE(tags.present(0x40));
}

TEST_CASE("line 0 and lines above 2^32 are lines like others") {
  TagArray tags({6_MiB, 16, 64_B});
  CHECK_FALSE(tags.present(0));
  tags.fill(0, false);
  CHECK(tags.present(0));
  const std::uint64_t high = 0x00ff'ffff'ffff'ffc0;
  CHECK_FALSE(tags.present(high));
  tags.fill(high, true);
  CHECK(tags.dirty(high));
  CHECK(tags.invalidate(high).address == high);
}

TEST_CASE("the tags behave as a list of lines in order of use") {
  const auto [size, ways, sets] = GENERATE(table<Bytes, unsigned, std::uint64_t>(
      {{Bytes(3 * 4 * 64), 4, 3}, {Bytes(16 * 16 * 64), 16, 16}, {Bytes(8 * 64), 1, 8}, {Bytes(5 * 64), 5, 1}}));
  TagArray tags({size, ways, 64_B});
  REQUIRE(tags.sets() == sets);
  ListCache reference(sets, ways);
  Random random(3, "tags");
  for (int i = 0; i < 50'000; ++i) {
    // Some lines beyond 2^32, so that both ways of taking the remainder are used.
    const std::uint64_t line = random.below(sets * ways * 2) + (random.below(4) == 0 ? std::uint64_t{1} << 33 : 0);
    const bool write = random.below(3) == 0;
    if (random.below(10) == 0) {
      const auto got = tags.invalidate(line * 64), want = reference.invalidate(line);
      REQUIRE((got.valid == want.valid && got.dirty == want.dirty && got.address == want.address));
      continue;
    }
    const bool hit = tags.lookup(line * 64, write);
    REQUIRE(hit == reference.lookup(line, write));
    if (hit) continue;
    const auto got = tags.fill(line * 64, write), want = reference.fill(line, write);
    REQUIRE((got.valid == want.valid && got.dirty == want.dirty && got.address == want.address));
  }
}
