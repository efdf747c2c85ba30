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

/* int prof_call_keeping_vectors(int (*function)(void *, void *), void *first, void *second) */
        .globl  prof_call_keeping_vectors
        .hidden prof_call_keeping_vectors
        .type   prof_call_keeping_vectors, @function
        .p2align 4
prof_call_keeping_vectors:
        push    rbp
        mov     rbp, rsp
        sub     rsp, 16 * 16
        and     rsp, -16
        .irp    number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        movaps  [rsp + 16 * \number], xmm\number
        .endr
        mov     rax, rdi
        mov     rdi, rsi
        mov     rsi, rdx
        call    rax
        .irp    number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        movaps  xmm\number, [rsp + 16 * \number]
        .endr
        leave
        ret
        .size   prof_call_keeping_vectors, . - prof_call_keeping_vectors

        .section .note.GNU-stack, "", @progbits
