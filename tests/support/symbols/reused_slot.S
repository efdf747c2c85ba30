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

    .globl main
    .type main, @function
main:
    .cfi_startproc
    subq $8, %rsp
    .cfi_def_cfa_offset 16
    call probe
    xorl %eax, %eax
    addq $8, %rsp
    .cfi_def_cfa_offset 8
    ret
    .cfi_endproc
    .size main, . - main
.Ltext_end:

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
    .uleb128 0x25, 0x08, 0x03, 0x08, 0x11, 0x01, 0x12, 0x07, 0x13, 0x05 /* producer, name, low_pc, high_pc, language */
    .uleb128 0, 0
    .uleb128 2, 0x24 /* DW_TAG_base_type */
    .byte 0
    .uleb128 0x03, 0x08, 0x3e, 0x0b, 0x0b, 0x0b /* name, encoding, byte_size */
    .uleb128 0, 0
    .uleb128 3, 0x2e /* DW_TAG_subprogram */
    .byte 1
    .uleb128 0x03, 0x08, 0x11, 0x01, 0x12, 0x07, 0x40, 0x18, 0x27, 0x19, 0x2117, 0x19 /* name, low_pc, high_pc, frame_base, prototyped, GNU_all_call_sites */
    .uleb128 0, 0
    .uleb128 4, 0x2e /* DW_TAG_subprogram, inlined */
    .byte 1
    .uleb128 0x03, 0x08, 0x27, 0x19, 0x20, 0x0b /* name, prototyped, inline */
    .uleb128 0, 0
    .uleb128 5, 0x05 /* DW_TAG_formal_parameter */
    .byte 0
    .uleb128 0x03, 0x08, 0x49, 0x13 /* name, type */
    .uleb128 0, 0
    .uleb128 6, 0x1d /* DW_TAG_inlined_subroutine */
    .byte 1
    .uleb128 0x31, 0x13, 0x11, 0x01, 0x12, 0x07 /* abstract_origin, low_pc, high_pc */
    .uleb128 0, 0
    .uleb128 7, 0x05 /* DW_TAG_formal_parameter of an instance */
    .byte 0
    .uleb128 0x02, 0x17, 0x31, 0x13 /* location, abstract_origin */
    .uleb128 0, 0
    .uleb128 8, 0x2e /* DW_TAG_subprogram, of what is inlined elsewhere */
    .byte 1
    .uleb128 0x31, 0x13, 0x11, 0x01, 0x12, 0x07, 0x40, 0x18, 0x2117, 0x19 /* abstract_origin, low_pc, high_pc, frame_base, GNU_all_call_sites */
    .uleb128 0, 0
    .uleb128 9, 0x05 /* its DW_TAG_formal_parameter */
    .byte 0
    .uleb128 0x02, 0x18, 0x31, 0x13 /* location, abstract_origin */
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
