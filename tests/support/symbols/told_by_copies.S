/*
 * A program as clang describes it: of each inlined function there are two copies, as of a loop that was unrolled, and what
 * was told of the first goes on to be told where the hook is called for the second. stays()'s number is told to the end of
 * both, and bound()'s register is told from behind the first copy's beginning on, where nothing was told before: that is
 * passed in both. Of counts() another number is told later; ends()'s number ends within the second copy, and late()'s
 * register is told from where another variable is already, and sets()'s sum where its register was: the first copy has set
 * the parameter.
 */
#include "described_probe.inc"

    probe_begin
    pushq %rbx
    .cfi_def_cfa_offset 16
    .cfi_offset %rbx, -16
    movl $41, %ebx

    .macro hook which, function
    leaq \function(%rip), %rdi
    movq 8(%rsp), %rsi
    call __cyg_profile_func_\which@PLT
    .endm

    .macro copies name
.L\name:
    hook enter, \name
.L\name\()_returned:
    nop
.L\name\()_told:
    nop
    hook exit, \name
    hook enter, \name
    nop
.L\name\()_over:
    nop
    hook exit, \name
.L\name\()_end:
    .endm
    copies stays
    copies ends
    copies counts
    copies bound
    copies late
    copies sets
    popq %rbx
    probe_end

    .macro lone name
    .globl \name
    .type \name, @function
\name:
    ret
    .size \name, . - \name
    .endm
    lone stays
    lone ends
    lone counts
    lone bound
    lone late
    lone sets

#include "described_inlining.inc"

    .section .debug_loc,"",@progbits
    .macro list name, from, to, operation:vararg
.L\name\()_list:
    .quad .L\from - .Lprobe, .L\to - .Lprobe
    .short 2f - 1f
1:
    .byte \operation
2:
    .quad 0, 0
    .endm
    list stays, stays_returned, stays_end, 0x35, 0x9f /* DW_OP_lit5, DW_OP_stack_value */
    list ends, ends_returned, ends_over, 0x36, 0x9f
.Lcounts_list:
    .quad .Lcounts_returned - .Lprobe, .Lcounts_end - .Lprobe
    .short 2
    .byte 0x37, 0x9f
    list counts_again, bound_told, bound_end, 0x38, 0x9f
    list bound, bound_told, bound_end, 0x53 /* rbx */
    list late, late_told, late_end, 0x53
.Lsets_list:
    .quad .Lsets_returned - .Lprobe, .Lsets_told - .Lprobe
    .short 1
    .byte 0x53
    list sets_again, sets_told, sets_end, 0x73, 1, 0x9f /* DW_OP_breg3 + 1 */
    list late_other, late_returned, late_end, 0x30, 0x9f

    described_unit "told_by_copies.c"
    described_root stays
    described_root ends
    described_root counts
    described_root bound
    described_root late
    described_root sets
    described_probe
    described_instance stays
    described_instance ends
    described_instance counts
    described_instance bound
    described_instance late, late_other
    described_instance sets
    .byte 0
    described_copy stays
    described_copy ends
    described_copy counts
    described_copy bound
    described_copy late
    described_copy sets
    described_end
