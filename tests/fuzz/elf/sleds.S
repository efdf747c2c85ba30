/* Functions with sleds of each shape, and both lists of them (format/sled.h). */
  .text
  .globl sled_nop
  .hidden sled_nop
  .type sled_nop, @function
  .p2align 4
sled_nop:
  .byte 0x0f, 0x1f, 0x44, 0x00, 0x00
  .p2align 3
sled_nop_exit:
  .byte 0x0f, 0x1f, 0x44, 0x00, 0x00
  ret
  .size sled_nop, . - sled_nop
  .globl sled_jump
  .hidden sled_jump
  .type sled_jump, @function
  .p2align 4
sled_jump:
  .byte 0xeb, 0x09, 0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x02, 0x00, 0x00
  .p2align 1
sled_jump_exit:
  .byte 0xc3, 0x2e, 0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x02, 0x00, 0x00
  .size sled_jump, . - sled_jump

  .macro entry place function kind
  .quad \place - .
  .quad \function - .
  .byte \kind, 0, 2, 0
  .long 40
  .zero 8
  .endm
  .section callsig_sleds, "a"
  .p2align 3
  entry sled_nop sled_nop 0
  entry sled_nop_exit sled_nop 1
  .section xray_instr_map, "a"
  .p2align 3
  entry sled_jump sled_jump 0
  entry sled_jump_exit sled_jump 1
  .section .note.GNU-stack, "", @progbits
