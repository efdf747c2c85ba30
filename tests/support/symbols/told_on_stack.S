/*
 * A program as clang 16 describes it. taken() is passed its parameter on the stack, behind six others. It is told there
 * where the frame has been made, and then, where a register has it, what the function makes of it: a third.
 *
 * hands() and holds() keep theirs where their caller puts it, and hand it on in the same way: hands() to one that does not look at
 * it, so that no caller need put anything there.
 */
#include "described_probe.inc"

    probe_begin
    subq $8, %rsp
    .cfi_def_cfa_offset 16
    pushq $41
    .cfi_def_cfa_offset 24
    pushq $41
    .cfi_def_cfa_offset 32
    call taken
    call hands
    call holds
    addq $24, %rsp
    probe_end

    .globl taken
    .type taken, @function
taken:
    .cfi_startproc
    pushq %rbx
    .cfi_def_cfa_offset 16
    .cfi_offset %rbx, -16
.Ltaken_pushed:
    movq 16(%rsp), %rbx
.Ltaken_kept:
    leaq taken(%rip), %rdi
    movq 8(%rsp), %rsi
    call __cyg_profile_func_enter@PLT
    leaq taken(%rip), %rdi
    movq 8(%rsp), %rsi
    call __cyg_profile_func_exit@PLT
    popq %rbx
    .cfi_def_cfa_offset 8
    ret
    .cfi_endproc
.Ltaken_end:
    .size taken, . - taken

    .macro handing name, to
    .globl \name
    .type \name, @function
\name:
    .cfi_startproc
    subq $24, %rsp
    .cfi_def_cfa_offset 32
    leaq \name(%rip), %rdi
    movq 24(%rsp), %rsi
    call __cyg_profile_func_enter@PLT
    leaq 32(%rsp), %rax
    movups (%rax), %xmm0
    movups %xmm0, (%rsp)
    call \to
    leaq \name(%rip), %rdi
    movq 24(%rsp), %rsi
    call __cyg_profile_func_exit@PLT
    addq $24, %rsp
    .cfi_def_cfa_offset 8
    ret
    .cfi_endproc
.L\name\()_end:
    .size \name, . - \name
    .endm
    handing hands, blind
    handing holds, looks
    .type blind, @function
blind:
    movq (%rsp), %rax
    ret
    .size blind, . - blind
    .type looks, @function
looks:
    movq 8(%rsp), %rax
    ret
    .size looks, . - looks

#include "described_inlining.inc"

    .section .debug_loc,"",@progbits
.Ltaken_copy_list:
    .quad .Ltaken_pushed - .Lprobe, .Ltaken_kept - .Lprobe
    .short 2
    .byte 0x77, 16 /* DW_OP_breg7 (rsp) */
    .quad .Ltaken_kept - .Lprobe, .Ltaken_end - .Lprobe
    .short 5
    .byte 0x73, 0, 0x33, 0x1b, 0x9f /* DW_OP_breg3 (rbx), DW_OP_lit3, DW_OP_div, DW_OP_stack_value */
    .quad 0, 0

    described_unit "told_on_stack.c", "clang version 16.0.6"
    described_root taken, 6
    described_root hands
    described_root holds
    described_probe
    .byte 0
    described_own_copy taken, 6, 1
    described_stack_copy hands, 32
    described_stack_copy holds, 32
    described_end
