// sim/random.h against an independent reference that first proves itself on published vectors.
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/random.h"

using dpusim::Random;

namespace {

// Vigna, splitmix64.c (public domain).
std::uint64_t splitmix64(std::uint64_t& x) {
  x += 0x9e3779b97f4a7c15;
  std::uint64_t z = x;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::uint64_t rotate(std::uint64_t x, unsigned k) { return (x << k) | (x >> (64 - k)); }

// Blackman and Vigna, xoshiro256starstar.c (public domain).
struct Reference {
  std::array<std::uint64_t, 4> s;
  std::uint64_t next() {
    const std::uint64_t result = rotate(s[1] * 5, 7) * 9;
    const std::uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
  }
};

// Fowler, Noll, Vo: FNV-1a, 64 bits (draft-eastlake-fnv).
std::uint64_t fnv1a(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return hash;
}

Reference reference(std::uint64_t seed, const std::string& name) {
  std::uint64_t x = seed ^ fnv1a(name);
  Reference result{};
  for (auto& word : result.s) word = splitmix64(x);
  return result;
}

}  // namespace

TEST_CASE("the reference generators give their published values") {
  std::uint64_t x = 1234567;
  CHECK(splitmix64(x) == 6457827717110365317ULL);
  CHECK(splitmix64(x) == 3203168211198807973ULL);
  CHECK(splitmix64(x) == 9817491932198370423ULL);
  Reference xoshiro{{1, 2, 3, 4}};
  CHECK(xoshiro.next() == 11520);
  CHECK(xoshiro.next() == 0);
  CHECK(xoshiro.next() == 1509978240);
  CHECK(xoshiro.next() == 1215971899390074240);
  CHECK(fnv1a("") == 0xcbf29ce484222325);
  CHECK(fnv1a("a") == 0xaf63dc4c8601ec8c);
  CHECK(fnv1a("foobar") == 0x85944171f73967e8);
}

TEST_CASE("an instance's numbers are xoshiro256** seeded from seed and name") {
  for (const char* name : {"", "nic", "cpu.core3"}) {
    for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, UINT64_MAX}) {
      Random random(seed, name);
      Reference expected = reference(seed, name);
      for (int i = 0; i < 100; ++i) REQUIRE(random() == expected.next());
    }
  }
}

TEST_CASE("seed and name each change the sequence") {
  CHECK(Random(1, "nic")() != Random(2, "nic")());
  CHECK(Random(1, "nic")() != Random(1, "ddr")());
}

TEST_CASE("below stays below, and rejects what would bias it") {
  Random random(7, "x");
  for (int i = 0; i < 10; ++i) CHECK(random.below(1) == 0);
  for (int i = 0; i < 10000; ++i) REQUIRE(random.below(10) < 10);
  // For a bound of 2^63 + 1 almost half of all raw values are rejected: the results are the raw values up to the bound.
  constexpr std::uint64_t kBound = (1ULL << 63) + 1;
  Random biased(7, "y");
  Reference raw = reference(7, "y");
  for (int i = 0; i < 100; ++i) {
    std::uint64_t expected = raw.next();
    while (expected >= kBound) expected = raw.next();
    REQUIRE(biased.below(kBound) == expected);
  }
}

TEST_CASE("below is even: a chi-square test with 9 degrees of freedom") {
  Random random(1, "chi");
  std::vector<int> counts(10);
  constexpr int kDraws = 100000;
  for (int i = 0; i < kDraws; ++i) ++counts[random.below(10)];
  double chi = 0;
  for (const int count : counts) chi += (count - kDraws / 10.0) * (count - kDraws / 10.0) / (kDraws / 10.0);
  CHECK(chi < 27.88);  // the 99.9 % point of chi-square with 9 degrees of freedom
  CHECK(chi > 0.5);    // too even would be no randomness either
}

TEST_CASE("uniform takes the upper 53 bits") {
  Random random(3, "u");
  Reference raw = reference(3, "u");
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    const double value = random.uniform();
    REQUIRE(value == static_cast<double>(raw.next() >> 11) / 9007199254740992.0);
    REQUIRE(value >= 0);
    REQUIRE(value < 1);
    sum += value;
  }
  // The mean of 10000 has a standard deviation of sqrt(1/12)/100 = 0.0029.
  CHECK(sum / 10000 == Approx(0.5).margin(0.012));
}
