/*
 * A program as clang 14 describes it: the parameter of each inlined function is told from where the hook's call returns.
 * masked()'s is some bits of a register that are no whole bytes, and narrow()'s is its lowest byte: the copy of both does
 * not change it, as far as it tells. shifted()'s is made of what 8 bytes hold of which the spill slot has 4; cut() takes
 * those alone. ended()'s copy tells nothing more of a register that still holds the parameter, as where it sets that
 * to what it tells nowhere; looped()'s does so where a loop begins, and left()'s of a
 * slot that does where its first call returns. The others are told by arithmetic on four bytes in
 * which there is -7: halved() and divided(), of two more, with a sign, remaining() what a division by 5 leaves, tripled()
 * what a shift to the right without a sign makes of three times as much; compared() does not tell whether with a sign.
 * doubled()'s is twice what is in a register of which another variable is told as an eighth. filled()'s is told in a slot from
 * the instruction on that puts it there, behind the one to which the hook's call returns.
 */
#include "described_probe.inc"

    probe_begin
    pushq %rbx
    .cfi_def_cfa_offset 16
    .cfi_offset %rbx, -16
    pushq %r12
    .cfi_def_cfa_offset 24
    .cfi_offset %r12, -24
    subq $16, %rsp
    .cfi_def_cfa_offset 40
    movl $41, %ebx
    movl $-7, %r12d
    movl $0x70000, 8(%rsp)
    movl $-1, 12(%rsp)

    movq $9, (%rsp)

    .macro instance name, behind, fill
.L\name:
    leaq \name(%rip), %rdi
    movq 32(%rsp), %rsi
    call __cyg_profile_func_enter@PLT
    \behind
.L\name\()_told:
    \fill
    leaq \name(%rip), %rdi
    movq 32(%rsp), %rsi
    call __cyg_profile_func_exit@PLT
.L\name\()_end:
    .endm
    instance masked
    instance narrow
    instance shifted
    instance cut
    instance ended
    instance looped
    instance left
    .irp name, halved, divided, remaining, tripled, compared, doubled
    instance \name
    .endr
    instance filled, "movl $1, %ecx", "movq %rbx, (%rsp)"
    addq $16, %rsp
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

    .macro tests name
    begin \name
    testq %rdi, %rdi
    je .L\name\()_untold
    nop
.L\name\()_untold:
    nop
    end \name
    .endm
    tests masked
    tests narrow

    .macro keeps name
    begin \name
    end \name
    .endm
    .irp name, shifted, cut, halved, divided, remaining, tripled, compared, doubled, filled
    keeps \name
    .endr

    .macro stores name
    begin \name
    movq %rdi, %rbx
.L\name\()_moved:
    call nothing
    movq %rbx, stored(%rip)
    nop
.L\name\()_untold:
    nop
    .endm
    stores ended
    end ended
    stores looped
    testl %eax, %eax
    jne .Llooped_untold
    end looped

    begin left
    subq $8, %rsp
    movq %rdi, (%rsp)
.Lleft_moved:
    call nothing
.Lleft_untold:
    movq stored(%rip), %rax
    addq $8, %rsp
    end left

    .type nothing, @function
nothing:
    xorl %eax, %eax
    ret
    .size nothing, . - nothing
    .local stored
    .comm stored, 8, 8

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
    entry .L\name\()_told, .L\name\()_end, \operation
    .quad 0, 0
    .endm
    list masked, 0x73, 0, 0x37, 0x1a, 0x9f /* DW_OP_breg3 (rbx), DW_OP_lit7, DW_OP_and, DW_OP_stack_value */
    list narrow, 0x73, 0, 0x08, 0xff, 0x1a, 0x9f /* DW_OP_const1u */
    list shifted, 0x77, 8, 0x06, 0x40, 0x26, 0x9f /* DW_OP_breg7 (rsp) + 8, DW_OP_deref, DW_OP_lit16, DW_OP_shra */
    list cut, 0x77, 8, 0x94, 4, 0x40, 0x26, 0x9f /* DW_OP_deref_size 4 */
    list ended, 0x53 /* rbx */
    list looped, 0x53
    list left, 0x53
    .irp name, masked, narrow
.L\name\()_copy_list:
    entry \name, .L\name\()_untold, 0x55 /* rdi */
    .quad 0, 0
    .endr
    .macro narrow_list name, addend, operations:vararg
    list \name, 0x7c, \addend, 0x0c, 0xff, 0xff, 0xff, 0xff, 0x1a, \operations, 0x9f /* DW_OP_breg12 (r12), DW_OP_const4u, DW_OP_and */
    .endm
    narrow_list halved, 0, 0x31, 0x26 /* DW_OP_lit1, DW_OP_shra */
    narrow_list divided, 2, 0x32, 0x1b /* DW_OP_div */
    narrow_list remaining, 0, 0x35, 0x1d /* DW_OP_mod */
    narrow_list tripled, 0, 0x33, 0x1e, 0x31, 0x25 /* DW_OP_mul, DW_OP_shr */
    list doubled, 0x73, 0, 0x31, 0x24, 0x9f /* DW_OP_lit1, DW_OP_shl */
.Lcounter_list:
    entry .Ldoubled, .Ldoubled_end, 0x73, 0, 0x11, 8, 0x1b, 0x9f /* DW_OP_consts, DW_OP_div */
    .quad 0, 0
    narrow_list compared, 0, 0x35, 0x2d /* DW_OP_lt */
    list filled, 0x77, 0
    .irp name, shifted, cut, halved, divided, remaining, tripled, compared, doubled, filled
.L\name\()_copy_list:
    entry \name, .L\name\()_copy_end, 0x55
    .quad 0, 0
    .endr
    .irp name, ended, looped
.L\name\()_copy_list:
    entry \name, .L\name\()_moved, 0x55
    entry .L\name\()_moved, .L\name\()_untold, 0x53
    .quad 0, 0
    .endr

.Lleft_copy_list:
    entry left, .Lleft_moved, 0x55
    entry .Lleft_moved, .Lleft_untold, 0x77, 0 /* DW_OP_breg7 (rsp) */
    .quad 0, 0

    described_unit "told_by_clang.c"
    .irp name, masked, narrow, ended, looped, left, filled
    described_root \name
    .endr
    .irp name, shifted, cut, halved, divided, remaining, tripled, compared, doubled
    described_root \name, type=int
    .endr
    described_probe
    .irp name, masked, narrow, shifted, cut, ended, looped, left, halved, divided, remaining, tripled, compared
    described_instance \name
    .endr
    described_instance doubled, counter
    described_instance filled
    .byte 0
    .irp name, masked, narrow, shifted, cut, ended, looped, left, halved, divided, remaining, tripled, compared, doubled, filled
    described_long_copy \name
    .endr
    described_end
