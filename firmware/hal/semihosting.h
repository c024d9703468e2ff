/* Arm semihosting: files of the host's run directory, command line, exit code. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Ends the run with an exit code; where there is no semihosting, powers the machine off. */
_Noreturn void semihosting_exit(int code);
/* Opens a file for reading. Returns its handle, or -1. */
int semihosting_open_read(const char* name);
/* Makes a file, or empties the one that is there, for writing. Returns its handle, or -1. */
int semihosting_open_write(const char* name);
/* Returns the length of an open file in octets, or -1. */
long semihosting_length(int handle);
/* Reads up to `size` octets. Returns the number read, or -1. */
long semihosting_read(int handle, void* data, size_t size);
/* Writes `size` octets. Returns the number written. */
size_t semihosting_write(int handle, const void* data, size_t size);
void semihosting_close(int handle);
/* Copies the command line, terminated. Returns 0, or -1 when there is none. */
int semihosting_command_line(char* text, size_t size);
