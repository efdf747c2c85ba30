/*
 * A program as gcc describes it: two functions that it has made anew of others (.isra.), of which the second parameter is
 * told only behind the first instruction. That of lacks() is told in the register of the first, which alone is passed;
 * that of has() in one of its own. Into two more another function is inlined, whose parameter is the value on entry of rdi:
 * of takes() that is what it was before another parameter was passed there, and of passes() what is passed.
 */
#include "described_probe.inc"

    probe_begin
    pushq %rbx
    .cfi_def_cfa_offset 16
    .cfi_offset %rbx, -16
    movl $41, %edi
    call lacks
    movl $41, %edi
    movl $43, %esi
    call has
    movl $41, %ebx
    movq %rbx, %rdi
    call takes
.Ltaken:
    movq %rbx, %rdi
    call passes
.Lpassed:
    popq %rbx
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

    .macro hook name, call
    leaq \name(%rip), %rdi
    movq 8(%rsp), %rsi
    call __cyg_profile_func_\call@PLT
    .endm
    .macro around name, inner
    .globl \name\().isra.0
    .type \name\().isra.0, @function
    .type \name, @function
\name:
\name\().isra.0:
    .cfi_startproc
    subq $8, %rsp
    .cfi_def_cfa_offset 16
.L\name\()_kept:
    hook \name, enter
.L\inner:
    hook \inner, enter
    hook \inner, exit
.L\inner\()_end:
    hook \name, exit
    addq $8, %rsp
    .cfi_def_cfa_offset 8
    ret
    .cfi_endproc
.L\name\()_end:
    .size \name, . - \name
    .size \name\().isra.0, . - \name
    .globl \inner
    .type \inner, @function
\inner:
    ret
    .size \inner, . - \inner
    .endm
    around takes, unknown
    around passes, known

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

    .macro entered from, to
    .quad \from - .Lprobe, \to - .Lprobe
    .short 4
    .byte 0xf3, 1, 0x55, 0x9f /* DW_OP_GNU_entry_value of rdi, DW_OP_stack_value */
    .endm
.Ltakes_copy_list:
    entered takes, .Ltakes_end
    .quad 0, 0
.Lpasses_copy_list:
    told passes, .Lpasses_kept, 5
    entered .Lpasses_kept, .Lpasses_end
    .quad 0, 0
    .irp name, unknown, known
.L\name\()_list:
    entered .L\name, .L\name\()_end
    .quad 0, 0
    .endr

    described_unit "told_of_clones.c", "GNU C17 12.2.0"
    described_root lacks, 1
    described_root has, 1
    .irp name, takes, passes, unknown, known
    described_root \name
    .endr
    described_probe
    described_call takes, taken
    described_call passes, passed
    .byte 0
    described_own_copy lacks, 1, first=lacks_first
    described_own_copy has, 1, first=has_first
    described_own_copy takes, inner=unknown
    described_own_copy passes, inner=known
    described_copy unknown
    described_copy known
    described_end
