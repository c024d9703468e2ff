// Start of the guests that measure cores: at 0x4010_0000 at EL2 on dpusim and QEMU's virt machine, or (with USER defined)
// as a Linux program under qemu-aarch64. Turns the MMU on, so that memory is cacheable; ends by semihosting.
    .text
    .globl _start
_start:
    b       1f
    nop
rounds:                                 // at _start + 8: in-process benchmarks put their own number there
    .quad   ROUNDS
1:
#ifndef USER
    mov     x0, #0x00ff                 // MAIR_EL2: index 0 Normal write-back, 1 Device
    msr     mair_el2, x0
    ldr     x0, =0x80823519             // TCR_EL2: RES1, 40-bit PA, inner shareable write-back walks, T0SZ 25
    msr     tcr_el2, x0
    adrp    x0, table
    msr     ttbr0_el2, x0
    isb
    mrs     x0, sctlr_el2
    mov     x1, #0x1005                 // M, C, I
    orr     x0, x0, x1
    msr     sctlr_el2, x0
    isb
#endif
    adrp    x0, stack_top
    add     sp, x0, #:lo12:stack_top
    ldr     x0, rounds
    bl      guest_main
    adr     x1, done
    mov     w0, #0x18                   // SYS_EXIT
    hlt     #0xf000
    b       .
    .balign 8
done:
    .quad   0x20026, 0                  // ADP_Stopped_ApplicationExit, code 0
    .ltorg
    .data
    .balign 4096
table:                                  // blocks of 1 GiB: Device, then Normal inner shareable. @spec Arm ARM D8.3
    .quad   0x445, 0x40000741
    .fill   510, 8, 0
    .bss
    .balign 4096
    .fill   65536, 1, 0
stack_top:
    .fill   16, 1, 0
