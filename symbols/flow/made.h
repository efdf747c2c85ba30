/*
 * Which general registers and slots of the frame hold what code has computed, or a number, by the latest instruction in
 * the order of addresses that has put something there. What is loaded from elsewhere, passed or returned is not made.
 */
#ifndef CALLSIG_SYMBOLS_FLOW_MADE_H
#define CALLSIG_SYMBOLS_FLOW_MADE_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/flow/step.h"

enum { SYM_MADE_SLOTS_MAX = 64 };

struct sym_made {
  uint64_t registers; /* bits are DWARF numbers */
  uint64_t frame;     /* in: those from which slots of the frame are told */
  unsigned slot_count;
  struct sym_made_slot {
    uint64_t base; /* the register's bit */
    int64_t offset;
  } slots[SYM_MADE_SLOTS_MAX];
};

/* Follows one instruction of x86-64. */
void sym_made_step(struct sym_made *made, const struct sym_step *step);

/* Whether what lies there is made. */
bool sym_made_has_slot(const struct sym_made *made, uint64_t base, int64_t offset);

#endif
