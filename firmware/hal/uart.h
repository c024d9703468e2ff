/* PL011 console, by polling. */
#pragma once

#include <stdint.h>

/* Programs 8N1 at the highest rate (UARTCLK / 16), FIFOs on. */
void uart_init(void);
/* Sends a character, waiting while the FIFO is full; a line feed is preceded by a carriage return. */
void uart_putc(char c);
/* Returns the next received character, or -1 when there is none. */
int uart_getc(void);
/* Waits until the last character has left. */
void uart_flush(void);
