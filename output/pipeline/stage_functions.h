/*
 * The functions, with their signatures, that a stage spends its time in.
 */
#ifndef CALLSIG_OUTPUT_PIPELINE_STAGE_FUNCTIONS_H
#define CALLSIG_OUTPUT_PIPELINE_STAGE_FUNCTIONS_H

#include "base/arena.h"
#include "base/vector.h"
#include "callsig/stats.h"
#include "output/pipeline/stage_waits.h"

struct out_stage_function {
  const char *name; /* as a table prints it */
  uint64_t ncalls;
  double tottime;
  double share;           /* of the stage's whole time */
  uint32_t row;           /* in the object's rows */
  struct out_waits waits; /* what it was found waiting for while it was the innermost call */
};

/* The stage's time as the report has it. Zero-initialise. */
struct out_stage_functions {
  struct base_vector list;     /* struct out_stage_function, by time */
  double task_share;           /* of its time in tasks themselves, outside of functions that are recorded, ... */
  struct out_waits task_waits; /* ... and what they were found waiting for there */
  struct base_arena strings;
};

/* The `most` functions with most time of their own (tottime) below tasks of the stage with this label. `stats` is
 * filtered, grouped and sorted anew. `running` is the weight of looks (struct out_waits) that saw a task run. 0 or a
 * negative errno after a message. */
int out_stage_functions(struct callsig_stats *stats, const char *label, unsigned most, double running,
                        struct out_stage_functions *functions);
void out_stage_functions_free(struct out_stage_functions *functions);

#endif
