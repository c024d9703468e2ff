#include "accel/compress/compress_function.h"

#include <zlib.h>

#include <bit>

#include "accel/job_check.h"
#include "sim/error.h"

namespace dpusim::accel {

namespace {

constexpr std::uint32_t kMostLevel = 9, kDefaultLevel = 6, kLz4Frame = 1, kAdlerBase = 65'521;

bool parameters_in_range(const AccelJob& job) {
  switch (job.opcode) {
    case ACCEL_OP_DEFLATE_COMPRESS:
      return job.parameter0 <= ACCEL_FRAMING_GZIP && job.parameter1 <= kMostLevel;
    case ACCEL_OP_DEFLATE_DECOMPRESS:
      return job.parameter0 <= ACCEL_FRAMING_GZIP;
    case ACCEL_OP_LZ4_COMPRESS:
    case ACCEL_OP_LZ4_DECOMPRESS:
      return job.parameter0 <= kLz4Frame;
    // RFC 1950: both sums are modulo 65521.
    case ACCEL_OP_ADLER32:
      return (job.parameter0 & 0xffff) < kAdlerBase && job.parameter0 >> 16 < kAdlerBase;
    default:
      return true;
  }
}

/// Continues a checksum. zlib starts anew at a null pointer, so no octets leave it as it is.
FunctionResult checksum(const AccelJob& job, std::span<const std::uint8_t> source,
                        uLong (*next)(uLong, const Bytef*, z_size_t)) {
  const uLong value = source.empty() ? job.parameter0 : next(job.parameter0, source.data(), source.size());
  return {.consumed = job.source_length, .value = value};
}

}  // namespace

CompressFunction::CompressFunction(const CompressConfig& config)
    : config_(config), deflate_(std::countr_zero(static_cast<std::uint64_t>(config.window.count()))) {}

std::uint8_t CompressFunction::check(const AccelJob& job) const {
  const std::optional<CompressClass> kind = compress_class(job.opcode);
  if (!kind || !config_.has(*kind)) return ACCEL_STATUS_BAD_OPCODE;
  const bool level = *kind == CompressClass::kDeflateCompress;
  if (!unused_are_zero(job, {.parameter0 = true, .parameter1 = level})) return ACCEL_STATUS_BAD_FLAGS;
  if (!parameters_in_range(job)) return ACCEL_STATUS_BAD_FLAGS;
  return lengths_in_range(job) ? ACCEL_STATUS_OK : ACCEL_STATUS_BAD_LENGTH;
}

std::uint32_t CompressFunction::most_produced(const AccelJob& job) const {
  std::uint64_t most = job.destination_length;
  switch (job.opcode) {
    case ACCEL_OP_DEFLATE_COMPRESS:
      most = deflate_bound(job.source_length);
      break;
    case ACCEL_OP_LZ4_COMPRESS:
      most = lz4_bound(job.source_length);
      break;
    case ACCEL_OP_CRC32:
    case ACCEL_OP_ADLER32:
      most = 0;
      break;
    default:
      break;
  }
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(most, job.destination_length));
}

FunctionResult CompressFunction::run(const AccelJob& job, std::span<const std::uint8_t> source,
                                     std::span<std::uint8_t> destination) {
  const bool frame = job.parameter0 == kLz4Frame;
  switch (job.opcode) {
    case ACCEL_OP_DEFLATE_COMPRESS: {
      const std::uint32_t level = job.parameter1 == 0 ? kDefaultLevel : job.parameter1;
      return deflate_.run(job.parameter0, static_cast<int>(level), source, destination);
    }
    case ACCEL_OP_DEFLATE_DECOMPRESS:
      return inflate_.run(job.parameter0, source, destination);
    case ACCEL_OP_LZ4_COMPRESS:
      return frame ? lz4_encoder_.frame(source, destination) : lz4_encoder_.block(source, destination);
    case ACCEL_OP_LZ4_DECOMPRESS:
      return frame ? lz4_decoder_.frame(source, destination) : lz4_decoder_.block(source, destination);
    case ACCEL_OP_CRC32:
      return checksum(job, source, crc32_z);
    case ACCEL_OP_ADLER32:
      return checksum(job, source, adler32_z);
    default:
      DPUSIM_CHECK(false, "opcode {:#x} was not checked", job.opcode);
  }
  return {};
}

}  // namespace dpusim::accel
