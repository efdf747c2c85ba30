/*
 * A program as clang 14 describes it, whose inlined functions never change their parameter, which is told behind the hook's
 * call alone. after_exit()'s is told behind the call of the hook of exits; sunk()'s is computed where a call's result was
 * tested; tested()'s is computed where the number that it is made of was, and chosen()'s is told in a register there: behind
 * such a test it may be one of two, which the test has told apart. Of again() there are two copies, as of a loop that
 * was unrolled: the second one's is told before its hook is called, and nothing is of the first.
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
    movl $41, %ebx
    movl $6, %r12d
    movl $9, %r13d

    .macro hook which, function
    leaq \function(%rip), %rdi
    movq 24(%rsp), %rsi
    call __cyg_profile_func_\which@PLT
    .endm

.Lafter_exit:
    hook enter, after_exit
    hook exit, after_exit
.Lafter_exit_end:
    movb $1, %al
.Lafter_exit_told:
    testq %rbx, %rbx
    je .Lout

.Lsunk:
    hook enter, sunk
    call nothing
    testl %eax, %eax
    movq %rbx, %rcx
    jne .Lsunk_exit
    leaq 1(%r12), %rdi
.Lsunk_told:
    call nothing
.Lsunk_exit:
    hook exit, sunk
.Lsunk_end:

.Ltested:
    hook enter, tested
    testq %r12, %r12
    je .Ltested_exit
    leaq 3(%r12), %rdi
.Ltested_told:
    call nothing
.Ltested_exit:
    hook exit, tested
.Ltested_end:

.Lchosen:
    hook enter, chosen
    testq %rbx, %rbx
    je .Lchosen_exit
.Lchosen_told:
    call nothing
.Lchosen_exit:
    hook exit, chosen
.Lchosen_end:

.Lagain:
    hook enter, again
    hook exit, again
    nop
.Lagain_told:
    nop
    hook enter, again
    hook exit, again
.Lagain_end:
.Lout:
    popq %r13
    .cfi_def_cfa_offset 24
    popq %r12
    .cfi_def_cfa_offset 16
    popq %rbx
    probe_end

    .type nothing, @function
nothing:
    xorl %eax, %eax
    ret
    .size nothing, . - nothing

    .macro lone name
    .globl \name
    .type \name, @function
\name:
    ret
    .size \name, . - \name
    .endm
    lone after_exit
    lone sunk
    lone tested
    lone chosen
    lone again

#include "described_inlining.inc"

    .section .debug_loc,"",@progbits
    .macro list name, from, to, register
.L\name\()_list:
    .quad .L\from - .Lprobe, .L\to - .Lprobe
    .short 1
    .byte 0x50 + \register
    .quad 0, 0
    .endm
    list after_exit, after_exit_told, sunk, 3 /* rbx */
    list sunk, sunk_told, sunk_exit, 5 /* rdi */
    list tested, tested_told, tested_exit, 5
    list chosen, chosen_told, chosen_exit, 12 /* r12 */
    list again, again_told, again_end, 13 /* r13 */

    described_unit "told_later.c"
    described_root after_exit
    described_root sunk
    described_root tested
    described_root chosen
    described_root again
    described_probe
    described_instance after_exit
    described_instance sunk
    described_instance tested
    described_instance chosen
    described_instance again
    .byte 0
    described_copy after_exit
    described_copy sunk
    described_copy tested
    described_copy chosen
    described_copy again
    described_end
