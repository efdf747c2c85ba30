/*
 * Keeps the directory of indexes bounded: each build of a module has an index of its own, and so has each expression of
 * --below, and each set of rules.
 */
#ifndef CALLSIG_SYMBOLS_INDEX_PRUNE_H
#define CALLSIG_SYMBOLS_INDEX_PRUNE_H

#include <stdint.h>
#include <time.h>

#define SYM_CACHE_KEPT   16u                 /* so many indexes of one module stay: those that were used last */
#define SYM_CACHE_BYTES  (UINT64_C(1) << 30) /* that all indexes of the directory may take */
#define SYM_CACHE_SPARED 3600                /* seconds since its last use in which no index is removed */

/* Tells that an index was used, for sym_cache_prune() to know. What cannot be told stays as it was. */
void sym_cache_used(const char *file);

/* Removes indexes, the longest unused first: of the module whose index has this file name, until as many as stay are
 * left, and then of all modules until they take at most `bytes`; and what writers that were killed left. Never the
 * named one, nor what was used in the hour before `now` (CLOCK_REALTIME), since a program that is being started may be
 * about to map it. Recordings have copies of theirs, and a process that has mapped one keeps it. An index that cannot
 * be removed stays, and so does every other file. 0 or -ENOMEM. */
int sym_cache_prune(const char *directory, const char *name, uint64_t bytes, time_t now);

#endif
