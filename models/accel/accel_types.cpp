#include "accel/accel_types.h"

#include "accel/accelerator.h"
#include "accel/compress/compress_type.h"
#include "accel/crypto/crypto_type.h"
#include "accel/dma/dma_type.h"
#include "accel/regex/regex_type.h"

namespace dpusim::accel {

// A type is a configuration that derives from AccelConfig, and make_parts() beside it.
std::span<const BlockType> block_types() {
  static const BlockType types[] = {
      block_type<AcceleratorOf<CompressConfig>, CompressConfig>(
          "compress", "accel", "Compresses, decompresses and sums up by jobs in rings: DEFLATE, LZ4, CRC-32, Adler-32"),
      block_type<AcceleratorOf<CryptoConfig>, CryptoConfig>(
          "crypto", "accel", "Encrypts, decrypts and digests by jobs in rings: AES-GCM, AES-XTS, SHA-2, HMAC"),
      block_type<AcceleratorOf<DmaConfig>, DmaConfig>("dma", "accel", "Copies and fills memory by jobs in rings"),
      block_type<AcceleratorOf<RegexConfig>, RegexConfig>(
          "regex", "accel", "Finds regular expressions in buffers and streams by jobs in rings"),
  };
  return types;
}

}  // namespace dpusim::accel
