/*
 * One simple DWARF location description (no pieces) made into capture ops.
 */
#ifndef CALLSIG_SYMBOLS_EXPRESSION_H
#define CALLSIG_SYMBOLS_EXPRESSION_H

#include "location.h"

/* When the registers are read. */
enum cs_moment {
  CS_AT_CALL,    /* at the hook's first instruction */
  CS_AFTER_CALL, /* after the hook has returned: only what every function gives back can be read now */
  CS_LATER,      /* some instructions after that: context->flow tells what registers then hold now */
};

/* The operations ops[0] to ops[count - 1] of the expression that `attribute` gave, as `location`; inner is 0. `size`
 * says how many of its low bytes will be asked for, at most. */
void cs_expression(const struct cs_location_context *context, enum cs_moment moment, Dwarf_Attribute *attribute,
                   const Dwarf_Op *ops, size_t count, uint64_t size, struct cs_location *location);

/* Makes `location` lost, for this reason. */
void cs_location_lose(struct cs_location *location, enum cs_lost lost);

/* Appends ops that push an integer register; CS_LOST_REGISTER when the hook cannot tell what it was. */
enum cs_lost cs_push_register(const struct cs_location_context *context, enum cs_moment moment, unsigned reg,
                              struct cs_code *code);

/* Appends ops that push the canonical frame address. */
enum cs_lost cs_push_cfa(const struct cs_location_context *context, struct cs_code *code);

#endif
