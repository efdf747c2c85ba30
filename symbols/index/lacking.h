/*
 * Units whose debug information (.dwo files) is lacking: what the user is told of them, and when it is worth it to make
 * an index again.
 */
#ifndef CALLSIG_SYMBOLS_INDEX_LACKING_H
#define CALLSIG_SYMBOLS_INDEX_LACKING_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/elf/debugfile.h"
#include "symbols/index/build.h"

/* The flags of an index (enum fmt_index_flag) that lacks so many units. */
uint32_t sym_lacking_flags(unsigned count);

/* One line that so many are lacking, of which the first one's file belongs at `first`, NULL unknown. */
void sym_lacking_tell(const struct sym_debugfile *file, unsigned count, const char *first);

/* Whether as many units as when an index with these flags was made, or more, are still lacking in the module at `path`.
 * It is told then. */
bool sym_lacking_still(const char *path, uint32_t flags, const struct sym_index_options *options);

#endif
