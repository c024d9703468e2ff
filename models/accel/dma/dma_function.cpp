#include "accel/dma/dma_function.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "accel/job_check.h"

namespace dpusim::accel {

std::uint8_t DmaFunction::check(const AccelJob& job) const {
  switch (job.opcode) {
    case ACCEL_OP_COPY:
    case ACCEL_OP_COPY_CRC:
      if (job.source_length == 0 || !lengths_in_range(job)) return ACCEL_STATUS_BAD_LENGTH;
      if (!unused_are_zero(job, {})) return ACCEL_STATUS_BAD_FLAGS;
      return job.source_length <= job.destination_length ? ACCEL_STATUS_OK : ACCEL_STATUS_OUTPUT_FULL;
    case ACCEL_OP_FILL:
      if (job.source_length != 0 || job.destination_length == 0 || !lengths_in_range(job))
        return ACCEL_STATUS_BAD_LENGTH;
      if (job.source != 0 || !unused_are_zero(job, {.parameter0 = true, .parameter1 = true}))
        return ACCEL_STATUS_BAD_FLAGS;
      return ACCEL_STATUS_OK;
    default:
      return ACCEL_STATUS_BAD_OPCODE;
  }
}

std::uint32_t DmaFunction::most_produced(const AccelJob& job) const {
  return job.opcode == ACCEL_OP_FILL ? job.destination_length : job.source_length;
}

FunctionResult DmaFunction::run(const AccelJob& job, std::span<const std::uint8_t> source,
                                std::span<std::uint8_t> destination) {
  FunctionResult result{.produced = static_cast<std::uint32_t>(destination.size()), .consumed = job.source_length};
  if (job.opcode == ACCEL_OP_FILL) {
    std::array<std::uint8_t, 8> pattern;
    std::memcpy(pattern.data(), &job.parameter0, 4);
    std::memcpy(pattern.data() + 4, &job.parameter1, 4);
    // Doubles what is there, which moves whole blocks.
    std::size_t filled = std::min(pattern.size(), destination.size());
    std::memcpy(destination.data(), pattern.data(), filled);
    while (filled < destination.size()) {
      const std::size_t more = std::min(filled, destination.size() - filled);
      std::memcpy(destination.data() + filled, destination.data(), more);
      filled += more;
    }
    return result;
  }
  std::memcpy(destination.data(), source.data(), source.size());
  if (job.opcode == ACCEL_OP_COPY_CRC) result.value = crc32_z(0, source.data(), source.size());
  return result;
}

}  // namespace dpusim::accel
