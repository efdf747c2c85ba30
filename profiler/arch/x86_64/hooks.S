/*
 * The hooks and their fast path, for x86-64.
 *
 * The fast path handles a call that follows the same edge as foretold: it reads one control block, one frame, two edges and a
 * variant, writes one frame, and reads the clock once; it saves no register and calls nothing. Whatever is out of the ordinary
 * goes to hooks.c, which starts from the registers as they were at the call.
 *
 * A hook is entered by a call, so every register may be changed that a callee may change, and the red zone is free. It holds the
 * registers that the entry uses before it is known who needs them: struct prof_registers, by DWARF number, ends where the return
 * address lies. docs/hot-path.md gives each step's reason and cost.
 */
#include "profiler/hook/asm_offsets.h"

        .intel_syntax noprefix
        .text

#define SAVED(number) [rsp - PROF_R_SIZE + 8 * number]

/* DWARF numbers */
#define RAX 0
#define RDX 1
#define RCX 2
#define RBX 3
#define RSI 4
#define RDI 5
#define RBP 6
#define RSP 7

/* r11: the canonical frame address of a frame of edge rax above the frame rsi of control block rdi, which lies below that frame's;
 * to \fail when frames are dead or another machine stack runs. Changes r10. */
        .macro  FRAME_ADDRESS fail
        /* With PROF_CFA_STRICT for what is not inlined, so that equality fails then. */
        movsxd  r10, dword ptr [rax + PROF_E_CFA]
        lea     r11, [rsp + 8]
        test    r10b, PROF_CFA_RBP
        jz      1f
        lea     r11, [rbp - PROF_CFA_RBP]
1:      add     r11, r10
        cmp     r11, [rsi + PROF_F_CFA]
        ja      \fail
        and     r11, -8
        cmp     r11, [rdi + PROF_T_STACK_LOW]
        jbe     \fail
        .endm

/* Opens a frame of edge rax above the frame rsi of control block rdi, and returns from the hook. */
        .macro  OPEN_FRAME fail
        FRAME_ADDRESS \fail
        /* Reserve: from here on a signal handler's frames go above this one, which already says where it lies. */
        add     rsi, PROF_F_SIZE
        mov     [rsi + PROF_F_CFA], r11
        mov     [rdi + PROF_T_TOP], rsi
        mov     r10, [rax + PROF_E_COUNTERS]
        mov     [rsi + PROF_F_FLAGS], r10
        mov     r10, [rax + PROF_E_FROM]
        mov     [r10 + PROF_V_LAST], rax
        /* The clock last; then the edge opens the frame. */
        mov     rdi, rax
        rdtsc
        shl     rdx, 32
        or      rax, rdx
        mov     [rsi + PROF_F_START], rax
        mov     [rsi + PROF_F_EDGE], rdi
        ret
        .endm

/* What follows when an edge may not be called as a plain one: r10d is the edge's mode xor the thread's, and not 0. Recursion has
 * to be open. Then a function that is not active may be called as a plain one all the same (to \open): the call is the outermost
 * activation in every group. And a call of an inactive back edge falls through when it is outermost for its signature and
 * its pair of signatures alone, with the frames below it settled. */
        .macro  CHECK_RECURSION open, fail
        cmp     dword ptr [rdi + PROF_T_MODE], PROF_MODE_RECURSION
        jne     \fail
        cmp     r10d, PROF_MODE_RECURSION ^ PROF_MODE_BACK
        je      2f
        cmp     r10d, PROF_MODE_RECURSION ^ PROF_MODE_PLAIN
        jne     \fail
        test    dword ptr [rax + PROF_E_FLAGS], PROF_E_FLAG_MODULE
        jnz     \fail
        mov     r10, [rax + PROF_E_SITE_INFO]
        mov     r10, [r10 + PROF_P_ACTIVE]
        cmp     qword ptr [r10], 0
        je      \open
        jmp     \fail
