/*
 * Call frame information at a probe site: how the canonical frame address follows from the registers there, and where
 * the frame keeps the registers that it must give back.
 */
#ifndef CALLSIG_SYMBOLS_ELF_FRAME_H
#define CALLSIG_SYMBOLS_ELF_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "format/index.h"
#include "symbols/elf/debugfile.h"

enum {
  SYM_RAX = 0,
  SYM_RDX = 1,
  SYM_RCX = 2,
  SYM_RBX = 3,
  SYM_RSI = 4,
  SYM_RDI = 5,
  SYM_RBP = 6,
  SYM_RSP = 7,
  SYM_R8 = 8,
  SYM_R9 = 9,
  SYM_R10 = 10,
  SYM_R11 = 11,
  SYM_R12 = 12,
  SYM_R15 = 15,
  SYM_XMM0 = 17,
  SYM_XMM15 = 32,
};

/* rbx, rbp and r12 to r15: what every function gives back to its caller as it got it. */
static inline bool sym_is_callee_saved(unsigned reg)
{
  return reg == SYM_RBX || reg == SYM_RBP || (reg >= SYM_R12 && reg <= SYM_R15);
}

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
  } saved[16]; /* by DWARF register number; only the callee-saved ones are filled */
};

/* The frame at a function's first instruction: what every call makes. */
void sym_frame_at_entry(struct sym_frame *frame);

/* The frame while the instruction that holds `pc` is about to run. Without call frame information the CFA is unknown,
 * and so is where registers are saved. */
void sym_frame_at(const struct sym_debugfile *file, uint64_t pc, struct sym_frame *frame);

#endif
