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
  static const ConfigTable<CompressConfig> table(
      "Compression functions",
      {field("functions", &CompressConfig::functions,
             items(1, 5,
                   one_of({{"deflate_compress", CompressClass::kDeflateCompress},
                           {"deflate_decompress", CompressClass::kDeflateDecompress},
                           {"lz4_compress", CompressClass::kLz4Compress},
                           {"lz4_decompress", CompressClass::kLz4Decompress},
                           {"checksum", CompressClass::kChecksum}})),
             "Classes of opcodes that the instance has; jobs of others are refused"),
       field("window", &CompressConfig::window, power_of_two(512, 32'768),
             "Octets that DEFLATE compression looks back; decompression takes all of 32 KiB")});
  return table;
}

}  // namespace dpusim::accel
