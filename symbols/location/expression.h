/*
 * One simple DWARF location description (no pieces) made into capture ops.
 */
#ifndef CALLSIG_SYMBOLS_LOCATION_EXPRESSION_H
#define CALLSIG_SYMBOLS_LOCATION_EXPRESSION_H

#include "symbols/location/location.h"

/* When the registers are read. */
enum sym_moment {
  SYM_AT_CALL,    /* at the hook's first instruction */
  SYM_AFTER_CALL, /* after the hook has returned: only what every function gives back can be read now */
  SYM_LATER,      /* some instructions after that: context->flow tells what registers then hold now */
};

/* The operations ops[0] to ops[count - 1] of the expression that `attribute` gave, as `location`; inner is 0. `size`
 * says how many of its low bytes will be asked for, at most. */
void sym_expression(const struct sym_location_context *context, enum sym_moment moment, Dwarf_Attribute *attribute,
                    const Dwarf_Op *ops, size_t count, uint64_t size, struct sym_location *location);

/* Makes `location` lost, for this reason. */
void sym_location_lose(struct sym_location *location, enum sym_lost lost);

/* Appends ops that push an integer register; SYM_LOST_REGISTER when the hook cannot tell what it was. */
enum sym_lost sym_push_register(const struct sym_location_context *context, enum sym_moment moment, unsigned reg,
                                struct sym_code *code);

/* Appends ops that push the canonical frame address. */
enum sym_lost sym_push_cfa(const struct sym_location_context *context, struct sym_code *code);

#endif
