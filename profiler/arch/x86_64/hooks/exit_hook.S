/*
 * The exit hook and its fast path.
 *
 * It closes the innermost frame and counts the call in its edge: one frame and two edges, the clock read once, no register
 * saved. Whatever is out of the ordinary goes to generic_path.c. docs/hot-path.md gives each step's reason and cost.
 */
#include "profiler/hook/asm_offsets.h"

        .intel_syntax noprefix
        .text

        .set    in_sled, 0
#include "profiler/arch/x86_64/hooks/registers.inc"
#include "profiler/arch/x86_64/hooks/close_frame.inc"

#define L(name) .Lexit_##name

/* void __cyg_profile_func_exit(void *function, void *call_site) */
        .globl  __cyg_profile_func_exit
        .type   __cyg_profile_func_exit, @function
        .p2align 6
__cyg_profile_func_exit:
#include "profiler/arch/x86_64/hooks/exit_path.inc"
        .size   __cyg_profile_func_exit, . - __cyg_profile_func_exit

        .section .note.GNU-stack, "", @progbits
