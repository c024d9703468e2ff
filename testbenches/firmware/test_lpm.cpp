#include <algorithm>
#include <array>
#include <random>

#include "l3fwd.h"

using namespace l3fwd_test;

namespace {

struct Trie {
  Trie(unsigned key_bits, unsigned limit) : root(LPM_ROOT_ENTRIES), chunks(limit) {
    lpm_init(&lpm, key_bits, root.data(), reinterpret_cast<LpmChunk*>(chunks.data()), limit);
  }
  std::uint16_t find(std::initializer_list<std::uint8_t> key) const { return lpm_find(&lpm, key.begin()); }
  int add(std::initializer_list<std::uint8_t> key, unsigned length, std::uint16_t value) {
    return lpm_add(&lpm, key.begin(), length, value);
  }
  std::vector<LpmEntry> root;
  std::vector<std::array<LpmEntry, LPM_CHUNK_ENTRIES>> chunks;
  Lpm lpm{};
};

struct Prefix {
  std::array<std::uint8_t, 16> key;
  unsigned length;
  std::uint16_t value;
};

bool holds(const Prefix& prefix, const std::array<std::uint8_t, 16>& key) {
  for (unsigned bit = 0; bit < prefix.length; ++bit) {
    const unsigned mask = 0x80U >> bit % 8;
    if (((prefix.key[bit / 8] ^ key[bit / 8]) & mask) != 0) return false;
  }
  return true;
}

// Compares with a scan of all prefixes; keys are drawn near prefixes so that deep ones are met.
void compare_with_scan(unsigned key_bits, unsigned prefixes, std::uint32_t seed) {
  std::mt19937 generator(seed);
  const auto random = [&] { return static_cast<unsigned>(generator()); };
  Trie trie(key_bits, 20000);
  std::vector<Prefix> list;
  for (unsigned i = 0; i < prefixes; ++i) {
    Prefix prefix{};
    prefix.length = random() % (key_bits + 1);
    // Few distinct upper octets, so that prefixes overlap.
    for (unsigned octet = 0; octet < key_bits / 8; ++octet) {
      prefix.key[octet] = static_cast<std::uint8_t>(octet < 3 ? random() % 3 * 64 : random());
    }
    prefix.value = static_cast<std::uint16_t>(i + 1);
    bool known = false;
    for (const Prefix& other : list) known = known || (other.length == prefix.length && holds(prefix, other.key));
    if (known) continue;
    list.push_back(prefix);
    REQUIRE(lpm_add(&trie.lpm, prefix.key.data(), prefix.length, prefix.value) == 0);
  }
  for (unsigned i = 0; i < 20000; ++i) {
    std::array<std::uint8_t, 16> key = list[random() % list.size()].key;
    for (unsigned flips = random() % 4; flips > 0; --flips) {
      const unsigned bit = random() % key_bits;
      key[bit / 8] = static_cast<std::uint8_t>(key[bit / 8] ^ 0x80U >> bit % 8);
    }
    unsigned longest = 0;
    std::uint16_t expected = LPM_NO_ROUTE;
    for (const Prefix& prefix : list) {
      if (!holds(prefix, key) || (expected != LPM_NO_ROUTE && prefix.length < longest)) continue;
      longest = prefix.length;
      expected = prefix.value;
    }
    REQUIRE(lpm_find(&trie.lpm, key.data()) == expected);
  }
}

}  // namespace

TEST_CASE("an empty table has no route, a default route holds everything") {
  Trie trie(32, 4);
  CHECK(trie.find({1, 2, 3, 4}) == LPM_NO_ROUTE);
  CHECK(trie.add({0, 0, 0, 0}, 0, 7) == 0);
  CHECK(trie.find({1, 2, 3, 4}) == 7);
  CHECK(trie.find({255, 255, 255, 255}) == 7);
}

TEST_CASE("the longest of overlapping prefixes wins in whatever order they come") {
  for (const bool shortest_first : {true, false}) {
    Trie trie(32, 16);
    std::vector<unsigned> lengths{8, 15, 16, 17, 24, 25, 31, 32};
    if (!shortest_first) std::reverse(lengths.begin(), lengths.end());
    for (const unsigned length : lengths)
      CHECK(trie.add({10, 1, 2, 3}, length, static_cast<std::uint16_t>(length)) == 0);
    CHECK(trie.find({10, 1, 2, 3}) == 32);
    CHECK(trie.find({10, 1, 2, 2}) == 31);
    CHECK(trie.find({10, 1, 2, 4}) == 25);
    CHECK(trie.find({10, 1, 2, 128}) == 24);
    CHECK(trie.find({10, 1, 3, 1}) == 17);
    CHECK(trie.find({10, 1, 128, 1}) == 16);
    CHECK(trie.find({10, 0, 0, 1}) == 15);
    CHECK(trie.find({10, 2, 0, 1}) == 8);
    CHECK(trie.find({11, 0, 0, 1}) == LPM_NO_ROUTE);
  }
}

TEST_CASE("an equal prefix is replaced") {
  Trie trie(32, 4);
  CHECK(trie.add({10, 1, 2, 0}, 24, 1) == 0);
  CHECK(trie.add({10, 1, 2, 0}, 24, 2) == 0);
  CHECK(trie.find({10, 1, 2, 9}) == 2);
}

TEST_CASE("a full table says so and stays right") {
  Trie trie(32, 1);
  CHECK(trie.add({10, 0, 0, 0}, 8, 1) == 0);
  CHECK(trie.add({10, 1, 2, 0}, 24, 2) == 0);
  CHECK(trie.add({10, 2, 2, 0}, 24, 3) == -1);
  CHECK(trie.find({10, 1, 2, 1}) == 2);
  CHECK(trie.find({10, 2, 2, 1}) == 1);
}

TEST_CASE("IPv4 agrees with a scan of all prefixes") {
  for (const std::uint32_t seed : {1U, 2U, 3U}) compare_with_scan(32, 400, seed);
}

TEST_CASE("IPv6 agrees with a scan of all prefixes") {
  for (const std::uint32_t seed : {4U, 5U}) compare_with_scan(128, 300, seed);
}
