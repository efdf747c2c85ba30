/*
 * A program as clang describes it: two functions that it has made its own way of calling of tell of their parameter what
 * is computed, from their first instruction on. counted() counts it at once, and tells the sum; narrow() tells the part that it has a use for.
 */
#include "described_probe.inc"

    probe_begin
    subq $8, %rsp
    .cfi_def_cfa_offset 16
    movl $41, %edi
    call counted
    movl $41, %edi
    call narrow
    addq $8, %rsp
    probe_end

    .macro function name
    .globl \name
    .type \name, @function
\name:
    .cfi_startproc
    pushq %rbx
    .cfi_def_cfa_offset 16
    .cfi_offset %rbx, -16
    movq %rdi, %rbx
.L\name\()_kept:
    leaq \name(%rip), %rdi
    movq 8(%rsp), %rsi
    call __cyg_profile_func_enter@PLT
    leaq \name(%rip), %rdi
    movq 8(%rsp), %rsi
    call __cyg_profile_func_exit@PLT
    popq %rbx
    .cfi_def_cfa_offset 8
    ret
    .cfi_endproc
.L\name\()_end:
    .size \name, . - \name
    .endm
    function counted
    function narrow

#include "described_inlining.inc"

    .section .debug_loc,"",@progbits
    .macro told from, to, offset, register, operation:vararg
    .quad \from - .Lprobe, \to - .Lprobe
    .short 2f - 1f
1:
    .byte 0x70 + \register /* DW_OP_breg */
    .sleb128 \offset
    .byte \operation, 0x9f /* DW_OP_stack_value */
2:
    .endm
.Lcounted_copy_list:
    told counted, .Lcounted_kept, 1, 5, 0x96 /* rdi, DW_OP_nop */
    told .Lcounted_kept, .Lcounted_end, 1, 3, 0x96 /* rbx */
    .quad 0, 0
.Lnarrow_copy_list:
    told narrow, .Lnarrow_kept, 0, 5, 0x08, 0xff, 0x1a /* DW_OP_const1u, DW_OP_and */
    told .Lnarrow_kept, .Lnarrow_end, 0, 3, 0x08, 0xff, 0x1a
    .quad 0, 0

    described_unit "told_at_entry.c"
    described_root counted
    described_root narrow
    described_probe
    .byte 0
    described_own_copy counted
    described_own_copy narrow
    described_end
