/*
 * Which registers and slots of the frame hold one value, followed instruction by instruction.
 *
 * This is for the question whether a place that is said to hold a value was filled by copying it. A value that is
 * changed leaves the place; one that comes there by another way than a copy is not known to be in it.
 */
#ifndef CALLSIG_SYMBOLS_FLOW_HOLDERS_H
#define CALLSIG_SYMBOLS_FLOW_HOLDERS_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/flow/step.h"

enum { SYM_HOLDERS_SLOTS_MAX = 8 };

struct sym_holders {
  uint64_t registers; /* bits are DWARF numbers */
  uint64_t unsure;    /* of the others, those that hold it on some ways here */
  uint64_t moved;     /* those that slots were told from, and that were changed since */
  uint8_t size;       /* bytes of the value, 1 to 8 */
  uint8_t slot_count;
  bool has_lost_slots; /* the value may be in slots that are not noted */
  struct sym_holders_slot {
    uint64_t base; /* the register's bit */
    int64_t offset;
  } slots[SYM_HOLDERS_SLOTS_MAX];
};

/* Follows one instruction of x86-64. After a call nothing is left that it may change. False, and nothing done, where it
 * is not known what the instruction writes. */
bool sym_holders_step(struct sym_holders *holders, const struct sym_processor *processor, const struct sym_step *step);

/* Leaves what both hold: where two ways meet. */
void sym_holders_meet(struct sym_holders *holders, const struct sym_holders *other);

/* Whether the value is at the address in the register (its bit) + `offset`. */
bool sym_holders_has_slot(const struct sym_holders *holders, uint64_t base, int64_t offset);

/* Takes for granted that the value is there. */
void sym_holders_add_slot(struct sym_holders *holders, uint64_t base, int64_t offset);

#endif
