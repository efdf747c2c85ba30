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

/* Called by the sled (by a jump through its stub): the return address is the probe site. */
        .globl  prof_sled_enter
        .hidden prof_sled_enter
        .type   prof_sled_enter, @function
        .p2align 6
prof_sled_enter:
#include "profiler/arch/x86_64/hooks/enter_path.inc"
        .size   prof_sled_enter, . - prof_sled_enter

/* The edge in rax is that of the call, but is in another mode than the thread in r10. */
        .globl  prof_sled_found
        .hidden prof_sled_found
        .type   prof_sled_found, @function
        .p2align 4
prof_sled_found:
        mov     SAVED(RDI), rdi
        mov     SAVED(RSI), rsi
        mov     rdi, r10
        mov     rsi, [rdi + PROF_T_TOP]
        mov     r10d, [rax + PROF_E_MODE]
        xor     r10d, [rdi + PROF_T_MODE]
        and     r10d, PROF_MODE_DECIDES ^ PROF_MODE_OPS
        jz      L(open)
        jmp     L(unequal)
        .size   prof_sled_found, . - prof_sled_found

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
