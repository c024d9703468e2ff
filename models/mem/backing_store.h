// The octets of a memory: reserved at once, given by the host page by page as they are touched.
#pragma once

#include <cstdint>
#include <string>

#include "sim/units.h"

namespace dpusim::mem {

/// Holds a memory's contents at one host address for its whole life, so that direct memory pointers into it stay good.
/// Untouched octets read as 0 and cost no host memory.
class BackingStore {
 public:
  /// @param name instance, for messages. @error ConfigError when the host refuses to reserve that much address space.
  BackingStore(const std::string& name, Bytes size);
  ~BackingStore();
  BackingStore(const BackingStore&) = delete;
  BackingStore& operator=(const BackingStore&) = delete;
  [[nodiscard]] std::uint8_t* data() const { return data_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  std::uint64_t size_;
  std::uint8_t* data_;
};

}  // namespace dpusim::mem
