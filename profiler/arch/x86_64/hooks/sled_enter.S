/*
 * The hook that an entry sled calls, when its own stub did not know the edge.
 *
 * It stands at the first instruction of a function: no register may change, nothing lies below the stack pointer, and the
 * arguments are where the ABI passes them.
 */
#include "profiler/hook/asm_offsets.h"

        .intel_syntax noprefix
        .text

        .set    in_sled, 1
#include "profiler/arch/x86_64/hooks/open_frame.inc"
#include "profiler/arch/x86_64/hooks/registers.inc"

#define L(name) .Lsled_enter_##name

/* Where the stub of an entry goes whose calls no code is for: r11 is saved. Of a program that does not record, that is every one. */
        .globl  prof_sled_unknown
        .hidden prof_sled_unknown
        .type   prof_sled_unknown, @function
        .p2align 6
prof_sled_unknown:
        mov     r11, prof_self@GOTTPOFF[rip]
        mov     r11, fs:[r11]
        cmp     dword ptr [r11 + PROF_T_STATE], PROF_HOOKS_OFF
        jne     1f
        IF_ASKED r11, 1f
        mov     r11, SAVED(11)
        ret
1:      mov     r11, SAVED(11)
        .size   prof_sled_unknown, . - prof_sled_unknown
/* The hook, with the registers as they were at the sled: the return address is the probe site. */
        .globl  prof_sled_enter
        .hidden prof_sled_enter
        .type   prof_sled_enter, @function
prof_sled_enter:
#include "profiler/arch/x86_64/hooks/enter_path.inc"
        .size   prof_sled_enter, . - prof_sled_enter

/* Gives back all that the code of a site changes. */
        .macro  LEAVE_SITE
        mov     rax, SAVED(RAX)
        mov     rdx, SAVED(RDX)
        mov     rcx, SAVED(RCX)
        mov     r10, SAVED(10)
        mov     r11, SAVED(11)
        ret
        .endm

/* Reserves the frame rdx, above the one that it is at first. Changes \scratch. */
        .macro  RESERVE scratch, fail
        lea     \scratch, [rsp + 16]
        cmp     \scratch, [rdx + PROF_F_CFA]
        jae     \fail
        cmp     \scratch, [r10 + PROF_T_STACK_LOW]
        jbe     \fail
        add     rdx, PROF_F_SIZE
        mov     [rdx + PROF_F_CFA], \scratch
        mov     [r10 + PROF_T_TOP], rdx
        mov     [rdx + PROF_F_CFA], \scratch /* again, as in open_frame.inc */
        .endm

/* Falls through when the word of a group of the recursion record r11 is 0, unless `active`, or owned. Changes rsi and rdi. */
        .macro  CHECK_WORD group, fail, active=0
        mov     rsi, [r11 + PROF_X_ACTIVE + 8 * \group]
        mov     rdi, [rsi]
        test    rdi, rdi
        .if     \active
        jz      \fail
        .else
        jz      1f
        .endif
        test    byte ptr [rdi + PROF_F_FLAGS], PROF_FRAME_MARKED
        jz      \fail
        mov     rdi, [rdi + PROF_F_EDGE]
        test    rdi, rdi
        jz      \fail
        mov     rdi, [rdi + PROF_E_RECURSION]
        test    rdi, rdi
        jz      \fail
        cmp     rsi, [rdi + PROF_X_ACTIVE + 8 * \group]
        jne     \fail
1:
        .endm

/* Has the frame rdx own a group of the recursion record r11. Changes rsi. */
        .macro  SET_OWNER group
        mov     rsi, [r11 + PROF_X_ACTIVE + 8 * \group]
        mov     [rsi], rdx
        .endm

/* Adds a call that takes rdi to a group of the recursion record r11, if the group is inactive. Changes rsi. */
        .macro  COUNT_GROUP group
        mov     rsi, [r11 + PROF_X_ACTIVE + 8 * \group]
        cmp     qword ptr [rsi], 0
        jne     1f
        add     qword ptr [r11 + PROF_X_PRIMITIVE + 8 * \group], 1
        add     [r11 + PROF_X_CUMULATIVE + 8 * \group], rdi
1:
        .endm

