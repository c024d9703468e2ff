#include "accel/compress/compress_config.h"

#include "accel/accel_job_desc.h"

namespace dpusim::accel {

std::optional<CompressClass> compress_class(std::uint8_t opcode) {
  switch (opcode) {
    case ACCEL_OP_DEFLATE_COMPRESS:
      return CompressClass::kDeflateCompress;
    case ACCEL_OP_DEFLATE_DECOMPRESS:
      return CompressClass::kDeflateDecompress;
    case ACCEL_OP_LZ4_COMPRESS:
      return CompressClass::kLz4Compress;
    case ACCEL_OP_LZ4_DECOMPRESS:
      return CompressClass::kLz4Decompress;
    case ACCEL_OP_CRC32:
    case ACCEL_OP_ADLER32:
      return CompressClass::kChecksum;
    default:
      return std::nullopt;
  }
}

const ConfigTable<CompressConfig>& CompressConfig::table() {
  const auto rate = between(0.125, 1024.0);
  static const ConfigTable<CompressConfig> table = accel_table<CompressConfig>(
      "Compression accelerator", {},
      field("functions", &CompressConfig::functions,
            items(1, 5,
                  one_of({{"deflate_compress", CompressClass::kDeflateCompress},
                          {"deflate_decompress", CompressClass::kDeflateDecompress},
                          {"lz4_compress", CompressClass::kLz4Compress},
                          {"lz4_decompress", CompressClass::kLz4Decompress},
                          {"checksum", CompressClass::kChecksum}})),
            "Classes of opcodes that the instance has; jobs of others are refused"),
      field("window", &CompressConfig::window, power_of_two(512, 32'768),
            "Octets that DEFLATE compression looks back; decompression takes all of 32 KiB"),
      field("deflate_compress_octets_per_cycle", &CompressConfig::deflate_compress_octets_per_cycle, rate,
            "Octets that an engine takes a cycle by compression of DEFLATE"),
      field("deflate_decompress_octets_per_cycle", &CompressConfig::deflate_decompress_octets_per_cycle, rate,
            "Octets that an engine takes or gives a cycle, whichever are more, by decompression of DEFLATE"),
      field("lz4_compress_octets_per_cycle", &CompressConfig::lz4_compress_octets_per_cycle, rate,
            "Octets that an engine takes a cycle by compression of LZ4"),
      field("lz4_decompress_octets_per_cycle", &CompressConfig::lz4_decompress_octets_per_cycle, rate,
            "Octets that an engine takes or gives a cycle, whichever are more, by decompression of LZ4"),
      field("checksum_octets_per_cycle", &CompressConfig::checksum_octets_per_cycle, rate,
            "Octets that an engine takes a cycle by CRC-32 and Adler-32"));
  return table;
}

}  // namespace dpusim::accel
