/*
 * Calls of imported functions: what the stubs that stand in their slots jump to.
 *
 * Entered by a jump at what would be the function's first instruction: the return address is on top of the stack, r11 is the stub's
 * struct prof_library_call, and every other register is to reach the function as it is, that is rax for variadic ones as well. The
 * vector registers are not touched.
 */
#include "profiler/hook/asm_offsets.h"

        .intel_syntax noprefix
        .text

/* Room for struct prof_registers, which ends with the site, and for rbp. */
#define SAVED_SIZE (PROF_R_SIZE + 8)

/* Puts struct prof_registers, as they were at the call, on the stack, and calls \function(registers), which may want the stack to
 * be aligned. Every register is then as it was. \below: bytes that were put on the stack since the call. */
        .macro  TELL function, below=0
        sub     rsp, SAVED_SIZE
        .cfi_adjust_cfa_offset SAVED_SIZE
        mov     [rsp + 8 * 0], rax
        mov     [rsp + 8 * 1], rdx
        mov     [rsp + 8 * 2], rcx
        mov     [rsp + 8 * 3], rbx
        mov     [rsp + 8 * 4], rsi
        mov     [rsp + 8 * 5], rdi
        mov     [rsp + 8 * 6], rbp
        lea     rax, [rsp + SAVED_SIZE + \below]
        mov     [rsp + 8 * 7], rax
        mov     [rsp + 8 * 8], r8
        mov     [rsp + 8 * 9], r9
        mov     [rsp + 8 * 10], r10
        mov     [rsp + 8 * 11], r11
        mov     [rsp + 8 * 12], r12
        mov     [rsp + 8 * 13], r13
        mov     [rsp + 8 * 14], r14
        mov     [rsp + 8 * 15], r15
        mov     rax, [r11 + PROF_L_SLOT]
        mov     [rsp + PROF_R_SIZE], rax
        mov     rdi, rsp
        mov     rbx, rsp
        .cfi_def_cfa_register rbx
        and     rsp, -16
        call    \function
        mov     rsp, rbx
        .cfi_def_cfa_register rsp
        mov     rax, [rsp + 8 * 0]
        mov     rdx, [rsp + 8 * 1]
        mov     rcx, [rsp + 8 * 2]
        mov     rbx, [rsp + 8 * 3]
        mov     rsi, [rsp + 8 * 4]
        mov     rdi, [rsp + 8 * 5]
        mov     r8, [rsp + 8 * 8]
        mov     r9, [rsp + 8 * 9]
        mov     r10, [rsp + 8 * 10]
        mov     r11, [rsp + 8 * 11]
        add     rsp, SAVED_SIZE
        .cfi_adjust_cfa_offset -SAVED_SIZE
        .endm

/* A call that is counted when it begins. The function then runs in the stub's place: nothing of the runtime is on the stack. */
        .globl  prof_library_counted
        .hidden prof_library_counted
        .type   prof_library_counted, @function
        .p2align 6
prof_library_counted:
        .cfi_startproc
        TELL    prof_library_passed
        jmp     [r11 + PROF_L_TARGET]
        .cfi_endproc
        .size   prof_library_counted, . - prof_library_counted

/* A call that has a frame: of a function that passes nothing on the stack. What unwinds finds a frame of eight bytes. */
        .globl  prof_library_timed
        .hidden prof_library_timed
        .type   prof_library_timed, @function
        .p2align 6
prof_library_timed:
        .cfi_startproc
        TELL    prof_library_entered
        push    r11
        .cfi_adjust_cfa_offset 8
        call    [r11 + PROF_L_TARGET]
        /* The results of a call are in rax and rdx, or in vector registers, which stay. */
        mov     rdi, [rsp]
        lea     rsi, [rsp + 8]
        mov     [rsp], rax
        push    rdx
        mov     rdx, rax
        .cfi_adjust_cfa_offset 8
        sub     rsp, 8
        .cfi_adjust_cfa_offset 8
        call    prof_library_left
        add     rsp, 8
        .cfi_adjust_cfa_offset -8
        pop     rdx
        .cfi_adjust_cfa_offset -8
        pop     rax
        .cfi_adjust_cfa_offset -8
        ret
        .cfi_endproc
        .size   prof_library_timed, . - prof_library_timed

/* The same of a function that asks the allocator for something: with a struct prof_asking in the frame. */
        .globl  prof_library_asked
        .hidden prof_library_asked
        .type   prof_library_asked, @function
        .p2align 6
prof_library_asked:
        .cfi_startproc
        sub     rsp, PROF_A_SIZE
        .cfi_adjust_cfa_offset PROF_A_SIZE
        TELL    prof_library_asking, PROF_A_SIZE
        call    [r11 + PROF_L_TARGET]
        mov     rdi, rsp
        mov     rsi, rax
        push    rax
        .cfi_adjust_cfa_offset 8
        push    rdx
        .cfi_adjust_cfa_offset 8
        call    prof_library_answered
        pop     rdx
        .cfi_adjust_cfa_offset -8
        pop     rax
        .cfi_adjust_cfa_offset -8
        add     rsp, PROF_A_SIZE
        .cfi_adjust_cfa_offset -PROF_A_SIZE
        ret
        .cfi_endproc
        .size   prof_library_asked, . - prof_library_asked

        .section .note.GNU-stack, "", @progbits
