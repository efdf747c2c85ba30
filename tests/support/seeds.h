/*
 * Recordings with everything in them, for tests that damage them.
 */
#ifndef CALLSIG_TESTS_SEEDS_H
#define CALLSIG_TESTS_SEEDS_H

#include <stddef.h>

/* Two threads, recursion, an action, open calls, widened levels, two modules, and every kind of argument in every
 * state. The caller frees the bytes. It has SEED_CALLS calls. */
void *seed_recording(size_t *size);

/* Of them calls of one function, after each other, of which not all are timed. */
#define SEED_SAMPLED_CALLS 60
#define SEED_CALLS         (28 + SEED_SAMPLED_CALLS)

#endif
