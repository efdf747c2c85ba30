/*
 * Rules that a program carries in its own ELF file: the .note.callsig sections that the CALLSIG_* macros of
 * callsig/callsig.h make.
 */
#ifndef CALLSIG_SYMBOLS_NOTES_H
#define CALLSIG_SYMBOLS_NOTES_H

#include <libelf.h>

#include "rules.h"

/* The module's own rules, NULL in `rules` when it has none. Errors name `path` and the rule. -EINVAL, -ENOMEM. */
int cs_notes_rules(Elf *elf, const char *path, cs_message_fn message, void *data, struct cs_rules **rules);

#endif
