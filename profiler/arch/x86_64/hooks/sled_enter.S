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

/* Where the stub of an entry goes whose calls no code is for: r11 is saved. */
        .globl  prof_sled_unknown
        .hidden prof_sled_unknown
        .type   prof_sled_unknown, @function
        .p2align 6
prof_sled_unknown:
        mov     r11, SAVED(11)
        .size   prof_sled_unknown, . - prof_sled_unknown
/* The hook, with the registers as they were at the sled: the return address is the probe site. */
        .globl  prof_sled_enter
        .hidden prof_sled_enter
        .type   prof_sled_enter, @function
prof_sled_enter:
#include "profiler/arch/x86_64/hooks/enter_path.inc"
        .size   prof_sled_enter, . - prof_sled_enter

/*
 * The edge in rax is that of the call, if it is one that the site's code compares. r10 control block, rdx the innermost frame, r11d
 * what the edge's mode differs by from the thread's and that of the site's link.
 */
        .globl  prof_sled_found
        .hidden prof_sled_found
        .type   prof_sled_found, @function
        .p2align 4
prof_sled_found:
        cmp     r11d, 1 << PROF_MODE_CODE_SHIFT
        jae     prof_sled_miss
        and     r11d, PROF_MODE_DECIDES ^ PROF_MODE_OPS
        jz      .Lsled_enter_found_open
        /* A function that is not active may be called as a plain one while recursion is open. */
        cmp     r11d, PROF_MODE_RECURSION ^ PROF_MODE_PLAIN
        jne     .Lsled_enter_found_other
        cmp     dword ptr [r10 + PROF_T_MODE], PROF_MODE_RECURSION
        jne     .Lsled_enter_found_other
        test    dword ptr [rax + PROF_E_FLAGS], PROF_E_FLAG_MODULE
        jnz     .Lsled_enter_found_other
        mov     r11, [rax + PROF_E_SITE_INFO]
        mov     r11, [r11 + PROF_C_ACTIVE]
        cmp     qword ptr [r11], 0
        jne     .Lsled_enter_found_other
.Lsled_enter_found_open:
        lea     r11, [rsp + 16]
        cmp     r11, [rdx + PROF_F_CFA]
        jae     prof_sled_miss
        cmp     r11, [r10 + PROF_T_STACK_LOW]
        jbe     prof_sled_miss
        add     rdx, PROF_F_SIZE
        mov     [rdx + PROF_F_CFA], r11
        mov     [r10 + PROF_T_TOP], rdx
        mov     r11, [rax + PROF_E_COUNTERS]
        mov     [rdx + PROF_F_FLAGS], r11
        test    dword ptr [rax + PROF_E_MODE], PROF_MODE_SAMPLED
        jz      prof_sled_timed
        dec     dword ptr [r10 + PROF_T_SAMPLE]
        jz      prof_sled_sample
        mov     qword ptr [rdx + PROF_F_START], 0
        mov     [rdx + PROF_F_EDGE], rax
        mov     rax, SAVED(RAX)
        mov     rdx, SAVED(RDX)
        mov     r10, SAVED(10)
        mov     r11, SAVED(11)
        ret
.Lsled_enter_found_other:
        mov     SAVED(RDI), rdi
        mov     SAVED(RSI), rsi
        mov     rdi, r10
        mov     rsi, rdx
        mov     r10d, r11d
        jmp     L(unequal)
        .size   prof_sled_found, . - prof_sled_found

/* The code of a site did not find the edge: the hook, with the registers as they were. */
        .globl  prof_sled_miss
        .hidden prof_sled_miss
        .type   prof_sled_miss, @function
        .p2align 4
prof_sled_miss:
        mov     rax, SAVED(RAX)
        mov     rdx, SAVED(RDX)
        mov     r10, SAVED(10)
        mov     r11, SAVED(11)
        jmp     prof_sled_enter
        .size   prof_sled_miss, . - prof_sled_miss

/* Draws the next call that is timed, as NEXT_SAMPLE does. */
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
        .size   prof_sled_sample, . - prof_sled_sample
/* Goes on here. The clock last; then the edge rax opens the frame rdx. */
        .globl  prof_sled_timed
        .hidden prof_sled_timed
        .type   prof_sled_timed, @function
prof_sled_timed:
        mov     r10, rdx
        mov     r11, rax
        rdtsc
        shl     rdx, 32
        or      rax, rdx
        mov     [r10 + PROF_F_START], rax
        mov     [r10 + PROF_F_EDGE], r11
        mov     rax, SAVED(RAX)
        mov     rdx, SAVED(RDX)
        mov     r10, SAVED(10)
        mov     r11, SAVED(11)
        ret
        .size   prof_sled_timed, . - prof_sled_timed

        .section .note.GNU-stack, "", @progbits
