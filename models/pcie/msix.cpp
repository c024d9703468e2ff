#include "pcie/msix.h"

namespace dpusim::pcie {

std::uint32_t MsixTable::read(std::size_t index) const {
  if (index / 4 >= entries_.size()) return 0;
  const Entry& entry = entries_[index / 4];
  switch (index % 4) {
    case 0:
      return static_cast<std::uint32_t>(entry.address);
    case 1:
      return static_cast<std::uint32_t>(entry.address >> 32);
    case 2:
      return entry.data;
    default:
      return entry.control;
  }
}

void MsixTable::write(std::size_t index, std::uint32_t value) {
  if (index / 4 >= entries_.size()) return;
  Entry& entry = entries_[index / 4];
  switch (index % 4) {
    case 0:  // bits 1:0 must be 0 for proper alignment (7.7.2.6)
      entry.address = (entry.address & ~std::uint64_t{0xffff'ffff}) | (value & ~3U);
      break;
    case 1:
      entry.address = (entry.address & 0xffff'ffff) | std::uint64_t{value} << 32;
      break;
    case 2:
      entry.data = value;
      break;
    default:
      entry.control = value & 1;
  }
}

std::uint32_t MsixTable::read_pending(std::size_t index) const {
  if (index / 2 >= pending_.size()) return 0;
  return static_cast<std::uint32_t>(pending_[index / 2] >> (index % 2 * 32));
}

void MsixTable::set_pending(unsigned vector, bool pending) {
  if (this->pending(vector) == pending) return;
  pending_[vector / 64] ^= std::uint64_t{1} << vector % 64;
  pending_count_ += pending ? 1U : ~0U;
}

}  // namespace dpusim::pcie