2:      mov     r10, [rax + PROF_E_RECURSION]
        cmp     rsi, [rdi + PROF_T_MARKED]
        jne     \fail
        test    r10, r10
        jz      \fail
        mov     r11, [r10 + PROF_X_ACTIVE + 8 * PROF_X_FUNCTION_PAIR]
        cmp     qword ptr [r11], 0
        je      \fail
        mov     r11, [r10 + PROF_X_ACTIVE + 8 * PROF_X_SIGNATURE]
        cmp     qword ptr [r11], 0
        jne     \fail
        mov     r11, [r10 + PROF_X_ACTIVE + 8 * PROF_X_SIGNATURE_PAIR]
        cmp     qword ptr [r11], 0
        jne     \fail
        .endm

/* Opens a frame of the back edge rax that owns its signature, its pair of signatures, its signature in its stage (where it has one)
 * and its edge, and returns from the hook. */
        .macro  OPEN_BACK fail
        FRAME_ADDRESS \fail
        mov     r10, [rax + PROF_E_RECURSION]
        add     rsi, PROF_F_SIZE
        mov     [rsi + PROF_F_CFA], r11
        mov     [rdi + PROF_T_TOP], rsi
        lea     r11, [r10 + PROF_X_CALLS]
        mov     [rax + PROF_E_COUNTERS], r11
        or      r11, PROF_FRAME_BACK
        mov     [rsi + PROF_F_FLAGS], r11
        add     qword ptr [rdi + PROF_T_RECURSION], 1
        /* The marks name the frame: it has to be open before, though it has not begun. */
        mov     qword ptr [rsi + PROF_F_START], -1
        mov     [rsi + PROF_F_EDGE], rax
        mov     r11, [r10 + PROF_X_ACTIVE + 8 * PROF_X_SIGNATURE]
        mov     [r11], rsi
        mov     r11, [r10 + PROF_X_ACTIVE + 8 * PROF_X_SIGNATURE_PAIR]
        mov     [r11], rsi
        mov     r11, [r10 + PROF_X_ACTIVE + 8 * PROF_X_SIGNATURE_STAGE]
        test    r11, r11
        jz      1f
        mov     [r11], rsi
1:      mov     [r10 + PROF_X_ACTIVE + 8 * PROF_X_EDGE], rsi
        xor     dword ptr [rax + PROF_E_MODE], PROF_MODE_BACK ^ PROF_MODE_RECURSION
        mov     [rdi + PROF_T_MARKED], rsi
        mov     r10, [rax + PROF_E_FROM]
        mov     [r10 + PROF_V_LAST], rax
        rdtsc
        shl     rdx, 32
        or      rax, rdx
        mov     [rsi + PROF_F_START], rax
        ret
        .endm

/* Saves the registers that the entry has not saved yet. */
        .macro  SAVE_REST
        mov     SAVED(RDX), rdx
        mov     SAVED(RCX), rcx
        mov     SAVED(RBX), rbx
        mov     SAVED(RBP), rbp
        lea     r11, [rsp + 8]
        mov     SAVED(RSP), r11
        mov     SAVED(8), r8
        mov     SAVED(9), r9
        mov     SAVED(12), r12
        mov     SAVED(13), r13
        mov     SAVED(14), r14
        mov     SAVED(15), r15
        .endm

/*
 * void __cyg_profile_func_enter(void *function, void *call_site)
 *
 * rdi control block, rsi frame, rax edge, r10 and r11 scratch.
 */
        .globl  __cyg_profile_func_enter
        .type   __cyg_profile_func_enter, @function
        .p2align 6
