/* Stores the vector registers that arguments are passed in. */
        .intel_syntax noprefix
        .text

/* void prof_capture_xmm(uint64_t xmm[16]) */
        .globl  prof_capture_xmm
        .hidden prof_capture_xmm
        .type   prof_capture_xmm, @function
        .p2align 4
prof_capture_xmm:
        .irp    number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        movq    [rdi + 8 * \number], xmm\number
        .endr
        ret
        .size   prof_capture_xmm, . - prof_capture_xmm

        .section .note.GNU-stack, "", @progbits
