// The DMA accelerator: copies and fills memory. Opcodes 0x40 to 0x42.
#pragma once

#include "accel/function.h"

namespace dpusim::accel {

/// COPY, FILL and COPY_CRC. Has no state.
class DmaFunction : public Function {
 public:
  /// A copy asks for a destination that has room for the source; a fill takes all of its destination.
  [[nodiscard]] std::uint8_t check(const AccelJob& job) const override;
  /// @spec CRC-32 of IEEE 802.3 clause 3.2.9, as zlib's crc32() has it.
  FunctionResult run(const AccelJob& job, std::span<const std::uint8_t> source,
                     std::span<std::uint8_t> destination) override;
  [[nodiscard]] std::uint32_t most_produced(const AccelJob& job) const override;
  [[nodiscard]] bool copies(const AccelJob& job) const override { return job.opcode != ACCEL_OP_FILL; }
};

}  // namespace dpusim::accel
