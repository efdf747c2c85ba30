/*
 * What the location list of an out-of-line function's parameter says, entry by entry, as far as it can be held against
 * the function's code: where the parameter is, or that it has another value.
 */
#ifndef CALLSIG_SYMBOLS_LOCATION_STATEMENTS_H
#define CALLSIG_SYMBOLS_LOCATION_STATEMENTS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

enum { SYM_STATEMENTS_MAX = 512 };

enum sym_told {
  SYM_TOLD_IN_REGISTER, /* whole, or more than that */
  SYM_TOLD_IN_SLOT,     /* in the frame */
  SYM_TOLD_ON_ENTRY,    /* what it was passed, which is nowhere now */
  SYM_TOLD_OTHERWISE,   /* a number, something computed, or another parameter's value on entry */
  SYM_TOLD_UNKNOWN,
};

struct sym_statement {
  Dwarf_Addr start, end;
  uint64_t reg; /* the register's bit; of a slot, of what it is told from */
  int64_t offset;
  enum sym_told told;
};

struct sym_statements {
  uint64_t passed; /* in: the bit of the register that the caller fills; 0: it fills a place of the stack */
  uint64_t frame;  /* in: bits of the registers that the frame is told from */
  uint8_t size;    /* in: bytes of the parameter */
  unsigned count;
  struct sym_statement statements[SYM_STATEMENTS_MAX];
};

/* The bit of a register by its DWARF number, 0 for one that has none. */
static inline uint64_t sym_register_bit(uint64_t reg)
{
  return reg < 64 ? UINT64_C(1) << reg : 0;
}

/* Reads a parameter's list, of `function`, whose code is from `low` to `high`. False: there is none, or it is too long.
 */
bool sym_statements_read(struct sym_statements *list, Dwarf_Die *function, Dwarf_Attribute *attribute, Dwarf_Addr low,
                         Dwarf_Addr high);

#endif
