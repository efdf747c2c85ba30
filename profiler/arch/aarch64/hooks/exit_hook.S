/*
 * The exit hook and its fast path.
 *
 * It closes the innermost frame and counts the call in its edge: one frame and two edges, the clock read once, no register saved
 * unless C is called. Whatever is out of the ordinary, the end of what recursion marked among it, goes to generic_path.c.
 *
 * x9 control block, x11 frame, x12 its edge, x13 the edge of the frame below, x10 counters, x14 the frame's start: 0 when the call is
 * not timed; x15 ticks.
 */
#include "profiler/hook/asm_offsets.h"

#include "profiler/arch/aarch64/hooks/fast_path.inc"
#include "profiler/arch/aarch64/primitives/function.inc"

        .text

/* Calls \function(control block, edge, start, ticks), with these on the stack. */
        .macro  CALL_ENDED function
        mov     x0, x9
        mov     x1, x12
        mov     x2, x14
        mov     x3, x15
        bl      \function
        ldp     x9, x12, [sp, #16]
        ldp     x14, x15, [sp, #32]
        .endm

/* Ends the frame x11 of edge x12, above one of edge x13, after x15 ticks, and counts the call. To .Lexit_undo, and
 * nothing is done, when it has marks. Clearing the edge closes the frame. Only then the flags: a signal handler may have
 * marked it up to here. */
        .macro  CLOSE_FRAME
        str     xzr, [x11, #PROF_F_EDGE]
        ldr     x10, [x11, #PROF_F_FLAGS]
        tst     x10, #PROF_FRAME_BITS
        b.ne    .Lexit_undo
        /* Counted before it is off the stack, as on x86-64. */
        ADD_WORD x10, #1
        sub     x16, x11, #PROF_F_SIZE
        str     x16, [x9, #PROF_T_TOP]
        str     xzr, [x11, #PROF_F_CFA]
        add     x10, x10, #8
        ADD_WORD x10, x15
        add     x13, x13, #PROF_E_CHILDREN
        ADD_WORD x13, x15
        .endm

/* void __cyg_profile_func_exit(void *function, void *call_site) */
        PUBLIC_FUNCTION __cyg_profile_func_exit, 6
        RECORDING_THREAD .Lexit_clock, .Lexit_off
        /* Is the innermost frame this function's, and alive: its canonical frame address above the stack pointer? */
        ldr     x11, [x9, #PROF_T_TOP]
        ldr     x12, [x11, #PROF_F_EDGE]
        cbz     x12, .Lexit_generic
        ldr     x10, [x12, #PROF_E_FUNCTION]
        cmp     x10, x0
        b.ne    .Lexit_generic
        mov     x10, sp
        ldr     x13, [x9, #PROF_T_STACK_LOW]
        cmp     x10, x13
        b.ls    .Lexit_generic
        ldr     x13, [x11, #PROF_F_CFA]
        cmp     x10, x13
        b.hs    .Lexit_jumped
.Lexit_frame:
        ldr     x14, [x11, #PROF_F_START]
        tst     x14, #PROF_START_LOOKS
        b.eq    .Lexit_rare
.Lexit_began:
        mrs     x15, cntvct_el0
        subs    x15, x15, x14
        /* It began later than now: a wait that was taken out was longer than what the frame had of it. */
        csel    x15, x15, xzr, hs
        ldur    x13, [x11, #(PROF_F_EDGE - PROF_F_SIZE)]
        cbz     x13, .Lexit_first
        CLOSE_FRAME
        ldr     x16, [x9, #PROF_T_EXIT]
        cmp     x15, x16
        b.hs    .Lexit_more
.Lexit_extremes:
        ldr     x16, [x12, #PROF_E_MIN]
        cmp     x15, x16
        b.lo    .Lexit_minimum
.Lexit_maximum:
        ldr     x16, [x12, #PROF_E_MAX]
        cmp     x15, x16
        b.hi    .Lexit_new_maximum
        ret

        /* Of calls that are all timed some look whether something is asked of the process, as on x86-64. */
.Lexit_rare:
        cbz     x14, .Lexit_counted
        IF_ASKED .Lexit_asked
        b       .Lexit_began
.Lexit_asked:
        stp     x29, x30, [sp, #-64]!
        mov     x29, sp
        stp     x0, x1, [sp, #16]
        stp     x9, x12, [sp, #32]
        str     x14, [sp, #48]
        mov     x0, x9
        bl      prof_thread_heed
        ldp     x0, x1, [sp, #16]
        ldp     x9, x12, [sp, #32]
        ldr     x14, [sp, #48]
        ldp     x29, x30, [sp], #64
        ldr     x11, [x9, #PROF_T_TOP]
        b       .Lexit_began

        /* A call that is not timed takes what those that were took of late. */
.Lexit_counted:
        ldur    x15, [x12, #PROF_S_IMPUTED]
        ldur    x13, [x11, #(PROF_F_EDGE - PROF_F_SIZE)]
        cbz     x13, .Lexit_clock
        CLOSE_FRAME
        ret

        /* A call for its edge's histogram, for the timeline, for how often its edge is timed, or for several of them. */
.Lexit_more:
        stp     x29, x30, [sp, #-48]!
        mov     x29, sp
        stp     x9, x12, [sp, #16]
        stp     x14, x15, [sp, #32]
        ldr     w16, [x12, #PROF_E_FLAGS]
        tst     w16, #PROF_E_FLAG_SAMPLED
        b.eq    1f
        CALL_ENDED prof_frame_timed
        /* What it has taken itself. */
        mov     x15, x0
        str     x15, [sp, #40]
1:      CALL_ENDED prof_frame_ended
        ldp     x29, x30, [sp], #48
        b       .Lexit_extremes

        /* A function that jumped here as its last act: the stack pointer is its canonical frame address already, and this hook
         * returns to its caller. */
.Lexit_jumped:
        b.ne    .Lexit_generic
        cmp     x1, x30
        b.eq    .Lexit_frame
        b       .Lexit_generic

.Lexit_minimum:
        add     x13, x12, #PROF_E_MIN
1:      ldxr    x16, [x13]
        cmp     x15, x16
        b.hs    .Lexit_maximum
        stxr    w17, x15, [x13]
        cbnz    w17, 1b
        b       .Lexit_maximum

.Lexit_new_maximum:
        add     x13, x12, #PROF_E_MAX
1:      ldxr    x16, [x13]
        cmp     x15, x16
        b.ls    2f
        stxr    w17, x15, [x13]
        cbnz    w17, 1b
2:      ret

.Lexit_undo:
        str     x12, [x11, #PROF_F_EDGE]
.Lexit_first:
        /* Back to the time that was read, if it was. */
        cbz     x14, .Lexit_clock
        add     x3, x14, x15
        b       .Lexit_timed

.Lexit_off:
        cmp     w10, #PROF_HOOKS_OFF
        b.ne    .Lexit_clock
        ret

.Lexit_clock:
        mov     x3, xzr
        b       .Lexit_timed
.Lexit_generic:
        mrs     x3, cntvct_el0
.Lexit_timed:
        mov     x2, sp
        /* The return address comes to lie just below the program's stack pointer. */
        stp     x29, x30, [sp, #-16]!
        mov     x29, sp
        bl      prof_hook_exit
        ldp     x29, x30, [sp], #16
        ret
        END_FUNCTION __cyg_profile_func_exit

        .section .note.GNU-stack, "", %progbits
