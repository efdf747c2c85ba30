/*
 * How a DWARF type is spelled: C's own declarator syntax without declared names, qualifiers dropped, typedefs kept.
 */
#ifndef CALLSIG_SYMBOLS_TYPENAME_H
#define CALLSIG_SYMBOLS_TYPENAME_H

#include <elfutils/libdw.h>

#include "arena.h"
#include "scopes.h"

/* The spelling of `type` (NULL: void), in `arena`. NULL when memory is short. What nests deeper than any source does is
 * spelled "...". */
const char *cs_typename(struct cs_arena *arena, struct cs_scopes *scopes, Dwarf_Die *type);

/* The name of a function, type or variable with the namespaces and classes around it, in `arena`. NULL when memory is
 * short. */
const char *cs_typename_qualified(struct cs_arena *arena, struct cs_scopes *scopes, Dwarf_Die *die);

#endif
