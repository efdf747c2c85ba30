/*
 * A program as clang 14 describes it: the parameter of each inlined function is told from the return of the hook's call on,
 * in a slot of the frame. kept()'s lies there before, and is told no longer behind the store that puts something else there;
 * filled()'s is stored there after the call, and told on behind that.
 */
    .text
    .globl probe
    .type probe, @function
probe:
    .cfi_startproc
.Lprobe:
    pushq %rbx
    .cfi_def_cfa_offset 16
    .cfi_offset %rbx, -16
    subq $32, %rsp
    .cfi_def_cfa_offset 48
    movq $41, 8(%rsp)
    movq $1, 16(%rsp)
    movl $7, %ebx
.Lkept:
    leaq kept(%rip), %rdi
    movq 40(%rsp), %rsi
    call __cyg_profile_func_enter@PLT
.Lkept_told:
    movq 8(%rsp), %rax
    movq %rbx, 8(%rsp)
.Lkept_moved:
    leaq kept(%rip), %rdi
    movq 40(%rsp), %rsi
    call __cyg_profile_func_exit@PLT
.Lkept_end:
.Lfilled:
    leaq filled(%rip), %rdi
    movq 40(%rsp), %rsi
    call __cyg_profile_func_enter@PLT
.Lfilled_told:
    movq %rbx, 16(%rsp)
    leaq filled(%rip), %rdi
    movq 40(%rsp), %rsi
    call __cyg_profile_func_exit@PLT
.Lfilled_end:
    addq $32, %rsp
    .cfi_def_cfa_offset 16
    popq %rbx
    .cfi_def_cfa_offset 8
    ret
    .cfi_endproc
.Lprobe_end:
    .size probe, . - probe

    .globl kept, filled
    .type kept, @function
kept:
    ret
    .size kept, . - kept
    .type filled, @function
filled:
    ret
    .size filled, . - filled

#include "described_program.inc"

    .section .debug_loc,"",@progbits
.Llocations:
.Lkept_list:
    .quad .Lkept_told - .Lprobe, .Lkept_moved - .Lprobe
    .short 2
    .byte 0x77, 8 /* DW_OP_breg7: rsp */
    .quad .Lkept_moved - .Lprobe, .Lkept_end - .Lprobe
    .short 1
    .byte 0x50 /* DW_OP_reg0: rax */
    .quad 0, 0
.Lfilled_list:
    .quad .Lfilled_told - .Lprobe, .Lfilled_end - .Lprobe
    .short 2
    .byte 0x77, 16
    .quad .Lfilled_end - .Lprobe, .Lprobe_end - .Lprobe
    .short 1
    .byte 0x53 /* DW_OP_reg3: rbx */
    .quad 0, 0

    .section .debug_abbrev,"",@progbits
.Labbrev:
    .uleb128 1, 0x11 /* DW_TAG_compile_unit */
    .byte 1
    .uleb128 DW_AT_producer, DW_FORM_string, DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8, DW_AT_language, DW_FORM_data2
    .uleb128 0, 0
    .uleb128 2, 0x24 /* DW_TAG_base_type */
    .byte 0
    .uleb128 DW_AT_name, DW_FORM_string, DW_AT_encoding, DW_FORM_data1, DW_AT_byte_size, DW_FORM_data1
    .uleb128 0, 0
    .uleb128 3, 0x2e /* DW_TAG_subprogram */
    .byte 1
    .uleb128 DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8, DW_AT_frame_base, DW_FORM_exprloc, DW_AT_prototyped, DW_FORM_flag_present, DW_AT_GNU_all_call_sites, DW_FORM_flag_present
    .uleb128 0, 0
    .uleb128 4, 0x2e /* DW_TAG_subprogram, inlined */
    .byte 1
    .uleb128 DW_AT_name, DW_FORM_string, DW_AT_prototyped, DW_FORM_flag_present, DW_AT_inline, DW_FORM_data1
    .uleb128 0, 0
    .uleb128 5, 0x05 /* DW_TAG_formal_parameter */
    .byte 0
    .uleb128 DW_AT_name, DW_FORM_string, DW_AT_type, DW_FORM_ref4
    .uleb128 0, 0
    .uleb128 6, 0x1d /* DW_TAG_inlined_subroutine */
    .byte 1
    .uleb128 DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8
    .uleb128 0, 0
    .uleb128 7, 0x05 /* DW_TAG_formal_parameter of an instance */
    .byte 0
    .uleb128 DW_AT_location, DW_FORM_sec_offset, DW_AT_abstract_origin, DW_FORM_ref4
    .uleb128 0, 0
    .uleb128 8, 0x2e /* DW_TAG_subprogram, of what is inlined elsewhere */
    .byte 1
    .uleb128 DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8, DW_AT_frame_base, DW_FORM_exprloc, DW_AT_GNU_all_call_sites, DW_FORM_flag_present
    .uleb128 0, 0
    .uleb128 9, 0x05 /* its DW_TAG_formal_parameter */
    .byte 0
    .uleb128 DW_AT_location, DW_FORM_exprloc, DW_AT_abstract_origin, DW_FORM_ref4
    .uleb128 0, 0
    .byte 0

    .macro abstract name
    .uleb128 4
    .asciz "\name"
    .byte 1
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
    .asciz "reused_slot.c"
    .quad .Lprobe
    .quad .Ltext_end - .Lprobe
    .short 12 /* DW_LANG_C99 */
.Llong:
    .uleb128 2
    .asciz "long"
    .byte 5, 8 /* DW_ATE_signed */
.Lkept_root:
    abstract kept
.Lkept_value:
    .uleb128 5
    .asciz "value"
    .long .Llong - .Linfo
    .byte 0
.Lfilled_root:
    abstract filled
.Lfilled_value:
    .uleb128 5
    .asciz "value"
    .long .Llong - .Linfo
    .byte 0
    .uleb128 3
    .asciz "probe"
    .quad .Lprobe
    .quad .Lprobe_end - .Lprobe
    .uleb128 1
    .byte 0x57 /* DW_OP_reg7: rsp */
    .macro instance name
    .uleb128 6
    .long .L\name\()_root - .Linfo
    .quad .L\name
    .quad .L\name\()_end - .L\name
    .uleb128 7
    .long .L\name\()_list
    .long .L\name\()_value - .Linfo
    .byte 0
    .endm
    instance kept
    instance filled
    .byte 0
    .macro alone name
    .uleb128 8
    .long .L\name\()_root - .Linfo
    .quad \name
    .quad 1
    .uleb128 1
    .byte 0x57
    .uleb128 9
    .uleb128 1
    .byte 0x55 /* DW_OP_reg5: rdi */
    .long .L\name\()_value - .Linfo
    .byte 0
    .endm
    alone kept
    alone filled
    .byte 0
.Linfo_end:
    .section .note.GNU-stack,"",@progbits
