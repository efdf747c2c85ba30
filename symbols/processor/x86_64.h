/*
 * The registers of x86-64 by their DWARF numbers.
 */
#ifndef CALLSIG_SYMBOLS_PROCESSOR_X86_64_H
#define CALLSIG_SYMBOLS_PROCESSOR_X86_64_H

#include "symbols/processor/processor.h"

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

#endif