/*
 * The edge in rax is that of the call, but may not be called as it is. r10 control block, rdx the innermost frame, rcx its edge, r11d
 * what the edge's mode differs by from the thread's and that of the site's link.
 *
 * What is only counted is so here, if it can be: its exit finds nothing to do then.
 */
        .globl  prof_sled_found
        .hidden prof_sled_found
        .type   prof_sled_found, @function
        .p2align 4
prof_sled_found:
        and     r11d, PROF_MODE_DECIDES ^ PROF_MODE_OPS
        jz      .Lsled_enter_found_open
        /* Calls that are timed each, though those inside of them are drawn, differ in nothing else. */
        test    r11d, PROF_MODE_APART
        jz      1f
        test    dword ptr [rax + PROF_E_FLAGS], PROF_E_FLAG_LOOKS
        jnz     .Lsled_enter_found_other
        xor     r11d, PROF_MODE_APART
        jz      .Lsled_enter_found_open
        cmp     r11d, PROF_MODE_RECURSION ^ PROF_MODE_PLAIN
        jne     .Lsled_enter_found_other
1:      cmp     dword ptr [r10 + PROF_T_MODE], PROF_MODE_RECURSION
        jne     .Lsled_enter_found_other
        test    dword ptr [rax + PROF_E_FLAGS], PROF_E_FLAG_MODULE
        jnz     .Lsled_enter_found_other
        cmp     r11d, PROF_MODE_RECURSION ^ PROF_MODE_BACK
        je      .Lsled_enter_found_inside
        cmp     r11d, PROF_MODE_RECURSION ^ PROF_MODE_PLAIN
        jne     .Lsled_enter_found_other
        /* A function that is not active may be called as a plain one while recursion is open. */
        mov     r11, [rax + PROF_E_SITE_INFO]
        mov     r11, [r11 + PROF_C_ACTIVE]
        cmp     qword ptr [r11], 0
        jne     .Lsled_enter_found_inside
        test    dword ptr [rax + PROF_E_MODE], PROF_MODE_OWNING
        jnz     .Lsled_enter_found_outermost
.Lsled_enter_found_open:
        RESERVE r11, .Lsled_enter_found_miss
        test    dword ptr [rax + PROF_E_MODE], PROF_MODE_SAMPLED
        jz      .Lsled_enter_found_timed
        dec     dword ptr [r10 + PROF_T_SAMPLE]
        jle     .Lsled_enter_found_sample
        mov     [rdx + PROF_F_FLAGS], rsp
        mov     r11, [rax + PROF_S_IMPUTED]
        mov     r10, [rax + PROF_E_COUNTERS]
        add     qword ptr [r10], 1
        add     [r10 + 8], r11
        add     [rcx + PROF_E_CHILDREN], r11
        mov     qword ptr [rdx + PROF_F_START], PROF_COUNTED
        lea     r11, [rax + PROF_E_CALLS]
        cmp     r10, r11
        je      1f
        mov     qword ptr [rdx + PROF_F_START], PROF_COUNTED_INSIDE
1:      mov     [rdx + PROF_F_EDGE], rax
        LEAVE_SITE

.Lsled_enter_found_sample:
        mov     rcx, SAVED(RCX)
        mov     r11, [rax + PROF_E_COUNTERS]
        mov     [rdx + PROF_F_FLAGS], r11
        jmp     prof_sled_sample
.Lsled_enter_found_timed:
        mov     rcx, SAVED(RCX)
        mov     r11, [rax + PROF_E_COUNTERS]
        mov     [rdx + PROF_F_FLAGS], r11
        jmp     prof_sled_timed
.Lsled_enter_found_miss:
        mov     rcx, SAVED(RCX)
        jmp     prof_sled_miss

        /* A plain call, inside of which a function is likely to be called again that is on the path: it is settled from its beginning,
         * and owns all of its groups but the module. Whether that is worth it is asked anew whenever a call is timed. */
.Lsled_enter_found_outermost:
        test    dword ptr [rax + PROF_E_MODE], PROF_MODE_SAMPLED
        jz      1f
        cmp     dword ptr [r10 + PROF_T_SAMPLE], 1
        jle     .Lsled_enter_found_ask
