// Lets the engine compute the CRC of "123456789" and exits with 0 if it is 0xcbf43926, the check value of CRC-32/ISO-HDLC, and a job
// whose octets nothing has ends with ERROR.
.global _start
_start:
  ldr x0, =0x0d100000
  adr x1, text
  str x1, [x0, #0x08]       // SOURCE
  mov w2, #9
  str w2, [x0, #0x10]       // LENGTH
  mov w2, #3
  str w2, [x0]              // CTRL: START, IRQ_ENABLE
  bl wait
  mov x5, #1
  cmp w2, #1                // DONE alone
  b.ne exit
  ldr w3, [x0, #0x14]       // RESULT
  ldr w4, =0xcbf43926
  mov x5, #2
  cmp w3, w4
  b.ne exit
  ldr x1, =0x0e000000       // a hole in the map
  str x1, [x0, #0x08]
  mov w2, #1
  str w2, [x0]
  bl wait
  mov x5, #3
  cmp w2, #3                // DONE, ERROR
  b.ne exit
  mov x5, #0
exit:
  adr x1, block
  str x5, [x1, #8]
  mov w0, #0x20             // SYS_EXIT_EXTENDED
  hlt #0xf000
  b .
wait:
  ldr w2, [x0, #0x04]       // STATUS
  tbz w2, #0, wait
  ret
  .balign 8
block: .quad 0x20026, 0     // ADP_Stopped_ApplicationExit, the exit code
text: .ascii "123456789"
