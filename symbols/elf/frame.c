/*
 * Reads call frame information: the canonical frame address and where registers are saved.
 */
#include "symbols/elf/frame.h"

#include <dwarf.h>
#include <stdlib.h>

/* The rules that compilers write: a register and an offset, or what lies there (a frame that realigned its stack keeps
 * the address of its caller's part in memory). */
static void read_cfa(const struct sym_processor *processor, struct sym_frame *frame, const Dwarf_Op *ops, size_t count)
{
  if (count == 0)
    return;
  uint64_t reg;
  int64_t offset;
  if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31) {
    reg = (uint64_t)(ops[0].atom - DW_OP_breg0);
    offset = (int64_t)ops[0].number;
  } else if (ops[0].atom == DW_OP_bregx) {
    reg = ops[0].number;
    offset = (int64_t)ops[0].number2;
  } else {
    return;
  }
  if (reg >= processor->register_count || offset != (int32_t)offset)
    return;
  if (count == 1)
    frame->cfa_kind = FMT_CFA_REGISTER;
  else if (count == 2 && ops[1].atom == DW_OP_deref)
    frame->cfa_kind = FMT_CFA_MEMORY;
  else
    return;
  frame->cfa_register = (uint8_t)reg;
  frame->cfa_offset = (int32_t)offset;
}

static void read_saved(struct sym_frame *frame, Dwarf_Frame *cfi, int reg)
{
  Dwarf_Op memory[3], *ops;
  size_t count;
  if (dwarf_frame_register(cfi, reg, memory, &ops, &count) != 0)
    return;
  if (count == 0) {
    frame->saved[reg].where = ops ? SYM_SAVED_UNKNOWN : SYM_SAVED_REGISTER;
  } else if (ops[0].atom == DW_OP_call_frame_cfa && (count == 1 || (count == 2 && ops[1].atom == DW_OP_plus_uconst))) {
    int64_t offset = count == 2 ? (int64_t)ops[1].number : 0;
    if (offset == (int32_t)offset) {
      frame->saved[reg].where = SYM_SAVED_MEMORY;
      frame->saved[reg].offset = (int32_t)offset;
    }
  }
}

void sym_frame_at_entry(const struct sym_processor *processor, struct sym_frame *frame)
{
  *frame = (struct sym_frame){
      .cfa_kind = FMT_CFA_REGISTER, .cfa_register = processor->stack_pointer, .cfa_offset = processor->entry_cfa};
  for (unsigned reg = 0; reg < FMT_REGISTERS_MAX; reg++)
    frame->saved[reg].where = sym_is_callee_saved(processor, reg) ? SYM_SAVED_REGISTER : SYM_SAVED_UNKNOWN;
}

void sym_frame_at(const struct sym_debugfile *file, uint64_t pc, struct sym_frame *frame)
{
  *frame = (struct sym_frame){.cfa_kind = FMT_CFA_UNKNOWN};
  for (unsigned reg = 0; reg < FMT_REGISTERS_MAX; reg++)
    frame->saved[reg].where = SYM_SAVED_UNKNOWN;
  Dwarf_CFI *sources[] = {file->eh_frame, file->debug_frame};
  for (unsigned i = 0; i < 2; i++) {
    Dwarf_Frame *cfi;
    if (!sources[i] || dwarf_cfi_addrframe(sources[i], pc, &cfi) != 0)
      continue;
    Dwarf_Addr start, end;
    Dwarf_Op *ops;
    size_t count;
    bool is_signal;
    if (dwarf_frame_info(cfi, &start, &end, &is_signal) >= 0) {
      frame->start = start;
      frame->end = end;
    }
    if (dwarf_frame_cfa(cfi, &ops, &count) == 0)
      read_cfa(file->processor, frame, ops, count);
    for (unsigned reg = 0; reg < file->processor->register_count; reg++)
      if (sym_is_callee_saved(file->processor, reg) || reg == file->processor->link)
        read_saved(frame, cfi, (int)reg);
    free(cfi);
    return;
  }
}