1:      cmp     rdx, [r10 + PROF_T_MARKED]
        jne     .Lsled_enter_found_open
        mov     r11, [rax + PROF_E_RECURSION]
        test    r11, r11
        jz      .Lsled_enter_found_open
        cmp     qword ptr [r11 + PROF_X_ACTIVE + 8 * PROF_X_SIGNATURE_STAGE], 0
        jne     .Lsled_enter_found_open
        mov     SAVED(RSI), rsi
        mov     SAVED(RDI), rdi
        RESERVE rdi, .Lsled_enter_found_unsure
        lea     rdi, [rax + PROF_E_CALLS]
        mov     [rdx + PROF_F_FLAGS], rdi
        mov     qword ptr [rdx + PROF_F_START], -1
        mov     [rdx + PROF_F_EDGE], rax
        /* Nobody is believed to own them, and this frame not before its mark. Until then a handler settles it like any other; the edge
         * changes only once an exit knows that it has to be changed back. */
        SET_OWNER PROF_X_FUNCTION
        SET_OWNER PROF_X_SIGNATURE
        SET_OWNER PROF_X_FUNCTION_PAIR
        SET_OWNER PROF_X_SIGNATURE_PAIR
        or      byte ptr [rdx + PROF_F_FLAGS], PROF_FRAME_MARKED
        mov     [r11 + PROF_X_ACTIVE + 8 * PROF_X_EDGE], rdx
        lea     rdi, [r11 + PROF_X_CALLS]
        mov     [rax + PROF_E_COUNTERS], rdi
        mov     [r10 + PROF_T_MARKED], rdx
        mov     rsi, SAVED(RSI)
        mov     rdi, SAVED(RDI)
        mov     rcx, SAVED(RCX)
        test    dword ptr [rax + PROF_E_MODE], PROF_MODE_APART
        jz      1f
        and     dword ptr [rax + PROF_E_MODE], ~PROF_MODE_APART
        or      dword ptr [rax + PROF_E_MODE], PROF_MODE_RECURSION | PROF_MODE_SAMPLED
        jmp     prof_sled_timed
1:      or      dword ptr [rax + PROF_E_MODE], PROF_MODE_RECURSION
        test    dword ptr [rax + PROF_E_MODE], PROF_MODE_SAMPLED
        jz      prof_sled_timed
        /* To 0 or below where a handler's hooks have counted since it was looked at: then the next call is drawn. */
        dec     dword ptr [r10 + PROF_T_SAMPLE]
        mov     qword ptr [rdx + PROF_F_START], 0
        LEAVE_SITE
.Lsled_enter_found_ask:
        and     dword ptr [rax + PROF_E_MODE], ~PROF_MODE_OWNING
        jmp     .Lsled_enter_found_open

        /* The function is active, and the edge is not: the call may be outermost for its signature and its pairs. With the frames below
         * settled these say so, and it is counted. It owns nothing yet: what is called from it does not ask, unless it is of such an
         * edge itself. Then this frame is settled, and later calls of its edge are not treated so. */
.Lsled_enter_found_inside:
        /* The first frame of a back edge that is open has to be known as that. */
        cmp     qword ptr [r10 + PROF_T_RECURSION], 0
        je      .Lsled_enter_found_other
        mov     r11d, [rax + PROF_E_MODE]
        and     r11d, PROF_MODE_SAMPLED | PROF_MODE_OWNING
        cmp     r11d, PROF_MODE_SAMPLED
        jne     .Lsled_enter_found_other
        cmp     dword ptr [r10 + PROF_T_SAMPLE], 1
        jle     .Lsled_enter_found_other
        cmp     rdx, [r10 + PROF_T_MARKED]
        jne     .Lsled_enter_found_other
        mov     r11, [rax + PROF_E_RECURSION]
        test    r11, r11
        jz      .Lsled_enter_found_other
        cmp     qword ptr [r11 + PROF_X_ACTIVE + 8 * PROF_X_SIGNATURE_STAGE], 0
        jne     .Lsled_enter_found_other
        mov     SAVED(RSI), rsi
        mov     SAVED(RDI), rdi
        CHECK_WORD PROF_X_FUNCTION, .Lsled_enter_found_unsure, 1
        CHECK_WORD PROF_X_SIGNATURE, .Lsled_enter_found_unsure
        CHECK_WORD PROF_X_FUNCTION_PAIR, .Lsled_enter_found_unsure
        CHECK_WORD PROF_X_SIGNATURE_PAIR, .Lsled_enter_found_unsure
        RESERVE rdi, .Lsled_enter_found_unsure
        dec     dword ptr [r10 + PROF_T_SAMPLE] /* as above */
        mov     [rdx + PROF_F_FLAGS], rsp
        mov     rdi, [rax + PROF_S_IMPUTED]
        add     qword ptr [r11 + PROF_X_CALLS], 1
        add     [r11 + PROF_X_CALLS + 8], rdi
        add     [rcx + PROF_E_CHILDREN], rdi
        COUNT_GROUP PROF_X_SIGNATURE
        COUNT_GROUP PROF_X_FUNCTION_PAIR
        COUNT_GROUP PROF_X_SIGNATURE_PAIR
        mov     qword ptr [rdx + PROF_F_START], PROF_COUNTED_UNOWNED
        mov     [rdx + PROF_F_EDGE], rax
        mov     rsi, SAVED(RSI)
        mov     rdi, SAVED(RDI)
        LEAVE_SITE
