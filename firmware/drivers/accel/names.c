#include "drivers/accel/accel.h"

const char* accel_type_name(unsigned type) {
  switch (type) {
    case ACCEL_TYPE_CRYPTO:
      return "crypto";
    case ACCEL_TYPE_COMPRESS:
      return "compress";
    case ACCEL_TYPE_REGEX:
      return "regex";
    case ACCEL_TYPE_DMA:
      return "dma";
    default:
      return "unknown";
  }
}

const char* accel_opcode_name(unsigned opcode) {
  static const char* const names[] = {[ACCEL_OP_NOP] = "nop",
                                      [ACCEL_OP_AES_GCM_ENCRYPT] = "aes_gcm_encrypt",
                                      [ACCEL_OP_AES_GCM_DECRYPT] = "aes_gcm_decrypt",
                                      [ACCEL_OP_AES_XTS_ENCRYPT] = "aes_xts_encrypt",
                                      [ACCEL_OP_AES_XTS_DECRYPT] = "aes_xts_decrypt",
                                      [ACCEL_OP_SHA256] = "sha256",
                                      [ACCEL_OP_SHA512] = "sha512",
                                      [ACCEL_OP_HMAC_SHA256] = "hmac_sha256",
                                      [ACCEL_OP_HMAC_SHA512] = "hmac_sha512",
                                      [ACCEL_OP_DEFLATE_COMPRESS] = "deflate_compress",
                                      [ACCEL_OP_DEFLATE_DECOMPRESS] = "deflate_decompress",
                                      [ACCEL_OP_LZ4_COMPRESS] = "lz4_compress",
                                      [ACCEL_OP_LZ4_DECOMPRESS] = "lz4_decompress",
                                      [ACCEL_OP_CRC32] = "crc32",
                                      [ACCEL_OP_ADLER32] = "adler32",
                                      [ACCEL_OP_REGEX_SCAN] = "regex_scan",
                                      [ACCEL_OP_REGEX_STREAM] = "regex_stream",
                                      [ACCEL_OP_COPY] = "copy",
                                      [ACCEL_OP_FILL] = "fill",
                                      [ACCEL_OP_COPY_CRC] = "copy_crc"};
  return opcode < sizeof names / sizeof names[0] && names[opcode] != 0 ? names[opcode] : "unknown";
}

const char* accel_status_name(unsigned status) {
  static const char* const names[] = {[ACCEL_STATUS_OK] = "ok",
                                      [ACCEL_STATUS_BAD_OPCODE] = "bad_opcode",
                                      [ACCEL_STATUS_BAD_LENGTH] = "bad_length",
                                      [ACCEL_STATUS_BAD_FLAGS] = "bad_flags",
                                      [ACCEL_STATUS_BAD_KEY] = "bad_key",
                                      [ACCEL_STATUS_BAD_SEGMENTS] = "bad_segments",
                                      [ACCEL_STATUS_SOURCE_BUS_ERROR] = "source_bus_error",
                                      [ACCEL_STATUS_DESTINATION_BUS_ERROR] = "destination_bus_error",
                                      [ACCEL_STATUS_DESCRIPTOR_BUS_ERROR] = "descriptor_bus_error",
                                      [ACCEL_STATUS_OUTPUT_FULL] = "output_full",
                                      [ACCEL_STATUS_CORRUPT_INPUT] = "corrupt_input",
                                      [ACCEL_STATUS_AUTHENTICATION] = "authentication",
                                      [ACCEL_STATUS_STREAM] = "stream",
                                      [ACCEL_STATUS_LIMIT] = "limit",
                                      [ACCEL_STATUS_BAD_DOORBELL] = "bad_doorbell",
                                      [ACCEL_STATUS_BAD_CONFIGURATION] = "bad_configuration",
                                      [ACCEL_STATUS_CQ_ERROR] = "cq_error",
                                      [ACCEL_STATUS_COMPLETION_BUS_ERROR] = "completion_bus_error"};
  return status < sizeof names / sizeof names[0] && names[status] != 0 ? names[status] : "unknown";
}
