/*
 * The hook that an exit sled calls: before a return, or before a jump to the function that returns in this one's place.
 *
 * No register may change: the return value is in them, or the arguments of that function. The stack pointer is where it was at
 * the function's first instruction.
 */
#include "profiler/hook/asm_offsets.h"

        .intel_syntax noprefix
        .text

        .set    in_sled, 1
#include "profiler/arch/x86_64/hooks/registers.inc"
#include "profiler/arch/x86_64/hooks/close_frame.inc"

#define L(name) .Lsled_exit_##name

/*
 * Called by the sled (by a jump through its stub).
 *
 * First the calls that were counted when they began, in two registers: rax control block, rcx frame. Its flags say whose it is, as
 * long as it is not marked. Any other call takes the path from its beginning.
 */
        .globl  prof_sled_exit
        .hidden prof_sled_exit
        .type   prof_sled_exit, @function
        .p2align 6
prof_sled_exit:
        mov     SAVED(RAX), rax
        mov     rax, prof_self@GOTTPOFF[rip]
        mov     SAVED(RCX), rcx
        mov     rax, fs:[rax]
        test    rax, rax
        jz      .Lsled_exit_other
        cmp     dword ptr [rax + PROF_T_STATE], PROF_HOOKS_ON
        jne     .Lsled_exit_other
        mov     rcx, [rax + PROF_T_TOP]
        cmp     [rcx + PROF_F_FLAGS], rsp
        jne     .Lsled_exit_other
        /* Clearing the edge closes the frame. Only then it is known not to be marked: a signal handler may have done so up to here,
         * and then the flags tell the edge. */
        mov     qword ptr [rcx + PROF_F_EDGE], 0
        cmp     [rcx + PROF_F_FLAGS], rsp
        jne     .Lsled_exit_reopen
        sub     rcx, PROF_F_SIZE
        mov     [rax + PROF_T_TOP], rcx
        mov     qword ptr [rcx + PROF_F_SIZE + PROF_F_CFA], 0
        mov     rax, SAVED(RAX)
        mov     rcx, SAVED(RCX)
        ret

.Lsled_exit_reopen:
        mov     rax, [rcx + PROF_F_FLAGS]
        and     rax, -8
        sub     rax, PROF_E_CALLS
        mov     [rcx + PROF_F_EDGE], rax
.Lsled_exit_other:
        mov     rax, SAVED(RAX)
        mov     rcx, SAVED(RCX)
#include "profiler/arch/x86_64/hooks/exit_path.inc"
        .size   prof_sled_exit, . - prof_sled_exit

        .section .note.GNU-stack, "", @progbits
