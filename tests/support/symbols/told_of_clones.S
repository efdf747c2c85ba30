/*
 * A program as gcc describes it: two functions that it has made anew of others (.isra.), of which the second parameter is
 * told only behind the first instruction. That of lacks() is told in the register of the first, which alone is passed;
 * that of has() in one of its own.
 */
#include "described_probe.inc"

    probe_begin
    subq $8, %rsp
    .cfi_def_cfa_offset 16
    movl $41, %edi
    call lacks
    movl $41, %edi
    movl $43, %esi
    call has
    addq $8, %rsp
    probe_end

    .macro clone name, register
    .globl \name\().isra.0
    .type \name\().isra.0, @function
    .type \name, @function
\name:
\name\().isra.0:
    .cfi_startproc
    pushq %rbx
    .cfi_def_cfa_offset 16
    .cfi_offset %rbx, -16
    pushq %rbp
    .cfi_def_cfa_offset 24
    .cfi_offset %rbp, -24
    pushq %rax
    .cfi_def_cfa_offset 32
    movq %rdi, %rbx
    movq %\register, %rbp
.L\name\()_kept:
    leaq \name(%rip), %rdi
.L\name\()_called:
    movq 24(%rsp), %rsi
    call __cyg_profile_func_enter@PLT
    leaq \name(%rip), %rdi
    movq 24(%rsp), %rsi
    call __cyg_profile_func_exit@PLT
    popq %rax
    .cfi_def_cfa_offset 24
    popq %rbp
    .cfi_def_cfa_offset 16
    popq %rbx
    .cfi_def_cfa_offset 8
    ret
    .cfi_endproc
.L\name\()_end:
    .size \name, . - \name
    .size \name\().isra.0, . - \name
    .endm
    clone lacks, rdi
    clone has, rsi

#include "described_inlining.inc"

    .section .debug_loc,"",@progbits
    .macro told from, to, register
    .quad \from - .Lprobe, \to - .Lprobe
    .short 1
    .byte 0x50 + \register
    .endm
    .macro first name
.L\name\()_first_list:
    told \name, .L\name\()_called, 5 /* rdi */
    told .L\name\()_called, .L\name\()_end, 3 /* rbx */
    .quad 0, 0
    .endm
    first lacks
    first has
    .macro second name, register
.L\name\()_copy_list:
    told .L\name\()_kept, .L\name\()_called, \register
    told .L\name\()_called, .L\name\()_end, 6 /* rbp */
    .quad 0, 0
    .endm
    second lacks, 5
    second has, 4 /* rsi */

    described_unit "told_of_clones.c", "GNU C17 12.2.0"
    described_root lacks, 1
    described_root has, 1
    described_probe
    .byte 0
    described_own_copy lacks, 1, first=lacks_first
    described_own_copy has, 1, first=has_first
    described_end
