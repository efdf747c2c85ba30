/*
 * Recordings with everything in them, for tests that damage them.
 */
#ifndef CALLSIG_TESTS_SEEDS_H
#define CALLSIG_TESTS_SEEDS_H

#include <stddef.h>

/* Two threads, recursion, an action, open calls, widened levels, two modules, and every kind of argument in every
 * state. The caller frees the bytes. It has SEED_CALLS calls. */
void *seed_recording(size_t *size);

#define SEED_CALLS 28

#endif
