// The octets of a server's memory, given by the operating system as they are first touched.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>

#include "sim/units.h"

namespace dpusim::host {

/// Memory as a server maps it: from address 0 up to the hole below 4 GiB that devices' BARs live in, and what does not
/// fit there from 4 GiB on. Untouched memory reads 0.
class HostMemory {
 public:
  /// The hole for memory-mapped devices.
  static constexpr std::uint64_t kHoleBegin = std::uint64_t{3} << 30, kHoleEnd = std::uint64_t{4} << 30;

  explicit HostMemory(Bytes size);
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Returns the first address behind the highest octet.
  [[nodiscard]] std::uint64_t end() const { return size_ <= kHoleBegin ? size_ : kHoleEnd + (size_ - kHoleBegin); }
  /// Tells whether [address, address + length) is memory in one piece.
  [[nodiscard]] bool contains(std::uint64_t address, std::uint64_t length) const {
    return find(address, length).has_value();
  }
  /// Returns the octets of a range that is memory. @error Defect otherwise.
  [[nodiscard]] std::span<std::uint8_t> at(std::uint64_t address, std::uint64_t length);
  /// Returns the octets, or an empty span when the range is not memory in one piece.
  [[nodiscard]] std::span<std::uint8_t> try_at(std::uint64_t address, std::uint64_t length);
  template <class T>
  [[nodiscard]] T load(std::uint64_t address) {
    T value;
    std::memcpy(&value, at(address, sizeof value).data(), sizeof value);
    return value;
  }
  template <class T>
  void store(std::uint64_t address, const T& value) {
    std::memcpy(at(address, sizeof value).data(), &value, sizeof value);
  }

 private:
  [[nodiscard]] std::optional<std::uint64_t> find(std::uint64_t address, std::uint64_t length) const;
  std::uint64_t size_;
  std::uint8_t* octets_;
};

/// Hands out host memory to programs, from 4 GiB on where there is memory there (64-bit addresses, as servers' drivers
/// get), else from 1 MiB.
class HostAllocator {
 public:
  explicit HostAllocator(const HostMemory& memory);
  /// Returns an address of `octets` octets that nobody else has, a multiple of `alignment` (a power of two). @param who
  /// the JSON path of the program, for messages. @error ConfigError when memory is used up.
  std::uint64_t take(std::uint64_t octets, std::uint64_t alignment, const std::string& who);

 private:
  std::uint64_t next_, end_;
};

}  // namespace dpusim::host
