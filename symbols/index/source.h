/*
 * What an index says of the file that it is of.
 */
#ifndef CALLSIG_SYMBOLS_INDEX_SOURCE_H
#define CALLSIG_SYMBOLS_INDEX_SOURCE_H

#include <stdbool.h>

#include "format/source.h"

/* Fills *source for the ELF file at `path`. *named: the file itself has a symbol table or DWARF, and not its segments
 * alone. 0 or a negative errno. */
int sym_source_read(const char *path, struct fmt_index_source *source, bool *named);

/* Is the index of the file at `path`, or of one that differs from it by no more than that it was stripped? *copied: it
 * is, but of another time or size than the index knows; *now is what it is to say from then on. */
bool sym_source_is(const struct fmt_index_header *index, const char *path, bool *copied, struct fmt_index_source *now);

#endif
