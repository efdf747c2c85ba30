/*
 * The exit hook and its fast path.
 *
 * It closes the innermost frame and counts the call in its edge: one frame and two edges, the clock read once, no register
 * saved. Whatever is out of the ordinary goes to generic_path.c. docs/hot-path.md gives each step's reason and cost.
 */
#include "profiler/hook/asm_offsets.h"

        .intel_syntax noprefix
        .text

/* Calls \function(control block, edge, start, ticks), and goes on. */
        .macro  CALL_EXIT function
        push    rax
        push    r9
        sub     rsp, 8
        mov     rdx, rdi
        mov     rdi, r8
        mov     rsi, r9
        mov     rcx, rax
        call    \function
        add     rsp, 8
        pop     r9
        pop     rax
        jmp     .Lexit_extremes
        .endm

/*
 * void __cyg_profile_func_exit(void *function, void *call_site)
 *
 * rax ticks, r8 control block, rcx frame, r9 edge, rdx the frame below, r10 its edge, r11 counters, rdi the frame's start.
 */
        .globl  __cyg_profile_func_exit
        .type   __cyg_profile_func_exit, @function
        .p2align 6
__cyg_profile_func_exit:
        mov     r8, prof_self@GOTTPOFF[rip]
        mov     r8, fs:[r8]
        test    r8, r8
        jz      .Lexit_clock
        cmp     dword ptr [r8 + PROF_T_STATE], PROF_HOOKS_ON
        jne     .Lexit_off
        /* The clock first. */
        rdtsc
        shl     rdx, 32
        or      rax, rdx

        /* Is the innermost frame this function's, and alive: its canonical frame address above the stack pointer? */
        mov     rcx, [r8 + PROF_T_TOP]
        mov     r9, [rcx + PROF_F_EDGE]
        test    r9, r9
        jz      .Lexit_generic
        cmp     rdi, [r9 + PROF_E_FUNCTION]
        jne     .Lexit_generic
        lea     r10, [rsp + 8]
        cmp     r10, [r8 + PROF_T_STACK_LOW]
        jbe     .Lexit_generic
        cmp     r10, [rcx + PROF_F_CFA]
        jae     .Lexit_jumped
.Lexit_frame:
        lea     rdx, [rcx - PROF_F_SIZE]
        mov     r10, [rdx + PROF_F_EDGE]
        test    r10, r10
        jz      .Lexit_generic
        mov     rdi, [rcx + PROF_F_START]
        sub     rax, rdi

        /* Clearing the edge closes the frame. Only then the flags: a signal handler may have marked it up to here. */
        mov     qword ptr [rcx + PROF_F_EDGE], 0
        mov     r11, [rcx + PROF_F_FLAGS]
        test    r11b, PROF_FRAME_BITS
        jnz     .Lexit_marked
.Lexit_pop:
        mov     [r8 + PROF_T_TOP], rdx
        mov     qword ptr [rcx + PROF_F_CFA], 0
        add     qword ptr [r11], 1
        add     qword ptr [r11 + 8], rax
        add     qword ptr [r10 + PROF_E_CHILDREN], rax
        cmp     rax, [r8 + PROF_T_EXIT]
        jae     .Lexit_more
.Lexit_extremes:
        cmp     rax, [r9 + PROF_E_MIN]
        jb      .Lexit_minimum
.Lexit_maximum:
        cmp     rax, [r9 + PROF_E_MAX]
        ja      .Lexit_new_maximum
        ret

        /* A call for its edge's histogram, for the timeline, or for both. It began at rdi. */
        .p2align 4
.Lexit_more:
        mov     rdx, [r9 + PROF_E_HISTOGRAM]
        test    rdx, rdx
        jz      .Lexit_call
        cmp     rax, 1 << PROF_H_SUB_BITS
        jb      .Lexit_call
        bsr     rcx, rax
        mov     rdx, [rdx + rcx * 8 + PROF_H_OCTAVES - 8 * (PROF_H_SUB_BITS - 1)]
        test    rdx, rdx
        jz      .Lexit_call
        sub     ecx, PROF_H_SUB_BITS
        mov     r11, rax
        shr     r11, cl
        add     qword ptr [rdx + r11 * 8 - (8 << PROF_H_SUB_BITS)], 1
        cmp     rax, [r8 + PROF_T_TIMELINE]
        jb      .Lexit_extremes
        CALL_EXIT prof_ring_call
