/* Stores the vector registers that arguments are passed in. */
#include "profiler/arch/aarch64/primitives/function.inc"

        .text

/* void prof_capture_xmm(uint64_t vectors[32]) */
        FUNCTION prof_capture_xmm
        .irp    number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        str     d\number, [x0, #(8 * \number)]
        .endr
        .irp    number, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        str     d\number, [x0, #(8 * \number)]
        .endr
        ret
        END_FUNCTION prof_capture_xmm

/* int prof_call_keeping_vectors(int (*function)(void *, void *), void *first, void *second) */
        FUNCTION prof_call_keeping_vectors
        stp     x29, x30, [sp, #-16]!
        mov     x29, sp
        sub     sp, sp, #512
        .irp    number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        str     q\number, [sp, #(16 * \number)]
        .endr
        .irp    number, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        str     q\number, [sp, #(16 * \number)]
        .endr
        mov     x3, x0
        mov     x0, x1
        mov     x1, x2
        blr     x3
        .irp    number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        ldr     q\number, [sp, #(16 * \number)]
        .endr
        .irp    number, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        ldr     q\number, [sp, #(16 * \number)]
        .endr
        mov     sp, x29
        ldp     x29, x30, [sp], #16
        ret
        END_FUNCTION prof_call_keeping_vectors

        .section .note.GNU-stack, "", %progbits
