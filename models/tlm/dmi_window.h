// Translates direct-memory windows between a target's addresses (from 0) and a bus's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tlm>

#include "tlm/address_map.h"

namespace dpusim {

/// A window in bus addresses, bounds inclusive. Empty when a target's window lies outside of its mapping.
struct DmiWindow {
  std::uint64_t first = 0, last = 0;
  bool empty = true;
};

/// Translates a target's window to bus addresses and clips it to the mapping.
inline DmiWindow to_bus_window(const AddressMap::Range& range, std::uint64_t start, std::uint64_t end) {
  const std::uint64_t top = range.last - range.base;
  if (start > top || end < start) return {};
  return {range.base + start, range.base + std::min(end, top), false};
}

/// Does so to a DMI descriptor that a target filled in. The pointer, which is of the window's start, needs no change:
/// clipping only cuts the end.
inline void to_bus_window(const AddressMap::Range& range, ::tlm::tlm_dmi& dmi) {
  const DmiWindow window = to_bus_window(range, dmi.get_start_address(), dmi.get_end_address());
  dmi.set_start_address(window.empty ? range.base : window.first);
  dmi.set_end_address(window.empty ? range.last : window.last);
}

/// Answers that [first, last] has no direct access.
inline void deny_dmi(::tlm::tlm_dmi& dmi, std::uint64_t first, std::uint64_t last) {
  dmi.init();
  dmi.set_start_address(first);
  dmi.set_end_address(last);
}

}  // namespace dpusim