.Lexit_call:
        CALL_EXIT prof_frame_ended

.Lexit_jumped:
        /* A function that jumped here as its last act: the stack pointer is its canonical frame address already, and this hook
         * returns to its caller. */
        jne     .Lexit_generic
        cmp     rsi, [rsp]
        je      .Lexit_frame
        jmp     .Lexit_generic

.Lexit_minimum:
        mov     rdx, rax
        mov     rax, [r9 + PROF_E_MIN]
1:      cmp     rdx, rax
        jae     2f
        cmpxchg [r9 + PROF_E_MIN], rdx
        jne     1b
2:      mov     rax, rdx
        jmp     .Lexit_maximum

.Lexit_new_maximum:
        mov     rdx, rax
        mov     rax, [r9 + PROF_E_MAX]
1:      cmp     rdx, rax
        jbe     2f
        cmpxchg [r9 + PROF_E_MAX], rdx
        jne     1b
2:      ret

        /* The frame of a back edge clears what it owns, and adds to its signature's groups too. */
.Lexit_marked:
        mov     edi, r11d
        and     edi, PROF_FRAME_BITS
        cmp     edi, PROF_FRAME_BACK
        jne     .Lexit_undo
        cmp     rcx, [r8 + PROF_T_MARKED]
        jne     .Lexit_undo
        test    byte ptr [rdx + PROF_F_FLAGS], PROF_FRAME_MARKED
        jz      .Lexit_undo
        lea     rdi, [r11 - PROF_FRAME_BACK - PROF_X_CALLS]
        mov     rsi, [rdi + PROF_X_ACTIVE + 8 * PROF_X_SIGNATURE]
        mov     qword ptr [rsi], 0
        mov     rsi, [rdi + PROF_X_ACTIVE + 8 * PROF_X_SIGNATURE_PAIR]
        mov     qword ptr [rsi], 0
        mov     rsi, [rdi + PROF_X_ACTIVE + 8 * PROF_X_SIGNATURE_STAGE]
        test    rsi, rsi
        jz      1f
        mov     qword ptr [rsi], 0
        add     qword ptr [rdi + PROF_X_PRIMITIVE + 8 * PROF_X_SIGNATURE_STAGE], 1
        add     qword ptr [rdi + PROF_X_CUMULATIVE + 8 * PROF_X_SIGNATURE_STAGE], rax
1:      mov     qword ptr [rdi + PROF_X_ACTIVE + 8 * PROF_X_EDGE], 0
        lea     rsi, [r9 + PROF_E_CALLS]
        mov     [r9 + PROF_E_COUNTERS], rsi
        xor     dword ptr [r9 + PROF_E_MODE], PROF_MODE_BACK ^ PROF_MODE_RECURSION
        mov     [r8 + PROF_T_MARKED], rdx
        sub     qword ptr [r8 + PROF_T_RECURSION], 1
        add     qword ptr [rdi + PROF_X_PRIMITIVE + 8 * PROF_X_SIGNATURE], 1
        add     qword ptr [rdi + PROF_X_PRIMITIVE + 8 * PROF_X_SIGNATURE_PAIR], 1
        add     qword ptr [rdi + PROF_X_CUMULATIVE + 8 * PROF_X_SIGNATURE], rax
        add     qword ptr [rdi + PROF_X_CUMULATIVE + 8 * PROF_X_SIGNATURE_PAIR], rax
        lea     r11, [rdi + PROF_X_CALLS]
        mov     rdi, [rcx + PROF_F_START]
        jmp     .Lexit_pop

.Lexit_undo:
        add     rax, [rcx + PROF_F_START]
        mov     [rcx + PROF_F_EDGE], r9
        mov     rdi, [r9 + PROF_E_FUNCTION]
        jmp     .Lexit_generic

.Lexit_off:
        cmp     dword ptr [r8 + PROF_T_STATE], PROF_HOOKS_OFF
        jne     .Lexit_clock
        ret

.Lexit_clock:
        xor     eax, eax
.Lexit_generic:
        lea     rdx, [rsp + 8]
        mov     rcx, rax
        sub     rsp, 8
        call    prof_hook_exit
        add     rsp, 8
        ret
        .size   __cyg_profile_func_exit, . - __cyg_profile_func_exit

        .section .note.GNU-stack, "", @progbits
