#include "tlm/address_map.h"

#include <algorithm>

#include "sim/error.h"

namespace dpusim {
namespace {
std::string describe(const AddressMap::Range& range) {
  return fmt::format("\"{}\" at {:#x}..{:#x}", range.name, range.base, range.last);
}
}  // namespace

std::size_t AddressMap::first_above(std::uint64_t address) const {
  const auto found = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                      [](std::uint64_t a, const Range& range) { return a < range.base; });
  return static_cast<std::size_t>(found - ranges_.begin());
}

void AddressMap::add(const std::string& name, std::uint64_t base, std::uint64_t size, unsigned target) {
  if (size == 0) throw ConfigError(fmt::format("\"{}\" at {:#x} has size 0: nothing can be mapped there", name, base));
  const Range range{base, base + (size - 1), target, name};
  if (range.last < base) {
    throw ConfigError(
        fmt::format("\"{}\" at {:#x} with size {:#x} passes the end of the address space", name, base, size));
  }
  const std::size_t at = first_above(base);
  const Range* clash = nullptr;
  if (at > 0 && ranges_[at - 1].last >= base) clash = &ranges_[at - 1];
  if (clash == nullptr && at < ranges_.size() && ranges_[at].base <= range.last) clash = &ranges_[at];
  if (clash != nullptr) throw ConfigError(fmt::format("{} overlaps {}", describe(range), describe(*clash)));
  ranges_.insert(ranges_.begin() + static_cast<std::ptrdiff_t>(at), range);
}

const AddressMap::Range* AddressMap::search(std::uint64_t address) const {
  const std::size_t above = first_above(address);
  if (above == 0 || address > ranges_[above - 1].last) return nullptr;
  last_hit_ = above - 1;
  return &ranges_[last_hit_];
}

AddressMap::Hole AddressMap::hole(std::uint64_t address) const {
  const std::size_t above = first_above(address);
  DPUSIM_CHECK(above == 0 || address > ranges_[above - 1].last, "address {:#x} is mapped", address);
  return {above == 0 ? 0 : ranges_[above - 1].last + 1, above == ranges_.size() ? UINT64_MAX : ranges_[above].base - 1};
}

}  // namespace dpusim
