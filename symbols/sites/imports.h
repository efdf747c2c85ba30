/*
 * The imported functions of a module, and which of their slots are only called through.
 */
#ifndef CALLSIG_SYMBOLS_SITES_IMPORTS_H
#define CALLSIG_SYMBOLS_SITES_IMPORTS_H

#include "base/vector.h"
#include "symbols/elf/hook.h"

/* Fills `imports` (struct sym_import, ascending by slot; the names are the module's) but for functions that are called
 * in a way of their own or by no code of the program. What lies in a slot of R_X86_64_JUMP_SLOT is only ever called;
 * where some code loads from one of R_X86_64_GLOB_DAT, is_read is set: the address may be compared. Empty for
 * processors other than x86-64. -ENOMEM. */
int sym_imports_find(const struct sym_hook *hook, struct base_vector *imports);

/* Does the function, by its name, return once to where it was called from, and has no look at who called it? */
bool sym_import_returns_plainly(const char *name);

#endif
