// Rates of the compression accelerator.
#pragma once

#include "accel/compress/compress_config.h"
#include "accel/timing.h"

namespace dpusim::accel {

/// Rates of the compression accelerator.
class CompressTiming : public Timing {
 public:
  explicit CompressTiming(const CompressConfig& config) : config_(config) {}
  [[nodiscard]] Time service(const AccelJob& job, std::uint64_t in, std::uint64_t out) const override;
  [[nodiscard]] bool streams(const AccelJob& job) const override;

 private:
  CompressConfig config_;
};

}  // namespace dpusim::accel
