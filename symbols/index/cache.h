/*
 * The directory in which indexes are kept; its file names are those of format/cache_key.h.
 */
#ifndef CALLSIG_SYMBOLS_INDEX_CACHE_H
#define CALLSIG_SYMBOLS_INDEX_CACHE_H

#include <stddef.h>

#include "symbols/index/build.h"

/* Writes the directory's path: $CALLSIG_CACHE_DIR, else $XDG_CACHE_HOME/callsig, else $HOME/.cache/callsig; relative
 * values of the latter two do not count, as the XDG specification says. -ENOENT when none is set, -ENAMETOOLONG. */
int sym_cache_directory(char *directory, size_t size);

/* Makes sure that the cache holds the index of `path`, and writes its path into `cached` (`cached_size` bytes; NULL:
 * not wanted). The file is written atomically, 0600, under a directory made 0700. Of
 * one module's, those that were not used for the longest time are removed (symbols/index/prune.h). */
int sym_index_cache(const char *path, const struct sym_index_options *options, char *cached, size_t cached_size);

#endif
