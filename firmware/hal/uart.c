#include "hal/uart.h"

#include "hal/board.h"
#include "hal/cpu.h"
#include "regs/pl011_regs.h"

void uart_init(void) {
  mmio_write32(BOARD_UART0 + PL011_CR, 0);
  mmio_write32(BOARD_UART0 + PL011_IMSC, 0);
  mmio_write32(BOARD_UART0 + PL011_IBRD, 1);
  mmio_write32(BOARD_UART0 + PL011_FBRD, 0);
  mmio_write32(BOARD_UART0 + PL011_LCR_H, PL011_LCR_H_FEN_MASK | PL011_LCR_H_WLEN_MASK);
  mmio_write32(BOARD_UART0 + PL011_CR, PL011_CR_UARTEN_MASK | PL011_CR_TXE_MASK | PL011_CR_RXE_MASK);
}

static void put(char c) {
  while ((mmio_read32(BOARD_UART0 + PL011_FR) & PL011_FR_TXFF_MASK) != 0) {
  }
  mmio_write32(BOARD_UART0 + PL011_DR, (uint8_t)c);
}

void uart_putc(char c) {
  if (c == '\n') put('\r');
  put(c);
}

int uart_getc(void) {
  if ((mmio_read32(BOARD_UART0 + PL011_FR) & PL011_FR_RXFE_MASK) != 0) return -1;
  return (int)(mmio_read32(BOARD_UART0 + PL011_DR) & 0xff);
}

void uart_flush(void) {
  while ((mmio_read32(BOARD_UART0 + PL011_FR) & PL011_FR_BUSY_MASK) != 0) {
  }
}
