// Conversion between dpusim's picoseconds and SystemC's time. dpusim runs at SystemC's default resolution of 1 ps.
#pragma once

#include <systemc>

#include "sim/units.h"

namespace dpusim {

/// Converts to SystemC time. @param time not negative.
inline sc_core::sc_time to_sc(Time time) {
  return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(time.count()));
}
/// Converts from SystemC time.
inline Time from_sc(const sc_core::sc_time& time) { return Time(static_cast<std::int64_t>(time.value())); }
/// Returns the kernel's present time.
inline Time now() { return from_sc(sc_core::sc_time_stamp()); }

}  // namespace dpusim
