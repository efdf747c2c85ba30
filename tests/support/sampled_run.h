/*
 * What the tests of times by samples share: recordings with the samples of a run.
 */
#ifndef CALLSIG_TESTS_SAMPLED_RUN_H
#define CALLSIG_TESTS_SAMPLED_RUN_H

#include "format/samples.h"
#include "tests/support/output_sample.h"

/* The samples' clock: a tick of the recordings each, a millisecond. */
#define SAMPLED_PERIOD (UINT64_C(1000000) * 1024)

/* Of what samples were met in: struct fmt_rec_place, with its names. */
struct sampled_place {
  const char *name, *file;
  uint32_t line, parent;
  uint64_t samples;
};

/* Adds a record of `count` places, 16 at the most, whose sum is told as it is, to the recording; the result is its
 * address. */
uint64_t sampled_run_add(struct sample *sample, const struct sampled_place *places, uint32_t count);
/* That record, and its places. */
struct fmt_rec_samples *sampled_run_record(struct sample *sample);
struct fmt_rec_place *sampled_run_places(struct fmt_rec_samples *record);

/* Begins a call of `function` with the argument n. */
void sampled_run_call(struct sample *sample, uint32_t function, uint64_t n, uint64_t now);
/* Begins a recording in which main() calls f(n=1) for 20 ms and f(n=2) for 60 ms, and takes 20 ms itself. */
void sampled_run_begin(struct sample *sample);

#endif
