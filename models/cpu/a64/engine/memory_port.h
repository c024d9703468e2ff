// How the engine reaches physical memory and devices. Implemented by the SystemC module, and by tests.
#pragma once

#include <cstdint>
#include <optional>

namespace dpusim::cpu {

/// Host memory behind a range of physical addresses.
struct HostRegion {
  std::uint64_t base = 0, size = 0;  ///< multiples of 4 KiB
  std::uint8_t* host = nullptr;      ///< of `base`
  bool writable = true;
};

class MemoryPort {
 public:
  virtual ~MemoryPort() = default;
  /// Returns the host memory that holds `physical`, if it is memory. The engine keeps the answer until
  /// Engine::forget_memory().
  virtual std::optional<HostRegion> host_region(std::uint64_t physical, bool secure) = 0;
  /// Tells whether local time must meet the kernel's before a device access. Then the engine stops with kDeviceSync
  /// before it.
  virtual bool must_synchronise() = 0;
  /// Reads or writes a device. @param size 1, 2, 4, 8 or 16. @return false on a bus error.
  virtual bool read(std::uint64_t physical, void* data, unsigned size, bool secure) = 0;
  virtual bool write(std::uint64_t physical, const void* data, unsigned size, bool secure) = 0;
};

}  // namespace dpusim::cpu
