#include "accel/compress/compress_timing.h"

#include <algorithm>

namespace dpusim::accel {

namespace {

double octets_per_cycle(const CompressConfig& config, std::uint8_t opcode) {
  switch (opcode) {
    case ACCEL_OP_DEFLATE_COMPRESS:
      return config.deflate_compress_octets_per_cycle;
    case ACCEL_OP_DEFLATE_DECOMPRESS:
      return config.deflate_decompress_octets_per_cycle;
    case ACCEL_OP_LZ4_COMPRESS:
      return config.lz4_compress_octets_per_cycle;
    case ACCEL_OP_LZ4_DECOMPRESS:
      return config.lz4_decompress_octets_per_cycle;
    default:
      return config.checksum_octets_per_cycle;
  }
}

}  // namespace

Time CompressTiming::service(const AccelJob& job, std::uint64_t in, std::uint64_t out) const {
  return cycle_time(Clock(config_.clock), std::max(in, out), octets_per_cycle(config_, job.opcode));
}

bool CompressTiming::streams(const AccelJob& /*job*/) const { return true; }

}  // namespace dpusim::accel
