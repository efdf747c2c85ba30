/*
 * Call frame information at a probe site: how the canonical frame address follows from the registers there, and where
 * the frame keeps the registers that it must give back.
 */
#ifndef CALLSIG_SYMBOLS_ELF_FRAME_H
#define CALLSIG_SYMBOLS_ELF_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "format/index.h"
#include "format/machine.h"
#include "symbols/elf/debugfile.h"
#include "symbols/processor/processor.h"

enum sym_saved_where {
  SYM_SAVED_REGISTER, /* the register still holds its value on entry */
  SYM_SAVED_MEMORY,   /* at CFA + offset */
  SYM_SAVED_UNKNOWN,
};

struct sym_frame {
  uint8_t cfa_kind; /* enum fmt_cfa_kind */
  uint8_t cfa_register;
  int32_t cfa_offset;
  uint64_t start; /* all this holds from here on; 0 without call frame information */
  uint64_t end;   /* all this holds for code before it; 0 without call frame information */
  struct {
    uint8_t where; /* enum sym_saved_where */
    int32_t offset;
  } saved[FMT_REGISTERS_MAX]; /* by DWARF register number; only the callee-saved ones and the link are filled */
};

/* The frame at a function's first instruction: what every call makes. */
void sym_frame_at_entry(const struct sym_processor *processor, struct sym_frame *frame);

/* The frame while the instruction that holds `pc` is about to run. Without call frame information the CFA is unknown,
 * and so is where registers are saved. */
void sym_frame_at(const struct sym_debugfile *file, uint64_t pc, struct sym_frame *frame);

#endif
