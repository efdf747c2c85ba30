/*
 * The same stage in the ranks of a parallel job: what it did in all of them together, and who of them has the most of
 * it.
 */
#ifndef CALLSIG_OUTPUT_PROCESSES_RANK_STAGES_H
#define CALLSIG_OUTPUT_PROCESSES_RANK_STAGES_H

#include "output/pipeline/pipeline.h"

/* Do two recordings tell of one build of a program, so that their stages are the same work? */
bool out_is_same_program(const struct callsig_pipeline *left, const struct callsig_pipeline *right);

/* Adds a table with a row for each stage that several ranks of a program have; nothing where none is. 0 or -ENOMEM. */
int out_put_rank_stages(struct out_text *text, const struct callsig_pipeline *const *pipelines, size_t count);

#endif
