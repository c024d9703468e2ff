/* Octets to work on, and checksums in software. */
#pragma once

#include <stdint.h>

typedef enum { DATA_RANDOM, DATA_TEXT, DATA_ZERO, DATA_KINDS } DataKind;

/* Names, by DataKind. */
extern const char* const data_names[DATA_KINDS];

/* Makes `length` octets: random ones do not compress, text is of words of a small vocabulary. The same every time. */
void data_make(DataKind kind, uint8_t* data, uint32_t length);
/* CRC-32 of IEEE 802.3, table-driven. */
uint32_t data_crc32(const uint8_t* data, uint32_t length);
/* Adler-32 of RFC 1950. */
uint32_t data_adler32(const uint8_t* data, uint32_t length);
