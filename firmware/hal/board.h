/* Addresses and interrupts of the card's own map; RAM, GIC, timer and UART are where QEMU's virt machine has them. */
#pragma once

#define BOARD_GICD 0x08000000ul
#define BOARD_GICR 0x080a0000ul
#define BOARD_UART0 0x09000000ul
#define BOARD_UART_CLOCK 24000000u
#define BOARD_NIC 0x0c000000ul
#define BOARD_CRYPTO 0x0d000000ul
#define BOARD_COMPRESS 0x0d010000ul
#define BOARD_REGEX 0x0d020000ul
#define BOARD_DMA 0x0d030000ul
#define BOARD_DDR 0x40000000ul

#define INTID_TIMER_EL1_PHYSICAL 30u
#define INTID_UART0 33u
#define INTID_NIC(queue) (96u + (queue)) /* completion queue's line */
#define INTID_SHUTDOWN 159u              /* level: sources are exhausted and the data path is idle */
#define INTID_CRYPTO 160u                /* first of 8 completion queues' lines, as of the other accelerators */
#define INTID_COMPRESS 168u
#define INTID_REGEX 176u
#define INTID_DMA 184u
