/* panic: what a user sees when firmware goes wrong. "call=null" (the default), "call=undefined" or "call=bus" on the
 * command line. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "hal/board.h"
#include "hal/semihosting.h"

static __attribute__((noinline)) uint32_t read_through(volatile uint32_t* pointer) { return *pointer; }

int main(void) {
  char line[128] = "";
  semihosting_command_line(line, sizeof line);
  printf("panic: about to fail on purpose\n");
  if (strstr(line, "call=undefined") != NULL) __asm__ volatile("udf #0x1234");
  /* A hole in the map: the bus answers with an error. */
  if (strstr(line, "call=bus") != NULL) read_through((volatile uint32_t*)(BOARD_NIC + 0x02000000));
  read_through((volatile uint32_t*)16);
  printf("still here\n");
  return 2;
}
