/*
 * Which namespace, class or function a DIE stands in. libdw has no way up from a DIE that does not search its whole
 * unit, so the way is found down from the unit, and what is on it is read once.
 */
#ifndef CALLSIG_SYMBOLS_DWARF_SCOPES_H
#define CALLSIG_SYMBOLS_DWARF_SCOPES_H

#include <elfutils/libdw.h>

struct sym_scopes;

/* NULL when memory is short. */
struct sym_scopes *sym_scopes_new(void);
void sym_scopes_free(struct sym_scopes *scopes);

/* Writes into `parent` the namespace, class, structure or union that `die` stands directly in, of a type also the
 * function, in whichever of its blocks. 1 when there is one, 0 when it stands at file level or is no type and stands in
 * a function, -ENOMEM. */
int sym_scopes_parent(struct sym_scopes *scopes, Dwarf_Die *die, Dwarf_Die *parent);

#endif
