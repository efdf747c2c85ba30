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
 * First the calls that are only counted, in four registers: rax control block, rcx frame, rdx edge, r11 counters. They do what the
 * path does, in its order. Any other call takes the path from its beginning.
 */
        .globl  prof_sled_exit
        .hidden prof_sled_exit
        .type   prof_sled_exit, @function
        .p2align 6
prof_sled_exit:
        mov     SAVED(RAX), rax
        mov     rax, prof_self@GOTTPOFF[rip]
        mov     SAVED(RCX), rcx
        mov     SAVED(RDX), rdx
        mov     SAVED(11), r11
        mov     rax, fs:[rax]
        test    rax, rax
        jz      .Lsled_exit_other
        cmp     dword ptr [rax + PROF_T_STATE], PROF_HOOKS_ON
        jne     .Lsled_exit_other
        mov     rcx, [rax + PROF_T_TOP]
        lea     r11, [rsp + 16]
        cmp     r11, [rcx + PROF_F_CFA]
        jne     .Lsled_exit_other
        cmp     qword ptr [rcx + PROF_F_START], 0
        jne     .Lsled_exit_other
        mov     rdx, [rcx + PROF_F_EDGE]
        test    rdx, rdx
        jz      .Lsled_exit_other
        cmp     qword ptr [rcx - PROF_F_SIZE + PROF_F_EDGE], 0
        je      .Lsled_exit_other
        mov     qword ptr [rcx + PROF_F_EDGE], 0
        mov     r11, [rcx + PROF_F_FLAGS]
        test    r11b, PROF_FRAME_BITS
        jnz     .Lsled_exit_undo_counted
        sub     rcx, PROF_F_SIZE
        mov     [rax + PROF_T_TOP], rcx
        mov     qword ptr [rcx + PROF_F_SIZE + PROF_F_CFA], 0
        mov     rdx, [rdx + PROF_S_IMPUTED]
        mov     rcx, [rcx + PROF_F_EDGE]
        add     qword ptr [r11], 1
        add     [r11 + 8], rdx
        /* None: the caller's call was ended since, in a signal handler, with the period that it was recorded in. */
        test    rcx, rcx
        jz      .Lsled_exit_alone
        add     [rcx + PROF_E_CHILDREN], rdx
.Lsled_exit_alone:
        mov     rax, SAVED(RAX)
        mov     rcx, SAVED(RCX)
        mov     rdx, SAVED(RDX)
        mov     r11, SAVED(11)
        ret

.Lsled_exit_undo_counted:
        mov     [rcx + PROF_F_EDGE], rdx
.Lsled_exit_other:
        mov     rax, SAVED(RAX)
        mov     rcx, SAVED(RCX)
        mov     rdx, SAVED(RDX)
        mov     r11, SAVED(11)
#include "profiler/arch/x86_64/hooks/exit_path.inc"
        .size   prof_sled_exit, . - prof_sled_exit

        .section .note.GNU-stack, "", @progbits