.Lsled_enter_found_unsure:
        mov     rsi, SAVED(RSI)
        mov     rdi, SAVED(RDI)
.Lsled_enter_found_other:
        mov     rcx, SAVED(RCX)
        mov     SAVED(RDI), rdi
        mov     SAVED(RSI), rsi
        mov     rdi, r10
        mov     rsi, rdx
        mov     r10d, [rax + PROF_E_MODE]
        xor     r10d, [rdi + PROF_T_MODE]
        and     r10d, PROF_MODE_DECIDES ^ PROF_MODE_OPS
        jmp     L(unequal)
        .size   prof_sled_found, . - prof_sled_found

/* The code of a site did not find the edge, or the thread r10 does not record: the hook, with the registers as they were, if it has
 * anything to do. */
        .globl  prof_sled_miss
        .hidden prof_sled_miss
        .type   prof_sled_miss, @function
        .p2align 4
prof_sled_miss:
        cmp     dword ptr [r10 + PROF_T_STATE], PROF_HOOKS_OFF
        je      2f
1:      mov     rax, SAVED(RAX)
        mov     rdx, SAVED(RDX)
        mov     r10, SAVED(10)
        mov     r11, SAVED(11)
        jmp     prof_sled_enter
2:      IF_ASKED rax, 1b
        mov     rax, SAVED(RAX)
        mov     rdx, SAVED(RDX)
        mov     r10, SAVED(10)
        mov     r11, SAVED(11)
        ret
        .size   prof_sled_miss, . - prof_sled_miss

/* Has the edge r11 open the frame r10, which begins at rax, and goes on in the function. */
        .macro  OPEN_TIMED
        mov     [r10 + PROF_F_START], rax
        mov     [r10 + PROF_F_EDGE], r11
        mov     rax, SAVED(RAX)
        mov     rdx, SAVED(RDX)
        mov     r10, SAVED(10)
        mov     r11, SAVED(11)
        ret
        .endm

/* Draws the next call that is timed, as NEXT_SAMPLE does, and opens the frame rdx by the edge rax for this one. */
        .globl  prof_sled_sample
        .hidden prof_sled_sample
        .type   prof_sled_sample, @function
        .p2align 4
prof_sled_sample:
        mov     SAVED(RSI), rsi
        mov     rsi, [r10 + PROF_T_RANDOM]
        mov     r11, rsi
        shl     r11, 13
        xor     rsi, r11
        mov     r11, rsi
        shr     r11, 7
        xor     rsi, r11
        mov     r11, rsi
        shl     r11, 17
        xor     rsi, r11
        mov     [r10 + PROF_T_RANDOM], rsi
        shr     rsi, 32
        and     esi, [r10 + PROF_T_SAMPLE_MASK]
        inc     esi
        mov     [r10 + PROF_T_SAMPLE], esi
        mov     rsi, SAVED(RSI)
        mov     r10, rdx
        mov     r11, rax
        READ_COUNTER_APART
        OPEN_TIMED
        .size   prof_sled_sample, . - prof_sled_sample

/* The clock last; then the edge rax opens the frame rdx. */
        .globl  prof_sled_timed
        .hidden prof_sled_timed
        .type   prof_sled_timed, @function
        .p2align 4
prof_sled_timed:
        mov     r10, rdx
        mov     r11, rax
        READ_COUNTER
        OPEN_TIMED
        .size   prof_sled_timed, . - prof_sled_timed

        .section .note.GNU-stack, "", @progbits
