// Parameters of the compression accelerator.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "accel/accel_config.h"

namespace dpusim::accel {

/// Opcodes that one kind of engine serves, at one rate.
enum class CompressClass : std::uint8_t {
  kDeflateCompress,
  kDeflateDecompress,
  kLz4Compress,
  kLz4Decompress,
  kChecksum
};

/// Returns the class of an opcode, if it is one of the compression accelerator's.
[[nodiscard]] std::optional<CompressClass> compress_class(std::uint8_t opcode);

/// Algorithms and rates, beyond what every accelerator has.
struct CompressConfig : AccelConfig {
  CompressConfig() { engines = 1; }
  std::vector<CompressClass> functions = {CompressClass::kDeflateCompress, CompressClass::kDeflateDecompress,
                                          CompressClass::kLz4Compress, CompressClass::kLz4Decompress,
                                          CompressClass::kChecksum};
  Bytes window{32'768};
  double deflate_compress_octets_per_cycle = 0.788;
  double deflate_decompress_octets_per_cycle = 2;
  double lz4_compress_octets_per_cycle = 2;
  double lz4_decompress_octets_per_cycle = 4;
  double checksum_octets_per_cycle = 16;
  /// Says whether an instance has the opcodes of a class.
  [[nodiscard]] bool has(CompressClass kind) const {
    return std::find(functions.begin(), functions.end(), kind) != functions.end();
  }
  static const ConfigTable<CompressConfig>& table();
};

}  // namespace dpusim::accel
