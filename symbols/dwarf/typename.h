/*
 * How a DWARF type is spelled: C's own declarator syntax without declared names, qualifiers dropped, typedefs kept.
 */
#ifndef CALLSIG_SYMBOLS_DWARF_TYPENAME_H
#define CALLSIG_SYMBOLS_DWARF_TYPENAME_H

#include <elfutils/libdw.h>

#include "base/arena.h"
#include "symbols/dwarf/scopes.h"

/* The spelling of `type` (NULL: void), in `arena`. NULL when memory is short. What nests deeper than any source does is
 * spelled "...". */
const char *sym_typename(struct base_arena *arena, struct sym_scopes *scopes, Dwarf_Die *type);

/* The name of a function, type or variable with the namespaces, classes and functions around it, in `arena`:
 * "ns::f()::Local::method", without parameters. A function without a name goes by its symbol. NULL when memory is
 * short. */
const char *sym_typename_qualified(struct base_arena *arena, struct sym_scopes *scopes, Dwarf_Die *die);

#endif
