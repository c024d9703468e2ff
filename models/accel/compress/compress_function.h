// The compression accelerator's algorithms: DEFLATE, LZ4, CRC-32, Adler-32.
#pragma once

#include "accel/compress/compress_config.h"
#include "accel/compress/deflate.h"
#include "accel/compress/lz4_codec.h"
#include "accel/function.h"

namespace dpusim::accel {

/// Computes opcodes 0x20 to 0x25. A job that does not end well produces nothing.
class CompressFunction : public Function {
 public:
  explicit CompressFunction(const CompressConfig& config);
  [[nodiscard]] std::uint8_t check(const AccelJob& job) const override;
  FunctionResult run(const AccelJob& job, std::span<const std::uint8_t> source,
                     std::span<std::uint8_t> destination) override;
  [[nodiscard]] std::uint32_t most_produced(const AccelJob& job) const override;

 private:
  CompressConfig config_;
  DeflateEncoder deflate_;
  DeflateDecoder inflate_;
  Lz4Encoder lz4_encoder_;
  Lz4Decoder lz4_decoder_;
};

}  // namespace dpusim::accel
