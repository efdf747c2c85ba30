/*
 * A program as clang describes it: two functions that it has made its own way of calling of tell of their parameter what
 * is computed, from their first instruction on. counted() counts it at once, and tells the sum; narrow() tells the part that it has a use for.
 * A third, parted(), tells nothing of the lower half of its parameter before the hook's call returns: what it tells then it has set that to.
 * late() tells nothing of its parameter before what it has made of it.
 * stacked() is passed its own on the stack, behind six others, and tells what it counts that down to.
 */
#include "described_probe.inc"

    probe_begin
    subq $8, %rsp
    .cfi_def_cfa_offset 16
    movl $41, %edi
    call counted
    movl $41, %edi
    call narrow
    movl $41, %edi
    call parted
    movl $41, %edi
    call late
    pushq $41
    .cfi_def_cfa_offset 24
    pushq $41
    .cfi_def_cfa_offset 32
    call stacked
    addq $24, %rsp
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
.L\name\()_returned:
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
    function parted
    function late
    function stacked

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

    .macro upper from, to, register
    .quad \from - .Lprobe, \to - .Lprobe
    .short 5
    .byte 0x93, 4, 0x50 + \register, 0x93, 4 /* DW_OP_piece, DW_OP_reg, DW_OP_piece */
    .endm
.Lparted_copy_list:
    upper parted, .Lparted_kept, 5
    upper .Lparted_kept, .Lparted_returned, 3
    told .Lparted_returned, .Lparted_end, 0, 3, 0x96
    .quad 0, 0
.Llate_copy_list:
    told .Llate_kept, .Llate_end, 1, 3, 0x96
    .quad 0, 0
.Lstacked_copy_list:
    told .Lstacked_kept, .Lstacked_end, 16, 7, 0x06, 0x31, 0x1c /* rsp, DW_OP_deref, DW_OP_lit1, DW_OP_minus */
    .quad 0, 0

    described_unit "told_at_entry.c"
    described_root counted
    described_root narrow
    described_root parted
    described_root late
    described_root stacked, 6
    described_probe
    .byte 0
    described_own_copy counted
    described_own_copy narrow
    described_own_copy parted
    described_own_copy late
    described_own_copy stacked
    described_end
