/*
 * Rules that a program carries in its own ELF file: the .note.callsig sections that the CALLSIG_* macros of
 * callsig/callsig.h make.
 */
#ifndef CALLSIG_SYMBOLS_PLAN_NOTES_H
#define CALLSIG_SYMBOLS_PLAN_NOTES_H

#include <libelf.h>

#include "symbols/plan/rules.h"

/* The module's own rules, NULL in `rules` when it has none. Errors name `path` and the rule. -EINVAL, -ENOMEM. */
int sym_notes_rules(Elf *elf, const char *path, base_message_fn message, void *data, struct sym_rules **rules);

#endif
