/*
 * A program that is recorded twice by hand, with every call timed and with a sample: its truth, and what is told of it.
 */
#ifndef CALLSIG_TESTS_SAMPLING_TWIN_H
#define CALLSIG_TESTS_SAMPLING_TWIN_H

#include "tests/support/output_sample.h"
#include "tests/support/random_recording.h"

/* Ticks a second. */
enum { HZ = 1000000000 };

/* One program that is recorded twice: with every call timed, and with a sample. */
struct twin {
  struct recording_writer *writers[2];
  struct recording_thread *threads[2];
  uint64_t modules[2];
  struct dice dice;
  uint64_t now;
};

enum { EXACT, SAMPLED };
enum function { MAIN, OUTER, INNER, LEAF };

/* Begins both; a sample times one call in 2^`rate` after the first of each edge. */
void twin_begin(struct twin *twin, unsigned seed, uint32_t rate);
/* A call begins now, the innermost one ends now, a call takes so many ticks. */
void twin_enter(struct twin *twin, enum function function, uint64_t n);
void twin_leave(struct twin *twin);
void twin_call(struct twin *twin, enum function function, uint64_t n, uint64_t ticks);
/* Both recordings, loaded; and freed. */
void twin_end(struct twin *twin, struct callsig_stats *stats[2]);
void twin_free(struct callsig_stats *stats[2]);

/* The row with this signature, or function by function; fails when there is none. */
struct callsig_stats_row twin_row(struct callsig_stats *stats, const char *signature);
/* Does `print` print the text? Fails when that is not as wanted. */
void twin_expect(struct callsig_stats *stats, print_fn print, const char *text, int wanted);

/* Ticks that calls take, by what they are like.  */
enum shape { EVEN, TWO_LENGTHS, EXPONENTIAL, LOGNORMAL, DRIFTING, COLD, CONSTANT, UNIFORM, PARETO, SHAPES };
/* `at` runs from 0 at the first call to 1. */
uint64_t twin_ticks(struct dice *dice, enum shape shape, double at);

/* leaf(n) is called by outer(n) alone, which is called as often, and inner(n) by main, for each shape n. */
void twin_run_shapes(struct twin *twin, unsigned calls);

#endif
