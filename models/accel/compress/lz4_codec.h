// LZ4 blocks and frames, by liblz4.
#pragma once

#include <lz4frame.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "accel/function.h"

namespace dpusim::accel {

/// Octets that an LZ4 block or frame of `source` octets takes at most.
[[nodiscard]] std::uint64_t lz4_bound(std::uint64_t source);

/// Compresses to one LZ4 block or frame a call. Frames have independent blocks of at most 64 KiB, the content's size in
/// the header and its checksum at the end. @spec "LZ4 Block Format Description", "LZ4 Frame Format Description" v1.6.
class Lz4Encoder {
 public:
  Lz4Encoder();
  /// @return OK, or OUTPUT_FULL with nothing produced.
  FunctionResult block(std::span<const std::uint8_t> in, std::span<std::uint8_t> out);
  FunctionResult frame(std::span<const std::uint8_t> in, std::span<std::uint8_t> out);

 private:
  struct Free {
    void operator()(LZ4F_cctx* context) const { LZ4F_freeCompressionContext(context); }
  };
  std::vector<std::uint64_t> state_;  ///< of the block compressor, aligned
  std::unique_ptr<LZ4F_cctx, Free> context_;
  std::vector<std::uint8_t> whole_;  ///< a block or frame that may or may not fit
};

/// Decompresses one LZ4 block or frame a call.
class Lz4Decoder {
 public:
  Lz4Decoder();
  /// Takes the whole input as a block. @return OK; OUTPUT_FULL or CORRUPT_INPUT with nothing produced. `out` is then
  /// undefined.
  FunctionResult block(std::span<const std::uint8_t> in, std::span<std::uint8_t> out);
  /// Takes one frame from the front of the input; a skippable frame gives no octets. @return as block(), and how far
  /// the frame reaches as `consumed`.
  FunctionResult frame(std::span<const std::uint8_t> in, std::span<std::uint8_t> out);

 private:
  struct Free {
    void operator()(LZ4F_dctx* context) const { LZ4F_freeDecompressionContext(context); }
  };
  std::unique_ptr<LZ4F_dctx, Free> context_;
};

}  // namespace dpusim::accel
