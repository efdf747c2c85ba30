/* Calls the hooks as an empty function would, so that calibration can measure them. */
#include "profiler/arch/aarch64/primitives/function.inc"

        .text

/* void prof_calibration_calls(uint64_t count, uintptr_t function): the hooks are called as the program calls them. */
        .globl  prof_calibration_site
        .hidden prof_calibration_site
        FUNCTION prof_calibration_calls, 6
        stp     x29, x30, [sp, #-32]!
        mov     x29, sp
        stp     x19, x20, [sp, #16]
        mov     x19, x0
        mov     x20, x1
1:      mov     x0, x20
        mov     x1, xzr
        bl      __cyg_profile_func_enter
prof_calibration_site:
        mov     x0, x20
        mov     x1, xzr
        bl      __cyg_profile_func_exit
        subs    x19, x19, #1
        b.ne    1b
        ldp     x19, x20, [sp, #16]
        ldp     x29, x30, [sp], #32
        ret
        END_FUNCTION prof_calibration_calls

        .section .note.GNU-stack, "", %progbits
