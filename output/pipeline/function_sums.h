/*
 * What each function has done, by signature and stage: the report's rows, kept as text so that readings of one
 * recording can be subtracted although signatures widen in between.
 */
#ifndef CALLSIG_OUTPUT_PIPELINE_FUNCTION_SUMS_H
#define CALLSIG_OUTPUT_PIPELINE_FUNCTION_SUMS_H

#include "output/pipeline/pipeline.h"

/* Fills pipeline->functions from the whole recording in an open file. `now` is the clock as it stands, or NULL. 0 or a
 * negative errno after a message. */
int out_function_sums_read(int file, const char *path, const struct fmt_rec_clock_point *now,
                           struct callsig_pipeline *pipeline);

/* Takes back what out_function_sums_read() has filled in. */
void out_function_sums_drop(struct callsig_pipeline *pipeline);

/* Adds to delta->functions what changed from `before` (NULL: nothing) to `now`. Rows that are gone, because they went
 * into a wider one, are taken back. 0 or -ENOMEM. */
int out_function_sums_subtract(const struct base_vector *before, const struct base_vector *now,
                               struct callsig_pipeline *delta);

/* Adds a row; the strings are copied. 0 or -ENOMEM. */
int out_function_sums_add(struct callsig_pipeline *pipeline, const struct callsig_function_stats *row);

#endif
