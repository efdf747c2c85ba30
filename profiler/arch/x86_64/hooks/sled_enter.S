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

        .section .note.GNU-stack, "", @progbits
