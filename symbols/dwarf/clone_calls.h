/*
 * What callers tell of parameters that gcc took out of a clone (f.constprop.0, f.isra.0).
 *
 * The clone is not passed them, and its own debug information gives them no place; but the entries of its calls name
 * them (DW_AT_call_parameter) and what they would have been passed. DWARF 5, section 3.4.2.
 */
#ifndef CALLSIG_SYMBOLS_DWARF_CLONE_CALLS_H
#define CALLSIG_SYMBOLS_DWARF_CLONE_CALLS_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "base/vector.h"

/* The calls of all clones, to be freed. The DIEs are libdw's. Not thread-safe. */
struct sym_clone_calls {
  struct base_vector calls; /* struct sym_clone_call, by clone and caller once they are settled */
};

/* What the calls of one clone tell of one parameter. */
struct sym_callers_say {
  bool is_told;          /* a call tells that the parameter is not passed, and what for it */
  bool is_same;          /* all that tell something tell the same */
  bool is_complete;      /* every call tells something */
  bool is_apart;         /* no caller has another call of the function, or a copy of it: see below */
  Dwarf_Attribute value; /* of is_same: what is told, an expression */
};

/* Makes it empty. */
void sym_clone_calls_begin(struct sym_clone_calls *calls);

/* Adds the DW_TAG_call_site `call` in the out-of-line function `caller`, if it is one of a function that may be a
 * clone. -ENOMEM. */
int sym_clone_calls_add(struct sym_clone_calls *calls, Dwarf_Die *call, const Dwarf_Die *caller);

/* To be called when all are there, and before anything is asked. */
void sym_clone_calls_settle(struct sym_clone_calls *calls);

/* What the calls of the out-of-line function `clone` tell of `parameter`, one of its own or its declaration's.
 *
 * gcc 11 and 12 keep one variable for a parameter in all calls of a function. Where a caller loses what it passes in
 * one call, and has another or had one that was inlined, that other one's value is told: a constant as well as any. */
struct sym_callers_say sym_clone_calls_tell(const struct sym_clone_calls *calls, const Dwarf_Die *clone,
                                            Dwarf_Die *parameter);

void sym_clone_calls_free(struct sym_clone_calls *calls);

/* The function that a DW_TAG_call_site says it calls. False: it says none. */
bool sym_call_origin(Dwarf_Die *call, Dwarf_Die *origin);

#endif
