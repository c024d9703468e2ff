// Runs jobs through a Function the way the engine room does, with sentinels around what may be written.
#pragma once

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "accel/function.h"

namespace function_bench {

using Octets = std::vector<std::uint8_t>;

/// Returns octets from hexadecimal digits; blanks are skipped.
inline Octets hex(std::string_view text) {
  Octets octets;
  std::string digits;
  for (const char c : text) {
    if (c != ' ' && c != '\n') digits += c;
    if (digits.size() == 2) {
      octets.push_back(static_cast<std::uint8_t>(std::stoul(digits, nullptr, 16)));
      digits.clear();
    }
  }
  if (!digits.empty()) throw std::invalid_argument("odd number of digits");
  return octets;
}
inline std::string to_hex(std::span<const std::uint8_t> octets) {
  std::string text;
  for (const std::uint8_t octet : octets) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", octet);
    text += two;
  }
  return text;
}
inline Octets text(std::string_view characters) { return {characters.begin(), characters.end()}; }
inline Octets operator+(Octets a, const Octets& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Repeatable octets: xorshift64* by Vigna, apart from the models' generators.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1dULL;
  }
  std::uint64_t below(std::uint64_t limit) { return (next() >> 11) % limit; }
  Octets octets(std::size_t size) {
    Octets octets(size);
    for (std::uint8_t& octet : octets) octet = static_cast<std::uint8_t>(next() >> 56);
    return octets;
  }
  /// Octets that compress: words of few letters, copies of what came before, now and then noise.
  Octets words(std::size_t size) {
    Octets octets;
    while (octets.size() < size) {
      const std::uint64_t kind = below(8);
      if (kind == 0) {
        octets.push_back(static_cast<std::uint8_t>(below(256)));
      } else if (kind < 4 && octets.size() > 16) {
        const std::size_t from = below(octets.size());
        for (std::uint64_t n = below(300); n > 0; --n)
          octets.push_back(octets[from + octets.size() % 7 % (octets.size() - from)]);
      } else {
        for (std::uint64_t n = 1 + below(6); n > 0; --n) octets.push_back(static_cast<std::uint8_t>('a' + below(6)));
      }
    }
    octets.resize(size);
    return octets;
  }

 private:
  std::uint64_t state_;
};

/// What a job did.
struct Outcome {
  std::uint8_t status = 0;
  bool refused = false;  ///< by check(), before any octet moved
  std::uint32_t consumed = 0;
  std::uint64_t value = 0;
  Octets output;  ///< the octets produced
};

/// Runs a job whose lengths are taken from `source` and `room`. What the function may write ends where a sanitizer
/// looks.
inline Outcome run(dpusim::accel::Function& function, AccelJob job, const Octets& source, std::size_t room) {
  job.source_length = static_cast<std::uint32_t>(source.size());
  job.destination_length = static_cast<std::uint32_t>(room);
  Outcome outcome;
  outcome.status = function.check(job);
  if (outcome.status != ACCEL_STATUS_OK) {
    outcome.refused = true;
    return outcome;
  }
  const std::uint32_t most = function.most_produced(job);
  REQUIRE(most <= room);
  Octets destination(most);
  const dpusim::accel::FunctionResult result = function.run(job, source, destination);
  REQUIRE(result.produced <= most);
  REQUIRE(result.consumed <= source.size());
  outcome.status = result.status;
  outcome.consumed = result.consumed;
  outcome.value = result.value;
  outcome.output.assign(destination.begin(), destination.begin() + result.produced);
  return outcome;
}

/// A folder for files that tools read and write; gone with this.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "accel_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  void write(const std::string& name, std::span<const std::uint8_t> octets) const {
    std::ofstream out(file(name), std::ios::binary);
    out.write(reinterpret_cast<const char*>(octets.data()), static_cast<std::streamsize>(octets.size()));
    if (!out) throw std::runtime_error("cannot write " + name);
  }
  [[nodiscard]] Octets read(const std::string& name) const {
    std::ifstream in(file(name), std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + name);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  /// Runs a shell command in this folder. @return its exit status.
  [[nodiscard]] int shell(const std::string& command) const {
    return std::system(("cd '" + path_.string() + "' && " + command).c_str());
  }

 private:
  std::filesystem::path path_;
};

}  // namespace function_bench
