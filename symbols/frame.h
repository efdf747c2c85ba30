/*
 * Call frame information at a probe site: how the canonical frame address follows from the registers there, and where
 * the frame keeps the registers that it must give back.
 */
#ifndef CALLSIG_SYMBOLS_FRAME_H
#define CALLSIG_SYMBOLS_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "debugfile.h"

enum {
  CS_RAX = 0,
  CS_RDX = 1,
  CS_RCX = 2,
  CS_RBX = 3,
  CS_RSI = 4,
  CS_RDI = 5,
  CS_RBP = 6,
  CS_RSP = 7,
  CS_R10 = 10,
  CS_R11 = 11,
  CS_R12 = 12,
  CS_R15 = 15,
  CS_XMM0 = 17,
  CS_XMM15 = 32,
};

/* rbx, rbp and r12 to r15: what every function gives back to its caller as it got it. */
static inline bool cs_is_callee_saved(unsigned reg)
{
  return reg == CS_RBX || reg == CS_RBP || (reg >= CS_R12 && reg <= CS_R15);
}

enum cs_saved_where {
  CS_SAVED_REGISTER, /* the register still holds its value on entry */
  CS_SAVED_MEMORY,   /* at CFA + offset */
  CS_SAVED_UNKNOWN,
};

struct cs_frame {
  uint8_t cfa_kind; /* enum cs_cfa_kind */
  uint8_t cfa_register;
  int32_t cfa_offset;
  uint64_t end; /* all this holds for code before it; 0 without call frame information */
  struct {
    uint8_t where; /* enum cs_saved_where */
    int32_t offset;
  } saved[16]; /* by DWARF register number; only the callee-saved ones are filled */
};

/* The frame while the instruction that holds `pc` is about to run. Without call frame information the CFA is unknown,
 * and so is where registers are saved. */
void cs_frame_at(const struct cs_debugfile *file, uint64_t pc, struct cs_frame *frame);

#endif
