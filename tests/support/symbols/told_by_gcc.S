/*
 * A program as gcc describes it: the parameter of each inlined function is told some instructions behind the hook's call, in
 * a register that the call leaves alone. keeps() never changes it; of sets() the copy tells nothing behind its first
 * instruction, so that it may be another value by then.
 */
#include "described_probe.inc"

    probe_begin
    pushq %rbx
    .cfi_def_cfa_offset 16
    .cfi_offset %rbx, -16
    movl $41, %ebx

    .macro instance name
.L\name:
    leaq \name(%rip), %rdi
    movq 8(%rsp), %rsi
    call __cyg_profile_func_enter@PLT
    movl $1, %ecx
.L\name\()_told:
    leaq \name(%rip), %rdi
    movq 8(%rsp), %rsi
    call __cyg_profile_func_exit@PLT
.L\name\()_end:
    .endm
    instance keeps
    instance sets
    popq %rbx
    probe_end

    .globl keeps, sets
    .type keeps, @function
keeps:
    ret
    .size keeps, . - keeps
    .type sets, @function
sets:
    nop
    ret
    .size sets, . - sets

#include "described_inlining.inc"

    .section .debug_loc,"",@progbits
    .macro list name, from, to, register
.L\name\()_list:
    .quad \from - .Lprobe, \to - .Lprobe
    .short 1
    .byte 0x50 + \register
    .quad 0, 0
    .endm
    list keeps, .Lkeeps_told, .Lkeeps_end, 3 /* rbx */
    list sets, .Lsets_told, .Lsets_end, 3
    list sets_copy, sets, sets + 1, 5 /* rdi */

    described_unit "told_by_gcc.c", "GNU C17 12.2.0"
    described_root keeps
    described_root sets
    described_probe
    described_instance keeps
    described_instance sets
    .byte 0
    described_copy keeps
    described_list_copy sets
    described_end
