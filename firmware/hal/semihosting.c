#include "hal/semihosting.h"

#include <string.h>

#include "hal/cpu.h"
#include "hal/psci.h"
#include "hal/uart.h"

/* Operations. @spec Arm IHI "Semihosting for AArch32 and AArch64", release 2.0 */
enum {
  SYS_OPEN = 0x01,
  SYS_CLOSE = 0x02,
  SYS_WRITE = 0x05,
  SYS_READ = 0x06,
  SYS_FLEN = 0x0c,
  SYS_GET_CMDLINE = 0x15,
  SYS_EXIT = 0x18
};
enum { ADP_STOPPED_APPLICATION_EXIT = 0x20026 };

static long call(uint64_t operation, const void* block) {
  register uint64_t x0 __asm__("x0") = operation;
  register const void* x1 __asm__("x1") = block;
  __asm__ volatile("hlt #0xf000" : "+r"(x0) : "r"(x1) : "memory");
  return (long)x0;
}

_Noreturn void semihosting_exit(int code) {
  uart_flush();
  const uint64_t block[2] = {ADP_STOPPED_APPLICATION_EXIT, (uint64_t)code};
  call(SYS_EXIT, block);
  psci_system_off();
}

int semihosting_open_read(const char* name) {
  const uint64_t block[3] = {(uintptr_t)name, 1 /* "rb" */, strlen(name)};
  return (int)call(SYS_OPEN, block);
}

int semihosting_open_write(const char* name) {
  const uint64_t block[3] = {(uintptr_t)name, 5 /* "wb" */, strlen(name)};
  return (int)call(SYS_OPEN, block);
}

long semihosting_length(int handle) {
  const uint64_t block[1] = {(uint64_t)handle};
  return call(SYS_FLEN, block);
}

long semihosting_read(int handle, void* data, size_t size) {
  const uint64_t block[3] = {(uint64_t)handle, (uintptr_t)data, size};
  const long left = call(SYS_READ, block);
  return left < 0 || (size_t)left > size ? -1 : (long)size - left;
}

size_t semihosting_write(int handle, const void* data, size_t size) {
  size_t done = 0;
  while (done < size) { /* a host may take part of it */
    const uint64_t block[3] = {(uint64_t)handle, (uintptr_t)data + done, size - done};
    const long left = call(SYS_WRITE, block);
    if (left < 0 || (size_t)left >= size - done) break;
    done = size - (size_t)left;
  }
  return done;
}

void semihosting_close(int handle) {
  const uint64_t block[1] = {(uint64_t)handle};
  call(SYS_CLOSE, block);
}

int semihosting_command_line(char* text, size_t size) {
  uint64_t block[2] = {(uintptr_t)text, size};
  if (call(SYS_GET_CMDLINE, block) != 0) return -1;
  text[block[1] < size ? block[1] : size - 1] = '\0';
  return 0;
}
