/*
 * A program as clang 16 describes it, whose inlined functions have parameters that are told as one bit of a register. The
 * bit of odd() and negative() was loaded, with others, which are not it; that of the others is the outcome of a
 * comparison, or the opposite. All but compared() store it, but for dropped()'s instance; spilled()'s is told in a slot.
 * asked() is a function of its own, of which the whole register is read.
 */
#include "described_probe.inc"

    probe_begin
    pushq %rbx
    .cfi_def_cfa_offset 16
    .cfi_offset %rbx, -16
    pushq %r12
    .cfi_def_cfa_offset 24
    .cfi_offset %r12, -24
    pushq %r13
    .cfi_def_cfa_offset 32
    .cfi_offset %r13, -32
    subq $16, %rsp
    .cfi_def_cfa_offset 48
    movq number(%rip), %rbx
    xorl %r12d, %r12d
    cmpq $7, %rbx
    setle %r12b
    movq %r12, 8(%rsp)
    movq 8(%rsp), %r13

    .macro instance name, instruction:vararg
.L\name:
    leaq \name(%rip), %rdi
    movq 40(%rsp), %rsi
    call __cyg_profile_func_enter@PLT
.L\name\()_told:
    \instruction
    leaq \name(%rip), %rdi
    movq 40(%rsp), %rsi
    call __cyg_profile_func_exit@PLT
.L\name\()_end:
    .endm
    .irp name, odd, negative, compared, dropped
    instance \name
    .endr
    instance stored, movb %r12b, stored_at(%rip)
    instance spilled, movl %r13d, stored_at(%rip)
    movl $1, %edi
    call asked
    addq $16, %rsp
    .cfi_def_cfa_offset 32
    popq %r13
    .cfi_def_cfa_offset 24
    popq %r12
    .cfi_def_cfa_offset 16
    popq %rbx
    probe_end

    .macro copy name, instruction:vararg
    .globl \name
    .type \name, @function
\name:
    \instruction
    ret
.L\name\()_copy_end:
    .size \name, . - \name
    .endm
    copy compared, testq %rdi, %rdi
    .irp name, odd, negative, dropped, stored, spilled
    copy \name, movq %rdi, stored_at(%rip)
    .endr

    .globl asked
    .type asked, @function
asked:
    .cfi_startproc
    endbr64
.Lasked_begun:
    pushq %rbx
    .cfi_def_cfa_offset 16
    .cfi_offset %rbx, -16
    movl %edi, %ebx
.Lasked_kept:
    leaq asked(%rip), %rdi
    movq 8(%rsp), %rsi
    call __cyg_profile_func_enter@PLT
    leaq asked(%rip), %rdi
    movq 8(%rsp), %rsi
    call __cyg_profile_func_exit@PLT
    popq %rbx
    .cfi_def_cfa_offset 8
    ret
    .cfi_endproc
.Lasked_end:
    .size asked, . - asked

    .data
number:
    .quad 43
stored_at:
    .quad 0
    .text

#include "described_inlining.inc"

    .section .debug_loc,"",@progbits
    .macro entry from, to, operation:vararg
    .quad \from - .Lprobe, \to - .Lprobe
    .short 2f - 1f
1:
    .byte \operation
2:
    .endm
    .macro list name, operation:vararg
.L\name\()_list:
    entry .L\name\()_told, .L\name\()_end, \operation, 0x9f /* DW_OP_stack_value */
    .quad 0, 0
.L\name\()_copy_list:
    entry \name, .L\name\()_copy_end, 0x55 /* rdi */
    .quad 0, 0
    .endm
    .macro bit name, base, type
    list \name, \base, 0, 0x08, 0xff, 0x1a, 0xf7, \type - .Linfo /* DW_OP_const1u 255, DW_OP_and, DW_OP_GNU_convert */
    .endm
    bit odd, 0x73, .Ltruth /* DW_OP_breg3 (rbx) */
    bit negative, 0x73, .Lsign
    .irp name, compared, dropped, stored
    bit \name, 0x7c, .Ltruth /* DW_OP_breg12 (r12) */
    .endr
    list spilled, 0x77, 8, 0x06, 0xf7, .Ltruth - .Linfo /* DW_OP_breg7 (rsp) + 8, DW_OP_deref */

.Lasked_copy_list:
    entry .Lasked_begun, .Lasked_kept, 0x75, 0, 0xf7, .Ltruth - .Linfo, 0x9f /* DW_OP_breg5 (rdi) */
    entry .Lasked_kept, .Lasked_end, 0x73, 0, 0xf7, .Ltruth - .Linfo, 0x9f
    .quad 0, 0

    described_unit "told_of_truths.c", "clang version 16.0.6"
    described_root asked, type=bool
    .irp name, odd, negative, compared, dropped, stored, spilled
    described_root \name
    .endr
    described_probe
    .irp name, odd, negative, compared, dropped, stored, spilled
    described_instance \name
    .endr
    .byte 0
    .irp name, odd, negative, compared, dropped, stored, spilled
    described_long_copy \name
    .endr
    described_own_copy asked, convention=1
    described_end
