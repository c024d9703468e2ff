// Exception vectors of EL1. IRQs save what C may change and return; everything else dumps the registers.
    .macro save_all
    sub     sp, sp, #(34 * 8)
    stp     x0, x1, [sp]
    stp     x2, x3, [sp, #16]
    stp     x4, x5, [sp, #32]
    stp     x6, x7, [sp, #48]
    stp     x8, x9, [sp, #64]
    stp     x10, x11, [sp, #80]
    stp     x12, x13, [sp, #96]
    stp     x14, x15, [sp, #112]
    stp     x16, x17, [sp, #128]
    stp     x18, x19, [sp, #144]
    stp     x20, x21, [sp, #160]
    stp     x22, x23, [sp, #176]
    stp     x24, x25, [sp, #192]
    stp     x26, x27, [sp, #208]
    stp     x28, x29, [sp, #224]
    mrs     x0, elr_el1
    stp     x30, x0, [sp, #240]
    mrs     x0, spsr_el1
    add     x1, sp, #(34 * 8)
    stp     x0, x1, [sp, #256]
    .endm

    .macro restore_all
    ldp     x0, x1, [sp, #256]
    msr     spsr_el1, x0
    ldp     x30, x0, [sp, #240]
    msr     elr_el1, x0
    ldp     x2, x3, [sp, #16]
    ldp     x4, x5, [sp, #32]
    ldp     x6, x7, [sp, #48]
    ldp     x8, x9, [sp, #64]
    ldp     x10, x11, [sp, #80]
    ldp     x12, x13, [sp, #96]
    ldp     x14, x15, [sp, #112]
    ldp     x16, x17, [sp, #128]
    ldp     x18, x19, [sp, #144]
    ldp     x20, x21, [sp, #160]
    ldp     x22, x23, [sp, #176]
    ldp     x24, x25, [sp, #192]
    ldp     x26, x27, [sp, #208]
    ldp     x28, x29, [sp, #224]
    ldp     x0, x1, [sp]
    add     sp, sp, #(34 * 8)
    eret
    .endm

    .macro vector kind, handler
    .balign 0x80
    save_all
    mov     x1, #\kind
    b       \handler
    .endm

    .section .text.vectors, "ax"
    .balign 0x800
    .globl hal_vectors
hal_vectors:
    vector 0, take_fault        // current EL, SP_EL0
    vector 1, take_fault
    vector 2, take_fault
    vector 3, take_fault
    vector 4, take_fault        // current EL, SP_EL1: synchronous
    vector 5, take_interrupt    // IRQ
    vector 6, take_interrupt    // FIQ
    vector 7, take_fault        // SError
    vector 8, take_fault        // lower EL: this image has none
    vector 9, take_fault
    vector 10, take_fault
    vector 11, take_fault
    vector 12, take_fault
    vector 13, take_fault
    vector 14, take_fault
    vector 15, take_fault

take_fault:
    mov     x0, sp
    bl      hal_fault           // returns when the faulting instruction was dealt with
    restore_all

take_interrupt:                 // the compiler uses SIMD registers as it likes, in handlers too
    sub     sp, sp, #(33 * 16)
    stp     q0, q1, [sp]
    stp     q2, q3, [sp, #32]
    stp     q4, q5, [sp, #64]
    stp     q6, q7, [sp, #96]
    stp     q8, q9, [sp, #128]
    stp     q10, q11, [sp, #160]
    stp     q12, q13, [sp, #192]
    stp     q14, q15, [sp, #224]
    stp     q16, q17, [sp, #256]
    stp     q18, q19, [sp, #288]
    stp     q20, q21, [sp, #320]
    stp     q22, q23, [sp, #352]
    stp     q24, q25, [sp, #384]
    stp     q26, q27, [sp, #416]
    stp     q28, q29, [sp, #448]
    stp     q30, q31, [sp, #480]
    mrs     x0, fpsr
    mrs     x2, fpcr
    add     x3, sp, #512
    stp     x0, x2, [x3]
    sub     x0, x1, #5          // 0: IRQ, 1: FIQ
    bl      hal_interrupt
    add     x3, sp, #512
    ldp     x0, x2, [x3]
    msr     fpsr, x0
    msr     fpcr, x2
    ldp     q0, q1, [sp]
    ldp     q2, q3, [sp, #32]
    ldp     q4, q5, [sp, #64]
    ldp     q6, q7, [sp, #96]
    ldp     q8, q9, [sp, #128]
    ldp     q10, q11, [sp, #160]
    ldp     q12, q13, [sp, #192]
    ldp     q14, q15, [sp, #224]
    ldp     q16, q17, [sp, #256]
    ldp     q18, q19, [sp, #288]
    ldp     q20, q21, [sp, #320]
    ldp     q22, q23, [sp, #352]
    ldp     q24, q25, [sp, #384]
    ldp     q26, q27, [sp, #416]
    ldp     q28, q29, [sp, #448]
    ldp     q30, q31, [sp, #480]
    add     sp, sp, #(33 * 16)
    restore_all
