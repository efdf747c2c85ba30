/*
 * The runtime's reader of indexes, whose headers cannot meet those of symbols/ in one file.
 */
#ifndef CALLSIG_TESTS_FUZZ_VIEW_H
#define CALLSIG_TESTS_FUZZ_VIEW_H

#include <stddef.h>
#include <stdint.h>

/* Checks the bytes as the runtime does, and follows what it accepts: returns what it has read, summed up. */
uint64_t fuzz_view(const void *data, size_t size);

#endif
