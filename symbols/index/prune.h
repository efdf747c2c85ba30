/*
 * Keeps the directory of indexes bounded: each expression of --below, and each set of rules, has an index of its own.
 */
#ifndef CALLSIG_SYMBOLS_INDEX_PRUNE_H
#define CALLSIG_SYMBOLS_INDEX_PRUNE_H

/* So many indexes of one module stay: those that were used last. */
#define SYM_CACHE_KEPT 16u

/* Tells that an index was used, for sym_cache_prune() to know. What cannot be told stays as it was. */
void sym_cache_used(const char *file);

/* Removes indexes of the module whose index has this file name, the longest unused first, until as many as stay are
 * left; never the named one. Recordings have copies of theirs, and a process that has mapped one keeps it. An index
 * that cannot be removed stays. 0 or -ENOMEM. */
int sym_cache_prune(const char *directory, const char *name);

#endif
