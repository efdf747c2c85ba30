/*
 * The check of a signature index against a second reading of the same DWARF.
 */
#ifndef CALLSIG_SYMBOLS_VERIFY_VERIFY_H
#define CALLSIG_SYMBOLS_VERIFY_VERIFY_H

#include <stdio.h>

#include "base/message.h"
#include "format/open.h"

/* Reads the DWARF of `path` a second time, with libdwarf alone, and compares it with `index`, which was made from it.
 * Writes a line for each disagreement and each thing it could not check, then a summary, to `out`. Returns how many
 * disagreements there are, or a negative errno after a message. */
int sym_index_verify(const char *path, const struct fmt_index *index, FILE *out, base_message_fn message, void *data);

#endif
