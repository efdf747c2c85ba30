/*
 * Recordings of ranks of a parallel job, for fuzzers to begin with.
 */
#ifndef CALLSIG_TESTS_SEED_RANK_H
#define CALLSIG_TESTS_SEED_RANK_H

#include <stdbool.h>

#include "tests/support/recording_writer.h"

/* What a rank recorded: calls of which not all were timed, memory that they asked for, sleep, and pauses. With `stays`
 * also what keeps it from being folded with other ranks: counters, events with their times, samples of its own run, and
 * what tasks waited for. `end` is the clock's last reading. The caller frees it. */
struct recording_writer *seed_rank(uint32_t rank, bool stays, uint64_t *end);

#endif
