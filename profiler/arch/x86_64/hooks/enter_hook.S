/*
 * The enter hook and its fast path.
 *
 * The fast path handles a call that follows the same edge as foretold: it reads one control block, one frame, two edges and a
 * variant, writes one frame, and reads the clock once; it saves no register and calls nothing. Whatever is out of the ordinary
 * goes to generic_path.c, which starts from the registers as they were at the call.
 *
 * A hook is entered by a call, so every register may be changed that a callee may change, and the red zone is free. It holds the
 * registers that the entry uses before it is known who needs them: struct prof_registers, by DWARF number, ends where the return
 * address lies. docs/hot-path.md gives each step's reason and cost.
 */
#include "profiler/hook/asm_offsets.h"

        .intel_syntax noprefix
        .text

#include "profiler/arch/x86_64/hooks/open_frame.inc"

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
        mov     r11d, [r10 + PROF_C_WORDS]
        add     r11, rax
        mov     edx, [r10 + PROF_C_COUNT]
        lea     rdx, [r10 + rdx * PROF_C_OP_SIZE + PROF_C_OPS]
        add     r10, PROF_C_OPS
.Lcompare:
        movzx   r8d, byte ptr [r10 + PROF_C_OP_REG]
        movzx   ecx, byte ptr [r10 + PROF_C_OP_KIND]
        mov     r9, [rsp - PROF_R_SIZE + r8 * 8]
        mov     r8, [r11]
        cmp     cl, PROF_COMPARE_REG_NULL
        ja      .Lcompare_other
        movsxd  rcx, dword ptr [r10 + PROF_C_OP_OFFSET]
        lea     r9, [r9 + rcx]
        je      .Lcompare_null
        movzx   ecx, byte ptr [r10 + PROF_C_OP_SHIFT]
        xor     r9, r8
        shl     r9, cl
        /* A shift by cl, which may be 0, sets its flags late: branching on them would cost more than all the rest. */
        test    r9, r9
        jnz     .Lenter_saved
.Lcompare_next:
        add     r10, PROF_C_OP_SIZE
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
        cmp     cl, PROF_COMPARE_FRAME4
        jb      .Lcompare_frame8
        je      .Lcompare_frame4
        cmp     cl, PROF_COMPARE_FRAME_NULL
        je      .Lcompare_frame_null
        ja      .Lcompare_rest
        cmp     cl, PROF_COMPARE_FRAME1
        movsxd  rcx, dword ptr [r10 + PROF_C_OP_OFFSET]
        je      .Lcompare_frame1
        cmp     r8w, [r9 + rcx]
        je      .Lcompare_next
        jmp     .Lenter_saved
.Lcompare_frame1:
        cmp     r8b, [r9 + rcx]
        je      .Lcompare_next
        jmp     .Lenter_saved
.Lcompare_frame4:
        movsxd  rcx, dword ptr [r10 + PROF_C_OP_OFFSET]
        cmp     r8d, [r9 + rcx]
        je      .Lcompare_next
        jmp     .Lenter_saved
.Lcompare_frame8:
        movsxd  rcx, dword ptr [r10 + PROF_C_OP_OFFSET]
        cmp     r8, [r9 + rcx]
        je      .Lcompare_next
        jmp     .Lenter_saved
.Lcompare_frame_null:
        movsxd  rcx, dword ptr [r10 + PROF_C_OP_OFFSET]
        mov     r9, [r9 + rcx]
        jmp     .Lcompare_null
.Lcompare_rest:
        cmp     cl, PROF_COMPARE_LOG2
        jb      .Lcompare_next
        ja      .Lcompare_return
        /* The bucket of the value; that of a negative one is minus the bucket of its negation. */
        movsxd  rcx, dword ptr [r10 + PROF_C_OP_OFFSET]
        add     r9, rcx
        movzx   ecx, byte ptr [r10 + PROF_C_OP_SHIFT]
        shl     r9, cl
        test    byte ptr [r10 + PROF_C_OP_FLAGS], 1
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
        /* The caller, of which it is known what it passed. This op is two, and compares no word. */
        movsxd  rcx, dword ptr [r10 + PROF_C_OP_OFFSET]
        mov     r9, [r9 + rcx]
        add     r10, PROF_C_OP_SIZE
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

        .section .note.GNU-stack, "", @progbits
