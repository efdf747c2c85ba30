/*
 * A program as clang 14 describes it: each parameter of probe() is told as a place of the frame plus 1, without the load of
 * what was spilled there. Which of the places are spills, the code tells; test_spill.py says what each must print as.
 */
#include "described_probe.inc"

    probe_begin
    subq $104, %rsp
    .cfi_def_cfa_offset 112
    /* `narrow`: whole moves of 4 bytes, read whole and in part. */
    movl $41, 8(%rsp)
    movzbl 8(%rsp), %eax
    /* `wide`: whole moves of 8 bytes. */
    movabsq $0x123456789, %rax
    movq %rax, 16(%rsp)
    /* `formed`: the address is formed. */
    movl $1, 24(%rsp)
    leaq 24(%rsp), %rax
    /* `mixed`: moves of two sizes. */
    movl $1, 32(%rsp)
    movq $1, 32(%rsp)
    /* `indexed`: the beginning of an array. */
    xorl %ecx, %ecx
    movl $1, 40(%rsp)
    movl $1, 40(%rsp,%rcx,4)
    /* `home`: inside of a variable's own place, 48 to 63. */
    movl $1, 56(%rsp)
    /* `short`: a move that no spill of a register makes. */
    movw $1, 64(%rsp)
    /* `untouched`: nothing is stored there. */
    /* `top`: at the stack pointer, which is copied. */
    movl $1, (%rsp)
    movq %rsp, %rax
    /* Behind a push: `pushed`, 80, is stored to at 88, and it is not the place whose address is formed at 80. */
    pushq %rbx
    .cfi_adjust_cfa_offset 8
    movl $7, 88(%rsp)
    leaq 80(%rsp), %rbx
    popq %rbx
    .cfi_adjust_cfa_offset -8
    leaq probe(%rip), %rdi
    movq 104(%rsp), %rsi
    call __cyg_profile_func_enter@PLT
    leaq probe(%rip), %rdi
    movq 104(%rsp), %rsi
    call __cyg_profile_func_exit@PLT
    addq $104, %rsp
    probe_end

#include "described_program.inc"

    .section .debug_abbrev,"",@progbits
.Labbrev:
    .uleb128 1, 0x11 /* DW_TAG_compile_unit */
    .byte 1
    .uleb128 DW_AT_producer, DW_FORM_string, DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8
    .uleb128 0, 0
    .uleb128 2, 0x24 /* DW_TAG_base_type */
    .byte 0
    .uleb128 DW_AT_name, DW_FORM_string, DW_AT_encoding, DW_FORM_data1, DW_AT_byte_size, DW_FORM_data1
    .uleb128 0, 0
    .uleb128 3, 0x2e /* DW_TAG_subprogram */
    .byte 1
    .uleb128 DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8, DW_AT_frame_base, DW_FORM_exprloc
    .uleb128 0, 0
    .uleb128 4, 0x05 /* DW_TAG_formal_parameter */
    .byte 0
    .uleb128 DW_AT_name, DW_FORM_string, DW_AT_type, DW_FORM_ref4, DW_AT_location, DW_FORM_exprloc
    .uleb128 0, 0
    .uleb128 5, 0x34 /* DW_TAG_variable */
    .byte 0
    .uleb128 DW_AT_name, DW_FORM_string, DW_AT_type, DW_FORM_ref4, DW_AT_location, DW_FORM_exprloc
    .uleb128 0, 0
    .byte 0

    .macro parameter name, offset
    .uleb128 4
    .asciz "\name"
    .long .Llong - .Linfo
    .uleb128 7f - 6f
6:
    .byte 0x77 /* DW_OP_breg7: rsp */
    .sleb128 \offset
    .byte 0x23, 1 /* DW_OP_plus_uconst */
    .byte 0x9f /* DW_OP_stack_value */
7:
    .endm

    .section .debug_info,"",@progbits
.Linfo:
    .long .Linfo_end - .Linfo_begin
.Linfo_begin:
    .short 4
    .long .Labbrev
    .byte 8
    .uleb128 1
    .asciz "clang version 14.0.6"
    .asciz "spill_program.c"
    .quad .Lprobe
    .quad .Ltext_end - .Lprobe
.Llong:
    .uleb128 2
    .asciz "long"
    .byte 5, 8 /* DW_ATE_signed */
    .uleb128 3
    .asciz "probe"
    .quad .Lprobe
    .quad .Lprobe_end - .Lprobe
    .uleb128 1
    .byte 0x57 /* DW_OP_reg7: rsp */
    parameter narrow, 8
    parameter wide, 16
    parameter formed, 24
    parameter mixed, 32
    parameter indexed, 40
    parameter home, 56
    parameter short, 64
    parameter untouched, 72
    parameter top, 0
    parameter pushed, 80
    .uleb128 5
    .asciz "object"
    .long .Lwide_object - .Linfo
    .uleb128 2f - 1f
1:
    .byte 0x91 /* DW_OP_fbreg */
    .sleb128 48
2:
    .byte 0
.Lwide_object:
    .uleb128 2
    .asciz "object"
    .byte 4, 16 /* DW_ATE_float */
    .byte 0
.Linfo_end:

    .section .note.GNU-stack,"",@progbits
