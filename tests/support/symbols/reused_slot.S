/*
 * A program as clang 14 describes it: the parameter of each inlined function is told from the return of the hook's call on,
 * in a slot of the frame. kept()'s lies there before, and is told no longer behind the store that puts something else there;
 * filled()'s is stored there after the call, and told on behind that.
 */
#include "described_probe.inc"

    probe_begin
    pushq %rbx
    .cfi_def_cfa_offset 16
    .cfi_offset %rbx, -16
    subq $32, %rsp
    .cfi_def_cfa_offset 48
    movq $41, 8(%rsp)
    movq $1, 16(%rsp)
    movl $7, %ebx
.Lkept:
    leaq kept(%rip), %rdi
    movq 40(%rsp), %rsi
    call __cyg_profile_func_enter@PLT
.Lkept_told:
    movq 8(%rsp), %rax
    movq %rbx, 8(%rsp)
.Lkept_moved:
    leaq kept(%rip), %rdi
    movq 40(%rsp), %rsi
    call __cyg_profile_func_exit@PLT
.Lkept_end:
.Lfilled:
    leaq filled(%rip), %rdi
    movq 40(%rsp), %rsi
    call __cyg_profile_func_enter@PLT
.Lfilled_told:
    movq %rbx, 16(%rsp)
    leaq filled(%rip), %rdi
    movq 40(%rsp), %rsi
    call __cyg_profile_func_exit@PLT
.Lfilled_end:
    addq $32, %rsp
    .cfi_def_cfa_offset 16
    popq %rbx
    probe_end

    .globl kept, filled
    .type kept, @function
kept:
    ret
    .size kept, . - kept
    .type filled, @function
filled:
    ret
    .size filled, . - filled

#include "described_inlining.inc"

    .section .debug_loc,"",@progbits
.Llocations:
.Lkept_list:
    .quad .Lkept_told - .Lprobe, .Lkept_moved - .Lprobe
    .short 2
    .byte 0x77, 8 /* DW_OP_breg7: rsp */
    .quad .Lkept_moved - .Lprobe, .Lkept_end - .Lprobe
    .short 1
    .byte 0x50 /* DW_OP_reg0: rax */
    .quad 0, 0
.Lfilled_list:
    .quad .Lfilled_told - .Lprobe, .Lfilled_end - .Lprobe
    .short 2
    .byte 0x77, 16
    .quad .Lfilled_end - .Lprobe, .Lprobe_end - .Lprobe
    .short 1
    .byte 0x53 /* DW_OP_reg3: rbx */
    .quad 0, 0

    described_unit "reused_slot.c"
    described_root kept
    described_root filled
    described_probe
    described_instance kept
    described_instance filled
    .byte 0
    described_copy kept
    described_copy filled
    described_end
