/*
 * Which bits of a value code looks at, followed instruction by instruction with the value's places.
 *
 * A compiler that sees that code needs no more of a value than some low bits may compute those alone, and anything in
 * the place of the others: x + 63 for x - 1 where six are needed.
 */
#ifndef CALLSIG_SYMBOLS_FLOW_BITS_READ_H
#define CALLSIG_SYMBOLS_FLOW_BITS_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/flow/holders.h"

struct sym_bits_read {
  uint64_t low, high; /* in: of the code */
  uint64_t frame;     /* in: bits of the registers from which slots of the frame are told */
  uint64_t bits;      /* those of the value that were looked at */
  bool goes_on;       /* it was stored in memory that is not the frame's, or passed to what was called, as it is */
  uint64_t derived;   /* registers that hold something whose low bits are made of no others than the value's low bits */
};

/* Notes what an instruction of x86-64 looks at. `holders`: where the value is before it. */
void sym_bits_read_step(struct sym_bits_read *read, const struct sym_holders *holders, const struct sym_step *step);

#endif
