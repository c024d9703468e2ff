/* Whole files of the run directory, by semihosting. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a file of at most `room` octets. Returns its length, or -1 after a message that begins with the image's name.
 */
long file_read(const char* image, const char* name, void* data, size_t room);
/* Writes a file. Returns false after a message. */
bool file_write(const char* image, const char* name, const void* data, size_t length);
