// DEFLATE in its three framings, by zlib.
#pragma once

#include <zlib.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "accel/function.h"

namespace dpusim::accel {

/// Octets that a raw, zlib or gzip stream of `source` octets takes at most, whatever they are.
[[nodiscard]] std::uint64_t deflate_bound(std::uint64_t source);

/// Compresses to one DEFLATE stream a call. What it writes depends on input, framing, level and window only. @spec RFC
/// 1951; RFC 1950; RFC 1952 with no name, no time, operating system 255 (unknown).
class DeflateEncoder {
 public:
  /// @param window_log2 9 to 15: octets that a match may reach back.
  explicit DeflateEncoder(int window_log2) : window_log2_(window_log2) {}
  /// @param framing ACCEL_FRAMING_*. @param level 1 to 9. @return OK, or OUTPUT_FULL with nothing produced.
  FunctionResult run(unsigned framing, int level, std::span<const std::uint8_t> in, std::span<std::uint8_t> out);

 private:
  struct End {
    void operator()(z_stream* stream) const;
  };
  z_stream& stream(unsigned framing);
  int window_log2_;
  std::array<std::unique_ptr<z_stream, End>, 3> streams_;  ///< by framing, made at first use
  gz_header header_{};
};

/// Decompresses one DEFLATE stream a call.
class DeflateDecoder {
 public:
  /// @param framing ACCEL_FRAMING_*. @return OK, with what the stream's first member took as `consumed`; OUTPUT_FULL or
  /// CORRUPT_INPUT (damaged, cut short, wants a preset dictionary) with nothing produced. `out` is then undefined.
  FunctionResult run(unsigned framing, std::span<const std::uint8_t> in, std::span<std::uint8_t> out);

 private:
  struct End {
    void operator()(z_stream* stream) const;
  };
  std::unique_ptr<z_stream, End> stream_;  ///< made at first use
};

}  // namespace dpusim::accel
