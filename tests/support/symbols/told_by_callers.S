/*
 * A program as clang describes it: of asked() only the value on entry is told at the hook's call, which its callers tell, from
 * a register that they copy into the argument's. The first one's still holds the same at the call; the second one's, although
 * told alike, holds another value by then; and to the third one's something was added, which is told.
 */
#include "described_probe.inc"

    probe_begin
    pushq %rbx
    .cfi_def_cfa_offset 16
    .cfi_offset %rbx, -16
    movl $41, %ebx
    movq %rbx, %rdi
    movl $3, %esi
    call asked
.Lkept:
    movq %rbx, %rdi
    movl $5, %ebx
    call asked
.Loverwritten:
    movl $43, %ebx
    movq %rbx, %rdi
    addq $1, %rbx
    call asked
.Ladded:
    popq %rbx
    probe_end

    .globl asked
    .type asked, @function
asked:
    .cfi_startproc
    subq $8, %rsp
    .cfi_def_cfa_offset 16
.Lasked_used:
    leaq asked(%rip), %rdi
    movq 8(%rsp), %rsi
    call __cyg_profile_func_enter@PLT
    leaq asked(%rip), %rdi
    movq 8(%rsp), %rsi
    call __cyg_profile_func_exit@PLT
    addq $8, %rsp
    .cfi_def_cfa_offset 8
    ret
    .cfi_endproc
.Lasked_end:
    .size asked, . - asked

#include "described_inlining.inc"

    .section .debug_loc,"",@progbits
.Lasked_copy_list:
    .quad asked - .Lprobe, .Lasked_used - .Lprobe
    .short 1
    .byte 0x55 /* rdi */
    .quad .Lasked_used - .Lprobe, .Lasked_end - .Lprobe
    .short 4
    .byte 0xf3, 1, 0x55, 0x9f /* DW_OP_GNU_entry_value of rdi, DW_OP_stack_value */
    .quad 0, 0

    described_unit "told_by_callers.c"
    described_root asked
    described_probe
    described_call asked, kept
    described_call asked, overwritten
    described_call asked, added, 0x7f
    .byte 0
    described_own_copy asked
    described_end
