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

/* Where the code of a module's exits goes on (exit_code.c), which has taken off what was counted when it began. */
        .globl  prof_sled_exit
        .hidden prof_sled_exit
        .type   prof_sled_exit, @function
        .p2align 6
prof_sled_exit:
#include "profiler/arch/x86_64/hooks/exit_path.inc"
        .size   prof_sled_exit, . - prof_sled_exit

        .section .note.GNU-stack, "", @progbits
