// Entry of the first core and of those that PSCI starts. Drops to EL1, gives each core its stack and thread area, then calls C.
    .section .text.start, "ax"
    .globl _start
_start:
    mov     x20, #0                     // this core's number
    mov     x21, #0                     // not a secondary
    b       enter

    .globl hal_secondary_entry
hal_secondary_entry:                    // x0: core number, as given to CPU_ON
    mov     x20, x0
    mov     x21, #1

enter:
    mrs     x19, CurrentEL
    lsr     x19, x19, #2
    cmp     x19, #1
    b.eq    at_el1
    cmp     x19, #2
    b.eq    at_el2

    // EL3: Non-secure AArch64 below, HVC on, nothing trapped.
    mov     x0, #0x531                  // SCR_EL3: NS, RES1, HCE, RW
    msr     scr_el3, x0
    msr     cptr_el3, xzr
    mov     x0, #0xf
    msr     S3_6_C12_C12_5, x0          // ICC_SRE_EL3
    isb
    mrs     x0, id_aa64pfr0_el1
    tst     x0, #0xf00                  // EL2 there?
    b.eq    1f
    mov     x0, #0x3c9                  // EL2h, DAIF masked
    adr     x1, at_el2
    b       2f
1:  mov     x0, #0x3c5
    adr     x1, at_el1
2:  msr     spsr_el3, x0
    msr     elr_el3, x1
    eret

at_el2:
    mov     x0, #(1 << 31)              // HCR_EL2.RW
    msr     hcr_el2, x0
    mov     x0, #3                      // CNTHCTL_EL2: EL1 has the physical counter and timer
    msr     cnthctl_el2, x0
    msr     cntvoff_el2, xzr
    mov     x0, #0x33ff                 // CPTR_EL2: RES1, no traps
    msr     cptr_el2, x0
    msr     hstr_el2, xzr
    msr     vttbr_el2, xzr
    mrs     x0, midr_el1
    msr     vpidr_el2, x0
    mrs     x0, mpidr_el1
    msr     vmpidr_el2, x0
    mov     x0, #0xf
    msr     S3_4_C12_C9_5, x0           // ICC_SRE_EL2
    isb
    mov     x0, #0x3c5                  // EL1h, DAIF masked
    msr     spsr_el2, x0
    adr     x0, at_el1
    msr     elr_el2, x0
    ldr     x0, =0x30d00800             // SCTLR_EL1: RES1 bits, MMU and caches off
    msr     sctlr_el1, x0
    eret

at_el1:
    msr     spsel, #1
    msr     tpidr_el1, x20
    mov     x0, #(3 << 20)              // CPACR_EL1.FPEN: FP and SIMD at EL1 and EL0
    msr     cpacr_el1, x0
    ldr     x0, =hal_vectors
    msr     vbar_el1, x0
    isb
    ldr     x0, =hal_stacks
    add     x1, x20, #1
    add     x0, x0, x1, lsl #16         // top of this core's 64 KiB
    mov     sp, x0
    cbnz    x21, 4f

    ldr     x0, =hal_bss_start
    ldr     x1, =hal_bss_end
3:  cmp     x0, x1
    b.hs    4f
    stp     xzr, xzr, [x0], #16
    stp     xzr, xzr, [x0], #16
    b       3b
4:  mov     x29, xzr                    // end of the chain of frames
    mov     x30, xzr
    mov     x0, x19
    cbnz    x21, hal_secondary_main
    b       hal_main