__cyg_profile_func_enter:
        mov     SAVED(RDI), rdi
        mov     SAVED(RSI), rsi
        mov     rdi, prof_self@GOTTPOFF[rip]
        mov     rdi, fs:[rdi]
        mov     SAVED(RAX), rax
        mov     SAVED(10), r10
        mov     SAVED(11), r11
        test    rdi, rdi
        jz      .Lenter_generic
        cmp     dword ptr [rdi + PROF_T_STATE], PROF_HOOKS_ON
        jne     .Lenter_off

        /* The caller: the innermost frame. One in progress (a hook that a signal interrupted) has no edge. */
        mov     rsi, [rdi + PROF_T_TOP]
        cmp     rsi, [rdi + PROF_T_LIMIT]
        jae     .Lenter_generic
        mov     rax, [rsi + PROF_F_EDGE]
        test    rax, rax
        jz      .Lenter_generic

        /* The edge that followed the last one from the same caller, last time. */
        mov     r10, [rax + PROF_E_TO]
        mov     rax, [r10 + PROF_V_LAST]
        mov     rax, [rax + PROF_E_AFTER]
        mov     r11, [rsp]
        cmp     r11, [rax + PROF_E_SITE]
        jne     .Lenter_cache
.Lenter_found:
        /* The same function: the compiler may have merged what ends several in one call of the hook. */
        mov     r10, SAVED(RDI)
        cmp     r10, [rax + PROF_E_FUNCTION]
        jne     .Lenter_generic
        mov     r10d, [rax + PROF_E_MODE]
        xor     r10d, [rdi + PROF_T_MODE]
        jnz     .Lenter_mode
.Lenter_open:
        OPEN_FRAME .Lenter_generic

        /* Another one: the edge taken last from this caller at this site. r10 caller, r11 site. */
        .p2align 4
.Lenter_cache:
        xor     r11, r10
        imul    r11d, r11d, PROF_CACHE_FACTOR
        shr     r11d, 32 - PROF_CACHE_BITS
        mov     rax, [rdi + PROF_T_CACHE]
        mov     rax, [rax + r11 * 8]
        mov     r11, [rsp]
        test    rax, rax
        jz      .Lenter_generic
        cmp     r11, [rax + PROF_E_SITE]
        jne     .Lenter_generic
        cmp     r10, [rax + PROF_E_FROM]
        jne     .Lenter_generic
        mov     r11, [r10 + PROF_V_LAST]
        mov     [r11 + PROF_E_AFTER], rax
        jmp     .Lenter_found

        /* The edge's mode is not the thread's: arguments are to be compared first, or recursion is open. */
        .p2align 4
.Lenter_mode:
        test    r10d, PROF_MODE_OPS
        jnz     .Lenter_compare
        CHECK_RECURSION .Lenter_open, .Lenter_generic
        OPEN_BACK .Lenter_generic

        .p2align 4
.Lenter_compare:
        SAVE_REST
        /* r10 op, rdx end of the ops, r11 word of the edge; r9 value, r8 expected. */
        mov     r10, [rax + PROF_E_SITE_INFO]
        mov     r11d, [r10 + PROF_P_WORDS]
        add     r11, rax
        mov     edx, [r10 + PROF_P_COUNT]
        lea     rdx, [r10 + rdx * PROF_P_OP_SIZE + PROF_P_OPS]
        add     r10, PROF_P_OPS
.Lcompare:
        movzx   r8d, byte ptr [r10 + PROF_P_OP_REG]
        movzx   ecx, byte ptr [r10 + PROF_P_OP_KIND]
        mov     r9, [rsp - PROF_R_SIZE + r8 * 8]
        mov     r8, [r11]
        cmp     cl, PROF_PLAN_REG_NULL
        ja      .Lcompare_other
        movsxd  rcx, dword ptr [r10 + PROF_P_OP_OFFSET]
        lea     r9, [r9 + rcx]
        je      .Lcompare_null
        movzx   ecx, byte ptr [r10 + PROF_P_OP_SHIFT]
        xor     r9, r8
        shl     r9, cl
        /* A shift by cl, which may be 0, sets its flags late: branching on them would cost more than all the rest. */
        test    r9, r9
        jnz     .Lenter_saved
.Lcompare_next:
        add     r10, PROF_P_OP_SIZE
        add     r11, 8
        cmp     r10, rdx
        jne     .Lcompare
        /* All are equal. */
        mov     r10d, [rax + PROF_E_MODE]
        xor     r10d, [rdi + PROF_T_MODE]
        xor     r10d, PROF_MODE_OPS
        jnz     .Lcompare_mode
