/*
 * Allocations that fail when a test says so: for programs linked with --wrap for malloc, calloc and realloc.
 */
#ifndef CALLSIG_TESTS_FAILING_MEMORY_H
#define CALLSIG_TESTS_FAILING_MEMORY_H

#include <stddef.h>

/* How many allocations there were, and the number of the one that fails, counted from 1; 0: none. Both for the test to
 * set. */
extern size_t allocations, failing_at;

#endif
