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

        .section .note.GNU-stack, "", %progbits
