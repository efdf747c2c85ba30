/* Stores the vector registers that arguments are passed in. */
#include "profiler/arch/aarch64/primitives/function.inc"

/* Loads or stores all vector registers, `size` bytes of each, as an array at `base`. */
        .macro  VECTORS instruction, view, size, base
        .irp    number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        \instruction \view\()\number, [\base, #(\size * \number)]
        .endr
        .irp    number, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        \instruction \view\()\number, [\base, #(\size * \number)]
        .endr
        .endm

        .text

/* void prof_capture_xmm(uint64_t vectors[32]) */
        FUNCTION prof_capture_xmm
        VECTORS str, d, 8, x0
        ret
        END_FUNCTION prof_capture_xmm

/* int prof_call_keeping_vectors(int (*function)(void *, void *), void *first, void *second) */
        FUNCTION prof_call_keeping_vectors
        stp     x29, x30, [sp, #-16]!
        mov     x29, sp
        sub     sp, sp, #512
        VECTORS str, q, 16, sp
        mov     x3, x0
        mov     x0, x1
        mov     x1, x2
        blr     x3
        VECTORS ldr, q, 16, sp
        mov     sp, x29
        ldp     x29, x30, [sp], #16
        ret
        END_FUNCTION prof_call_keeping_vectors

        .section .note.GNU-stack, "", %progbits
