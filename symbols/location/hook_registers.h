/*
 * What registers hold at a site, as ops that push it. The hook sees them as they are at its own first instruction; what
 * they hold later follows from the code after the call, or cannot be told.
 */
#ifndef CALLSIG_SYMBOLS_LOCATION_HOOK_REGISTERS_H
#define CALLSIG_SYMBOLS_LOCATION_HOOK_REGISTERS_H

#include "symbols/location/location.h"

/* When the registers are read. */
enum sym_moment {
  SYM_AT_CALL,    /* at the hook's first instruction */
  SYM_AFTER_CALL, /* after the hook has returned: only what every function gives back can be read now */
  SYM_LATER,      /* some instructions after that: context->flow tells what registers then hold now */
};

/* Appends ops that push an integer register; SYM_LOST_REGISTER when the hook cannot tell what it was. */
enum sym_lost sym_push_register(const struct sym_location_context *context, enum sym_moment moment, unsigned reg,
                                struct sym_code *code);

/* Appends ops that push the canonical frame address. */
enum sym_lost sym_push_cfa(const struct sym_location_context *context, struct sym_code *code);

#endif
