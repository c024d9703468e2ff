// The integer loop: eight instructions a round, with a load and a store that depend on the round before.
    .text
    .globl guest_main
guest_main:
    adrp    x5, word                    // page aligned
    .balign 64
1:  add     x1, x1, x0
    eor     x2, x2, x1, lsl #3
    ldr     x3, [x5]
    add     x3, x3, #1
    str     x3, [x5]
    and     x4, x3, #0xff
    subs    x0, x0, #1
    b.ne    1b
    mov     w0, w2
    ret
    .data
    .balign 4096
word:
    .quad   0