.Lcompare_open:
        OPEN_FRAME .Lenter_saved
.Lcompare_mode:
        CHECK_RECURSION .Lcompare_open, .Lenter_saved
        OPEN_BACK .Lenter_saved

.Lcompare_null:
        /* 1 for a pointer, 0 for NULL */
        neg     r9
        sbb     r9, r9
        add     r9, r8
        jz      .Lcompare_next
        jmp     .Lenter_saved

.Lcompare_other:
        /* The program's own frame: it never faults. */
        cmp     cl, PROF_PLAN_FRAME4
        jb      .Lcompare_frame8
        je      .Lcompare_frame4
        cmp     cl, PROF_PLAN_FRAME_NULL
        je      .Lcompare_frame_null
        ja      .Lcompare_rest
        cmp     cl, PROF_PLAN_FRAME1
        movsxd  rcx, dword ptr [r10 + PROF_P_OP_OFFSET]
        je      .Lcompare_frame1
        cmp     r8w, [r9 + rcx]
        je      .Lcompare_next
        jmp     .Lenter_saved
.Lcompare_frame1:
        cmp     r8b, [r9 + rcx]
        je      .Lcompare_next
        jmp     .Lenter_saved
.Lcompare_frame4:
        movsxd  rcx, dword ptr [r10 + PROF_P_OP_OFFSET]
        cmp     r8d, [r9 + rcx]
        je      .Lcompare_next
        jmp     .Lenter_saved
.Lcompare_frame8:
        movsxd  rcx, dword ptr [r10 + PROF_P_OP_OFFSET]
        cmp     r8, [r9 + rcx]
        je      .Lcompare_next
        jmp     .Lenter_saved
.Lcompare_frame_null:
        movsxd  rcx, dword ptr [r10 + PROF_P_OP_OFFSET]
        mov     r9, [r9 + rcx]
        jmp     .Lcompare_null
.Lcompare_rest:
        cmp     cl, PROF_PLAN_LOG2
        jb      .Lcompare_next
        ja      .Lcompare_return
        /* The bucket of the value; that of a negative one is minus the bucket of its negation. */
        movsxd  rcx, dword ptr [r10 + PROF_P_OP_OFFSET]
        add     r9, rcx
        movzx   ecx, byte ptr [r10 + PROF_P_OP_SHIFT]
        shl     r9, cl
        test    byte ptr [r10 + PROF_P_OP_FLAGS], 1
        jz      1f
        sar     r9, cl
        jns     2f
        neg     r9
        neg     r8
        jmp     2f
1:      shr     r9, cl
2:      mov     rcx, -1
        bsr     rcx, r9 /* without a bit set, it leaves its target alone */
        add     rcx, 1
        cmp     rcx, r8
        je      .Lcompare_next
        jmp     .Lenter_saved

.Lcompare_return:
        /* The caller, of which the plan knows what it passed. This op is two, and compares no word. */
        movsxd  rcx, dword ptr [r10 + PROF_P_OP_OFFSET]
        mov     r9, [r9 + rcx]
        add     r10, PROF_P_OP_SIZE
        sub     r11, 8
        cmp     r9, [r10]
        je      .Lcompare_next
        jmp     .Lenter_saved

.Lenter_off:
        cmp     dword ptr [rdi + PROF_T_STATE], PROF_HOOKS_OFF
        jne     .Lenter_generic
        ret

.Lenter_generic:
        SAVE_REST
.Lenter_saved:
        mov     rdi, SAVED(RDI)
        mov     rsi, SAVED(RSI)
        lea     rdx, SAVED(0)
        sub     rsp, PROF_R_SIZE + 8
        call    prof_hook_enter
        add     rsp, PROF_R_SIZE + 8
        ret
        .size   __cyg_profile_func_enter, . - __cyg_profile_func_enter

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
        CALL_EXIT prof_hook_exit_more

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

        .section .note.GNU-stack, "", @progbits
