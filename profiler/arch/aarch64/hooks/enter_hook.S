/*
 * The enter hook and its fast path.
 *
 * The fast path handles a call that follows the same edge as foretold, or as the last one from there, when there is nothing to
 * compare: it reads one control block, one frame and two edges, writes one frame, and reads the clock once. Whatever else is to be
 * done, arguments that are to be compared among it, goes to generic_path.c, which starts from the registers as they were at the
 * call: struct prof_registers, made on the stack.
 *
 * x9 control block, x11 frame, x10 edge, x12 the caller's variant, x13 and x14 scratch; x16 and x17 belong to whoever links.
 */
#include "profiler/hook/asm_offsets.h"

#include "profiler/arch/aarch64/hooks/fast_path.inc"
#include "profiler/arch/aarch64/primitives/function.inc"

#define FRAME (PROF_R_SIZE + 16) /* struct prof_registers, whole 16 bytes */

        .text

/* Leaves the hook: its frame lies below the frame record. */
        .macro  LEAVE_ENTER
        add     sp, sp, #FRAME
        ldp     x29, x30, [sp], #16
        ret
        .endm

/* void __cyg_profile_func_enter(void *function, void *call_site) */
        PUBLIC_FUNCTION __cyg_profile_func_enter, 6
        /* The return address comes to lie just below the program's stack pointer. */
        stp     x29, x30, [sp, #-16]!
        sub     sp, sp, #FRAME
        stp     x9, x10, [sp, #(8 * 9)]
        stp     x11, x12, [sp, #(8 * 11)]
        stp     x13, x14, [sp, #(8 * 13)]
        RECORDING_THREAD .Lenter_generic, .Lenter_off

        /* The caller: the innermost frame. One in progress (a hook that a signal interrupted) has no edge. */
        ldr     x11, [x9, #PROF_T_TOP]
        ldr     x10, [x9, #PROF_T_LIMIT]
        cmp     x11, x10
        b.hs    .Lenter_generic
        ldr     x12, [x11, #PROF_F_EDGE]
        cbz     x12, .Lenter_generic

        /* The edge that followed the last one from the same caller, last time. */
        ldr     x12, [x12, #PROF_E_TO]
        ldr     x10, [x12, #PROF_V_LAST]
        ldr     x10, [x10, #PROF_E_AFTER]
        ldr     x13, [x10, #PROF_E_SITE]
        cmp     x13, x30
        b.ne    .Lenter_cache
.Lenter_found:
        /* The same function: the compiler may have merged what ends several in one call of the hook. */
        ldr     x13, [x10, #PROF_E_FUNCTION]
        cmp     x13, x0
        b.ne    .Lenter_generic
        /* In the thread's mode: nothing is to be compared, and no recursion to be looked at. */
        ldr     w13, [x10, #PROF_E_MODE]
        ldr     w14, [x9, #PROF_T_MODE]
        eor     w13, w13, w14
        tst     w13, #PROF_MODE_DECIDES
        b.ne    .Lenter_generic

        /* The canonical frame address of the new frame: below that of the caller's, on the same machine stack. With
         * PROF_CFA_STRICT for what is not inlined, so that equality fails then. */
        ldrsw   x13, [x10, #PROF_E_CFA]
        add     x14, sp, #(FRAME + 16)
        tst     w13, #PROF_CFA_RBP
        b.eq    1f
        sub     x14, x29, #PROF_CFA_RBP
1:      add     x14, x14, x13
        ldr     x13, [x11, #PROF_F_CFA]
        cmp     x14, x13
        b.hi    .Lenter_generic
        and     x14, x14, #-8
        ldr     x13, [x9, #PROF_T_STACK_LOW]
        cmp     x14, x13
        b.ls    .Lenter_generic

        /* Reserve: from here on a signal handler's frames go above this one, which already says where it lies. */
        add     x11, x11, #PROF_F_SIZE
        str     x14, [x11, #PROF_F_CFA]
        str     x11, [x9, #PROF_T_TOP]
        str     x14, [x11, #PROF_F_CFA] // again: a handler in between had a frame there, and took it off
        ldr     x13, [x10, #PROF_E_COUNTERS]
        str     x13, [x11, #PROF_F_FLAGS]
        ldr     x13, [x10, #PROF_E_FROM]
        str     x10, [x13, #PROF_V_LAST]
        ldr     w13, [x10, #PROF_E_MODE]
        tst     w13, #PROF_MODE_SAMPLED
        b.ne    .Lenter_sampled
        /* The clock last; then the edge opens the frame. */
.Lenter_timed:
        mrs     x13, cntvct_el0
        str     x13, [x11, #PROF_F_START]
        stlr    x10, [x11]
        LEAVE_ENTER

        /* Only some of the edge's calls are timed. Of the others, the next that is, is drawn when it is due: how many calls from
         * here, from 1 to a power of two, by Marsaglia's xorshift generator. */
.Lenter_sampled:
        ldr     w13, [x9, #PROF_T_SAMPLE]
        subs    w13, w13, #1
        str     w13, [x9, #PROF_T_SAMPLE]
        b.le    2f /* overdue, as hooks of a signal handler came to the end of the count, is as good */
        str     xzr, [x11, #PROF_F_START]
        stlr    x10, [x11]
        LEAVE_ENTER
2:      ldr     x13, [x9, #PROF_T_RANDOM]
        eor     x13, x13, x13, lsl #13
        eor     x13, x13, x13, lsr #7
        eor     x13, x13, x13, lsl #17
        str     x13, [x9, #PROF_T_RANDOM]
        lsr     x13, x13, #32
        ldr     w14, [x9, #PROF_T_SAMPLE_MASK]
        and     w13, w13, w14
        add     w13, w13, #1
        str     w13, [x9, #PROF_T_SAMPLE]
        b       .Lenter_timed

        /* Another one: the edge taken last from this caller at this site. */
.Lenter_cache:
        eor     w13, w30, w12
        movz    w14, #(PROF_CACHE_FACTOR & 0xffff)
        movk    w14, #(PROF_CACHE_FACTOR >> 16), lsl #16
        mul     w13, w13, w14
        /* The mask before the table, as in edge_places.h: a handler of this thread may put a larger one there. */
        ldr     w14, [x9, #PROF_T_CACHE_MASK]
        and     w13, w13, w14
        ldr     x14, [x9, #PROF_T_CACHE]
        ldr     x10, [x14, w13, uxtw]
        cbz     x10, .Lenter_generic
        ldr     x13, [x10, #PROF_E_SITE]
        cmp     x13, x30
        b.ne    .Lenter_generic
        ldr     x13, [x10, #PROF_E_FROM]
        cmp     x13, x12
        b.ne    .Lenter_generic
        ldr     x13, [x12, #PROF_V_LAST]
        str     x10, [x13, #PROF_E_AFTER]
        b       .Lenter_found

.Lenter_off:
        cmp     w10, #PROF_HOOKS_OFF
        b.ne    .Lenter_generic
        IF_ASKED .Lenter_generic
        LEAVE_ENTER

.Lenter_generic:
        stp     x0, x1, [sp]
        stp     x2, x3, [sp, #(8 * 2)]
        stp     x4, x5, [sp, #(8 * 4)]
        stp     x6, x7, [sp, #(8 * 6)]
        str     x8, [sp, #(8 * 8)]
        stp     x15, x16, [sp, #(8 * 15)]
        stp     x17, x18, [sp, #(8 * 17)]
        stp     x19, x20, [sp, #(8 * 19)]
        stp     x21, x22, [sp, #(8 * 21)]
        stp     x23, x24, [sp, #(8 * 23)]
        stp     x25, x26, [sp, #(8 * 25)]
        stp     x27, x28, [sp, #(8 * 27)]
        add     x16, sp, #(FRAME + 16)
        stp     x29, x30, [sp, #(8 * 29)]
        stp     x16, x30, [sp, #(8 * PROF_SP)]
        mov     x2, sp
        add     x29, sp, #FRAME
        bl      prof_hook_enter
        LEAVE_ENTER
        END_FUNCTION __cyg_profile_func_enter

        .section .note.GNU-stack, "", %progbits
