/*
 * Lines of `callsig top` on stages, queues, and what bounds the pipelines.
 */
#ifndef CALLSIG_CLI_TOP_NOTES_H
#define CALLSIG_CLI_TOP_NOTES_H

#include <stdbool.h>

#include "base/vector.h"
#include "callsig/pipeline.h"

/* The verdict simulates the pipeline: it is asked for at each so manieth look alone. */
#define CLI_TOP_VERDICT_EVERY 5u

/* Makes the lines (char *) anew; without a new verdict those of the last one stay, which come first. `before` may be
 * NULL. 0 or -ENOMEM. */
int cli_top_notes_make(const struct callsig_pipeline *before, const struct callsig_pipeline *now, bool has_verdict,
                       struct base_vector *notes);

void cli_top_notes_clear(struct base_vector *notes);

#endif
