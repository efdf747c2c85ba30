/* Calls the hooks as an empty function would, so that calibration can measure them. */
        .intel_syntax noprefix
        .text

/* void prof_calibration_calls(uint64_t count, uintptr_t function): the hooks are called as the program calls them. */
        .globl  prof_calibration_calls, prof_calibration_site
        .hidden prof_calibration_calls, prof_calibration_site
        .type   prof_calibration_calls, @function
        .p2align 6
prof_calibration_calls:
        push    rbx
        push    r12
        sub     rsp, 8
        mov     rbx, rdi
        mov     r12, rsi
1:      mov     rdi, r12
        xor     esi, esi
        call    __cyg_profile_func_enter@PLT
prof_calibration_site:
        mov     rdi, r12
        xor     esi, esi
        call    __cyg_profile_func_exit@PLT
        dec     rbx
        jnz     1b
        add     rsp, 8
        pop     r12
        pop     rbx
        ret
        .size   prof_calibration_calls, . - prof_calibration_calls

/* void prof_calibration_sled_calls(uint64_t count, void (*enter)(void), void (*leave)(void), uint64_t work): a function is called
 * whose sleds are on, and go there, and which works that much. */
        .globl  prof_calibration_sled_calls, prof_calibration_sled_site
        .hidden prof_calibration_sled_calls, prof_calibration_sled_site
        .type   prof_calibration_sled_calls, @function
        .p2align 6
prof_calibration_sled_calls:
        push    rbx
        push    r12
        push    r13
        push    r14
        mov     rbx, rdi
        mov     r12, rsi
        mov     r13, rdx
        mov     r14, rcx
1:      call    2f
        dec     rbx
        jnz     1b
        pop     r14
        pop     r13
        pop     r12
        pop     rbx
        ret
2:      call    r12
prof_calibration_sled_site:
        mov     rax, r14
        test    rax, rax
        jz      4f
3:      .rept   4
        imul    rdx, rdx
        .endr
        dec     rax
        jnz     3b
4:      call    r13
        ret
        .size   prof_calibration_sled_calls, . - prof_calibration_sled_calls

        .section .note.GNU-stack, "", @progbits
