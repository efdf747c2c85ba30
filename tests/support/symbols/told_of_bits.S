/*
 * A program as clang 14 describes it, whose inlined functions look at the three lowest bits of their parameter alone, as
 * their copies show; but for whole(), which passes it on, and byte(), which takes the lowest byte. returned() returns it, which its callers need
 * not look at. It is told as the sum of 41, which was loaded, and 7 in highest(), derived(), whole() and returned(), and 1 in lower(). loaded() is told where that was loaded, made(), byte() and
 * spilled() where one was added, masked() where the lowest bit was taken away.
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
    leaq 1(%rbx), %r12
    movq %r12, 8(%rsp)
    movq %r12, %r13
    andq $-2, %r13
    subq $2, %r13

    .macro instance name
.L\name:
    leaq \name(%rip), %rdi
    movq 40(%rsp), %rsi
    call __cyg_profile_func_enter@PLT
.L\name\()_told:
    leaq \name(%rip), %rdi
    movq 40(%rsp), %rsi
    call __cyg_profile_func_exit@PLT
.L\name\()_end:
    .endm
    .irp name, highest, lower, derived, whole, returned, loaded, made, byte, spilled
    instance \name
    .endr
    andq $-2, %r13
    instance masked
    addq $16, %rsp
    .cfi_def_cfa_offset 32
    popq %r13
    .cfi_def_cfa_offset 24
    popq %r12
    .cfi_def_cfa_offset 16
    popq %rbx
    probe_end

    .macro begin name
    .globl \name
    .type \name, @function
\name:
    .endm
    .macro end name
    ret
.L\name\()_copy_end:
    .size \name, . - \name
    .endm
    .irp name, highest, lower, loaded, made, spilled, masked
    begin \name
    testb $7, %dil
    end \name
    .endr
    begin derived
    leal 1(%rdi), %eax
    andl $7, %eax
    movl %eax, number(%rip)
    end derived
    begin whole
    testb $7, %dil
    pushq %rdi
    popq %rax
    end whole
    begin returned
    testb $7, %dil
    movq %rdi, %rax
    end returned
    begin byte
    movb %dil, number(%rip)
    end byte

    .data
number:
    .quad 41
    .text

#include "described_inlining.inc"

    .section .debug_loc,"",@progbits
    .macro entry from, to, operation:vararg
    .quad \from - .Lprobe, \to - .Lprobe
    .short 2f - 1f
1:
    .byte \operation
2:
    .quad 0, 0
    .endm
    .macro list name, operation:vararg
.L\name\()_list:
    entry .L\name\()_told, .L\name\()_end, \operation
.L\name\()_copy_list:
    entry \name, .L\name\()_copy_end, 0x55 /* rdi */
    .endm
    list highest, 0x73, 7, 0x9f /* DW_OP_breg3 (rbx) + 7, DW_OP_stack_value */
    list lower, 0x73, 1, 0x9f
    list derived, 0x73, 7, 0x9f
    list whole, 0x73, 7, 0x9f
    list returned, 0x73, 7, 0x9f
    list loaded, 0x53 /* rbx */
    list made, 0x5c /* r12 */
    list byte, 0x5c
    list spilled, 0x77, 8 /* DW_OP_breg7 (rsp) + 8 */
    list masked, 0x5d /* r13 */

    described_unit "told_of_bits.c"
    .irp name, highest, lower, derived, whole, returned, loaded, made, byte, spilled, masked
    described_root \name
    .endr
    described_probe
    .irp name, highest, lower, derived, whole, returned, loaded, made, byte, spilled, masked
    described_instance \name
    .endr
    .byte 0
    .irp name, highest, lower, derived, whole, returned, loaded, made, byte, spilled, masked
    described_long_copy \name
    .endr
    described_end
