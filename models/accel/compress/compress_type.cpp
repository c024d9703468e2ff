#include "accel/compress/compress_type.h"

#include "accel/compress/compress_function.h"
#include "accel/compress/compress_timing.h"

namespace dpusim::accel {

AcceleratorParts make_parts(const BlockContext& /*context*/, const CompressConfig& config) {
  return {.type = ACCEL_TYPE_COMPRESS,
          .function = std::make_unique<CompressFunction>(config),
          .timing = std::make_unique<CompressTiming>(config)};
}

}  // namespace dpusim::accel
