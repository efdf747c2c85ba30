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

        .set    in_sled, 0
#include "profiler/arch/x86_64/hooks/open_frame.inc"
#include "profiler/arch/x86_64/hooks/registers.inc"

#define L(name) .Lenter_##name

/* void __cyg_profile_func_enter(void *function, void *call_site) */
        .globl  __cyg_profile_func_enter
        .type   __cyg_profile_func_enter, @function
        .p2align 6
__cyg_profile_func_enter:
#include "profiler/arch/x86_64/hooks/enter_path.inc"
        .size   __cyg_profile_func_enter, . - __cyg_profile_func_enter

        .section .note.GNU-stack, "", @progbits
