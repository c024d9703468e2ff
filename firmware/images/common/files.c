#include "images/common/files.h"

#include <stdio.h>

#include "hal/semihosting.h"

long file_read(const char* image, const char* name, void* data, size_t room) {
  const int handle = semihosting_open_read(name);
  if (handle < 0) {
    printf("%s: %s is not there (dpusim run --file gives firmware a file)\n", image, name);
    return -1;
  }
  const long length = semihosting_length(handle);
  const bool good = length >= 0 && (size_t)length <= room && semihosting_read(handle, data, (size_t)length) == length;
  semihosting_close(handle);
  if (good) return length;
  printf("%s: %s cannot be read, or is longer than %zu octets\n", image, name, room);
  return -1;
}

bool file_write(const char* image, const char* name, const void* data, size_t length) {
  const int handle = semihosting_open_write(name);
  const bool good = handle >= 0 && semihosting_write(handle, data, length) == length;
  if (handle >= 0) semihosting_close(handle);
  if (!good) printf("%s: %s cannot be written\n", image, name);
  return good;
}
