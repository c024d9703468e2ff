#include "sim/random.h"

#include <bit>

namespace dpusim {
namespace {

constexpr std::uint64_t splitmix64(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// FNV-1a, 64 bits: a fixed function of the name, unlike std::hash.
constexpr std::uint64_t name_hash(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace

Random::Random(std::uint64_t seed, std::string_view instance) {
  std::uint64_t mix = seed ^ name_hash(instance);
  for (std::uint64_t& word : state_) word = splitmix64(mix);
}

std::uint64_t Random::operator()() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t Random::below(std::uint64_t bound) {
  const std::uint64_t reject_from = max() - max() % bound;
  std::uint64_t value = (*this)();
  while (value >= reject_from) value = (*this)();
  return value % bound;
}

double Random::uniform() { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }

}  // namespace dpusim
