#include "host/host_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>

#include "sim/error.h"

namespace dpusim::host {

HostMemory::HostMemory(Bytes size) : size_(size.count()) {
  void* mapped = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED)
    throw ConfigError("memory_size", fmt::format("{} octets, which this machine cannot reserve", size_), "less memory");
  octets_ = static_cast<std::uint8_t*>(mapped);
}

HostMemory::~HostMemory() { munmap(octets_, size_); }

std::optional<std::uint64_t> HostMemory::find(std::uint64_t address, std::uint64_t length) const {
  if (address < kHoleBegin) {
    const std::uint64_t low = std::min(size_, kHoleBegin);
    if (length > low || address > low - length) return std::nullopt;
    return address;
  }
  if (address < kHoleEnd || size_ <= kHoleBegin) return std::nullopt;
  const std::uint64_t high = size_ - kHoleBegin, offset = address - kHoleEnd;
  if (length > high || offset > high - length) return std::nullopt;
  return kHoleBegin + offset;
}

std::span<std::uint8_t> HostMemory::try_at(std::uint64_t address, std::uint64_t length) {
  const auto offset = find(address, length);
  return offset ? std::span(octets_ + *offset, length) : std::span<std::uint8_t>();
}

std::span<std::uint8_t> HostMemory::at(std::uint64_t address, std::uint64_t length) {
  const auto offset = find(address, length);
  DPUSIM_CHECK(offset.has_value(), "host memory at {:#x}, {} octets", address, length);
  return {octets_ + *offset, length};
}

HostAllocator::HostAllocator(const HostMemory& memory)
    : next_(memory.end() > HostMemory::kHoleEnd ? HostMemory::kHoleEnd : 0x100000), end_(memory.end()) {}

std::uint64_t HostAllocator::take(std::uint64_t octets, std::uint64_t alignment, const std::string& who) {
  const std::uint64_t at = (next_ + alignment - 1) & ~(alignment - 1);
  if (at > end_ || octets > end_ - at)
    throw ConfigError(
        who, fmt::format("rings and buffers of which {} octets do not fit into what is left of host memory", octets),
        fmt::format("at most {} octets, or a larger memory_size", end_ > at ? end_ - at : 0));
  next_ = at + octets;
  return at;
}

}  // namespace dpusim::host
