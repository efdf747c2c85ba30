/* A hook that gives the registers of its first instruction to test_trace_enter(): rax rdx rcx rbx rsi rdi rbp rsp r8..r15 in
 * DWARF's order, then the low halves of xmm0..xmm15. */
        .text
        .globl __cyg_profile_func_enter
        .type __cyg_profile_func_enter, @function
__cyg_profile_func_enter:
        subq $392, %rsp
        movq %rax, 0(%rsp)
        movq %rdx, 8(%rsp)
        movq %rcx, 16(%rsp)
        movq %rbx, 24(%rsp)
        movq %rsi, 32(%rsp)
        movq %rdi, 40(%rsp)
        movq %rbp, 48(%rsp)
        leaq 400(%rsp), %rax
        movq %rax, 56(%rsp)
        movq %r8, 64(%rsp)
        movq %r9, 72(%rsp)
        movq %r10, 80(%rsp)
        movq %r11, 88(%rsp)
        movq %r12, 96(%rsp)
        movq %r13, 104(%rsp)
        movq %r14, 112(%rsp)
        movq %r15, 120(%rsp)
        .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        movq %xmm\n, 128+8*\n(%rsp)
        .endr
        movq %rsp, %rdi
        movq 392(%rsp), %rsi
        movq %rsp, %rbx
        andq $-16, %rsp
        call test_trace_enter
        movq %rbx, %rsp
        movq 24(%rsp), %rbx
        addq $392, %rsp
        ret
        .size __cyg_profile_func_enter, .-__cyg_profile_func_enter

        .globl __cyg_profile_func_exit
        .type __cyg_profile_func_exit, @function
__cyg_profile_func_exit:
        ret
        .size __cyg_profile_func_exit, .-__cyg_profile_func_exit
        .section .note.GNU-stack, "", @progbits
