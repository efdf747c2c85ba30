/*
 * A program as gcc describes it: the parameter of each inlined function is told some instructions behind the hook's call, in
 * a register that the call leaves alone. keeps() never changes it; of sets() the copy tells nothing behind its first
 * instruction, so that it may be another value by then. Of reads() and ignores() a number is told all the while; the copy of
 * ignores() does not look at its parameter, and that of halves() at the second half alone. Nor does that of shares() look at
 * its two, which are told in one place.
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
    instance reads
    instance ignores
    instance shares
    instance halves
    popq %rbx
    probe_end

    .globl keeps, sets, reads, ignores, shares, halves
    .type keeps, @function
keeps:
    ret
    .size keeps, . - keeps
    .type sets, @function
sets:
    nop
    ret
    .size sets, . - sets
    .type reads, @function
reads:
    pushq %rdi
    ret
    .size reads, . - reads
    .type ignores, @function
ignores:
    ret
    .size ignores, . - ignores
    .type shares, @function
shares:
    ret
    .size shares, . - shares
    .type halves, @function
halves:
    pushq %rsi
    ret
    .size halves, . - halves

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

    list reads_copy, reads, reads + 2, 5
    list shares, .Lshares, .Lshares_end, 3
    list shares_first, .Lshares, .Lshares_end, 3
    .macro number name, value
.L\name\()_list:
    .quad .L\name - .Lprobe, .L\name\()_end - .Lprobe
    .short 2
    .byte 0x30 + \value, 0x9f /* DW_OP_lit, DW_OP_stack_value */
    .quad 0, 0
    .endm
    number reads, 5
    number ignores, 6
    .macro pieces name, from, to, operations:vararg
.L\name\()_list:
    .quad \from - .Lprobe, \to - .Lprobe
    .short 2f - 1f
1:
    .byte \operations
2:
    .quad 0, 0
    .endm
    pieces halves, .Lhalves, .Lhalves_end, 0x33, 0x9f, 0x93, 8, 0x34, 0x9f, 0x93, 8 /* DW_OP_lit, DW_OP_stack_value, DW_OP_piece */
    pieces halves_copy, halves, halves + 2, 0x55, 0x93, 8, 0x54, 0x93, 8

    described_unit "told_by_gcc.c", "GNU C17 12.2.0"
    described_root keeps
    described_root sets
    described_root reads
    described_root ignores
    described_root shares, 1
    described_root halves, type=pair
    described_probe
    described_instance keeps
    described_instance sets
    described_instance reads
    described_instance ignores
    described_instance shares, first=shares_first
    described_instance halves
    .byte 0
    described_copy keeps
    described_list_copy sets
    described_list_copy reads
    described_copy ignores
    described_copy shares, 1
    described_list_copy halves
    described_end
