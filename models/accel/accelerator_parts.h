// What makes a type of accelerator: its algorithms, its rates, its keys. No SystemC.
#pragma once

#include <cstdint>
#include <memory>

#include "accel/function.h"
#include "accel/key_table.h"
#include "accel/timing.h"

namespace dpusim::accel {

/// What makes a type of accelerator: its algorithms and its rates.
struct AcceleratorParts {
  std::uint8_t type;  ///< ACCEL_TYPE_*
  std::unique_ptr<Function> function;
  std::unique_ptr<Timing> timing;
  std::unique_ptr<KeyTable> keys = std::make_unique<KeyTable>(0);  ///< what the function was given, if it uses keys
};

}  // namespace dpusim::accel
