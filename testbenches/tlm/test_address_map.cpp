#include <catch2/catch.hpp>

#include "sim/error.h"
#include "tlm/address_map.h"

using namespace dpusim;

TEST_CASE("addresses decode to the range that holds them, to the octet") {
  AddressMap map;
  map.add("ddr", 0x4000'0000, 0x1000, 7);
  map.add("sram", 0, 0x100, 3);
  map.add("uart0", 0x900, 0x10, 5);
  CHECK(map.find(0)->target == 3);
  CHECK(map.find(0xff)->target == 3);
  CHECK(map.find(0x100) == nullptr);
  CHECK(map.find(0x8ff) == nullptr);
  CHECK(map.find(0x900)->name == "uart0");
  CHECK(map.find(0x90f)->target == 5);
  CHECK(map.find(0x910) == nullptr);
  CHECK(map.find(0x4000'0fff)->target == 7);
  CHECK(map.find(0x4000'0000)->target == 7);  // twice: once by search, once as the last hit
  CHECK(map.find(0x3fff'ffff) == nullptr);
  CHECK(map.find(0x4000'1000) == nullptr);
  CHECK(map.find(UINT64_MAX) == nullptr);
}

TEST_CASE("an access lies inside a range or it does not") {
  AddressMap map;
  map.add("a", 0x100, 0x10, 0);
  const AddressMap::Range& range = *map.find(0x108);
  CHECK(range.contains(0x100, 0x10));
  CHECK_FALSE(range.contains(0x100, 0x11));
  CHECK(range.contains(0x10f, 1));
  CHECK_FALSE(range.contains(0x10f, 2));
  CHECK_FALSE(range.contains(0xff, 2));
  CHECK_FALSE(range.contains(0x10f, UINT64_MAX));  // no overflow
  CHECK(range.octets_from(0x10f) == 1);
  CHECK(range.octets_from(0x100) == 0x10);
}

TEST_CASE("a range may end at the top of the address space") {
  AddressMap map;
  map.add("top", UINT64_MAX - 0xf, 0x10, 1);
  CHECK(map.find(UINT64_MAX)->target == 1);
  CHECK(map.find(UINT64_MAX - 0x10) == nullptr);
  CHECK(map.hole(5).first == 0);
  CHECK(map.hole(5).last == UINT64_MAX - 0x10);
  CHECK_THROWS_AS(AddressMap().add("past", UINT64_MAX - 0xf, 0x11, 1), ConfigError);
}

TEST_CASE("the hole around an unmapped address is as wide as the neighbours allow") {
  AddressMap map;
  map.add("a", 0x100, 0x100, 0);
  map.add("b", 0x300, 0x100, 1);
  CHECK(map.hole(0).first == 0);
  CHECK(map.hole(0).last == 0xff);
  CHECK(map.hole(0x200).first == 0x200);
  CHECK(map.hole(0x2ff).last == 0x2ff);
  CHECK(map.hole(0x400).first == 0x400);
  CHECK(map.hole(0x400).last == UINT64_MAX);
  CHECK_THROWS_AS(map.hole(0x100), Defect);
}

TEST_CASE("overlap is refused and both are named") {
  AddressMap map;
  map.add("uart0", 0x1000, 0x1000, 0);
  const auto overlaps = [&](std::uint64_t base, std::uint64_t size) {
    AddressMap copy = map;
    try {
      copy.add("nic", base, size, 1);
    } catch (const ConfigError& error) {
      const std::string text = error.what();
      return text.find("\"uart0\"") != std::string::npos && text.find("\"nic\"") != std::string::npos;
    }
    return false;
  };
  CHECK(overlaps(0x1fff, 1));        // the last octet
  CHECK_FALSE(overlaps(0x2000, 1));  // just above
  CHECK(overlaps(0xfff, 2));         // the first octet
  CHECK_FALSE(overlaps(0xfff, 1));   // just below
  CHECK(overlaps(0x1400, 0x10));     // inside
  CHECK(overlaps(0, 0x10000));       // around
  CHECK(overlaps(0x1000, 0x1000));   // the same
  CHECK_THROWS_AS(map.add("empty", 0x5000, 0, 1), ConfigError);
}
