// Bare-metal guests of test_cluster.cpp, each at a fixed offset. Linked at 0; RAM is 0..1 MiB, a device stands at 0x100000.
        .macro  exit code
        mov     x9, \code
        b       leave
        .endm

// 0x0000: writes to the console and exits with success.
        .org    0x0
        mov     x0, #4
        adr     x1, hello
        hlt     #0xf000
        exit    #0
hello:  .asciz  "hello from the guest\n"
        .balign 8
// Ends the run by SYS_EXIT with the code in x9.
leave:  mov     x0, #0x26
        movk    x0, #2, lsl #16
        ldr     x1, =0x7000
        stp     x0, x9, [x1]
        mov     x0, #0x18
        hlt     #0xf000
        b       .
        .ltorg

// 0x0400: sleeps in WFI until the physical timer fires 10 us (625 ticks) after 0, then records the counter at 0x8000.
        .org    0x400
        adr     x0, vectors
        msr     vbar_el2, x0
        mov     x0, #0x10               // HCR_EL2.IMO
        msr     hcr_el2, x0
        mov     x0, #625
        msr     cntp_cval_el0, x0
        mov     x0, #1
        msr     cntp_ctl_el0, x0
        msr     daifclr, #2
        isb
        wfi
        exit    #1                      // the handler does not return
        .org    0x800
vectors:
        .org    0xa80                   // current level with SP_ELx, IRQ
        mrs     x2, cntpct_el0
        ldr     x1, =0x8000
        str     x2, [x1]
        msr     cntp_ctl_el0, xzr
        exit    #0
        .ltorg

// 0x1000: core 0 starts core 1; both add 1000 to a counter at 0x8000 under a spinlock at 0x8040; core 0 checks the sum.
        .org    0x1000
        bl      mmu_on
        ldr     x0, =0xc4000003         // CPU_ON
        mov     x1, #1
        adr     x2, worker
        mov     x3, #0x77
        smc     #0
        cbnz    x0, 9f
        bl      add_thousand
        ldr     x5, =0x8080             // wait for core 1
1:      ldar    x6, [x5]
        cbz     x6, 1b
        cmp     x6, #0x77               // its context argument
        b.ne    9f
        ldr     x5, =0x8000
        ldr     x6, [x5]
        cmp     x6, #2000
        b.ne    9f
        exit    #0
9:      exit    #1
worker: mov     x10, x0
        bl      mmu_on
        bl      add_thousand
        ldr     x5, =0x8080
        stlr    x10, [x5]
        ldr     x0, =0x84000002         // CPU_OFF
        smc     #0
        exit    #1
add_thousand:
        mov     x4, #1000
        ldr     x5, =0x8000
        ldr     x7, =0x8040
        mov     w11, #1
        sevl
2:      wfe
3:      ldaxr   w12, [x7]
        cbnz    w12, 2b
        stxr    w12, w11, [x7]
        cbnz    w12, 3b
        ldr     x6, [x5]
        add     x6, x6, #1
        str     x6, [x5]
        stlr    wzr, [x7]
        sevl
        subs    x4, x4, #1
        b.ne    2b
        ret
        .ltorg

// 0x1800: stores to the device after 100 and after another 200 instructions of one cycle each, then reads it.
        .org    0x1800
        mov     x1, #0x100000
        .rept   99
        add     x2, x2, #1
        .endr
        str     w2, [x1]
        .rept   199
        add     x2, x2, #1
        .endr
        str     w2, [x1, #4]
        ldr     w3, [x1, #8]
        ldr     x4, =0x8000
        str     x3, [x4]
        exit    #0
        .ltorg

// 0x2000: waits in WFE for somebody else to change the word at 0x8000 that the exclusive monitor marks; no SEV comes.
        .org    0x2000
        ldr     x1, =0x8000
1:      ldaxr   w2, [x1]
        cbnz    w2, 2f
        wfe
        b       1b
2:      cmp     w2, #5
        b.ne    9b
        exit    #0
        .ltorg

// 0x2400: reads from an address where nothing is; the handler checks ESR_EL2 and FAR_EL2.
        .org    0x2400
        adr     x0, abort_vectors
        msr     vbar_el2, x0
        mov     x1, #0x200000
        ldr     x2, [x1]
        exit    #1
        .org    0x2800
abort_vectors:
        .org    0x2a00                  // current level with SP_ELx, synchronous
        mrs     x3, esr_el2
        ldr     x4, =0x96000010         // EC 0x25, IL, external abort
        cmp     x3, x4
        b.ne    9b
        mrs     x3, far_el2
        cmp     x3, #0x200000
        b.ne    9b
        exit    #0
        .ltorg

// 0x2c00: walks 64 KiB by cache lines twice (approximate runs: twice the L1D), then exits.
        .org    0x2c00
        bl      mmu_on
        mov     x3, #2
1:      mov     x1, #0x10000
        mov     x2, #1024
2:      ldr     x4, [x1], #64
        subs    x2, x2, #1
        b.ne    2b
        subs    x3, x3, #1
        b.ne    1b
        exit    #0
        .ltorg

// 0x3000: sleeps for ever.
        .org    0x3000
1:      wfi
        b       1b
// 0x3400: turns the EL2 MMU and caches on, with 0..1 GiB mapped to itself as Normal memory, if the word at 0x7800 is not 0.
        .org    0x3400
mmu_on: ldr     x15, =0x7800
        ldr     x15, [x15]
        cbz     x15, 1f
        ldr     x15, =0x9000
        ldr     x16, =0x741             // block, AttrIndx 0, AP[1] (RES1), Inner Shareable, AF
        str     x16, [x15]
        msr     ttbr0_el2, x15
        mov     x16, #0xff              // Normal, write-back
        msr     mair_el2, x16
        ldr     x16, =0x80823519        // T0SZ 25, 4 KiB, PS 40 bits
        msr     tcr_el2, x16
        isb
        mrs     x16, sctlr_el2
        mov     x15, #0x1005            // I, C, M
        orr     x16, x16, x15
        msr     sctlr_el2, x16
        isb
1:      ret
        .ltorg

// 0x3800: a pair of loads from the device, and a pair of stores to it.
        .org    0x3800
        mov     x1, #0x100000
        ldp     w2, w3, [x1]
        stp     w2, w3, [x1, #4]
        exit    #0
        .ltorg

// 0x3c00: polls the word at 0x8000 until somebody else makes it not 0, then stores to the device.
        .org    0x3c00
        bl      mmu_on
        mov     x1, #0x100000
        ldr     x5, =0x8000
1:      ldr     x6, [x5]
        cbz     x6, 1b
        str     w6, [x1]
        exit    #0
        .ltorg
        .org    0x4000
