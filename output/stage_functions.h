/*
 * The functions, with their signatures, that a stage spends its time in.
 */
#ifndef CALLSIG_OUTPUT_STAGE_FUNCTIONS_H
#define CALLSIG_OUTPUT_STAGE_FUNCTIONS_H

#include "arena.h"
#include "callsig/stats.h"
#include "vector.h"

struct cs_stage_function {
  const char *name; /* as a table prints it */
  uint64_t ncalls;
  double tottime;
  double share; /* of the stage's whole time */
};

/* The stage's time as the report has it. Zero-initialise. */
struct cs_stage_functions {
  struct cs_vector list; /* struct cs_stage_function, by time */
  double task_share;     /* of its time in tasks themselves, outside of functions that are recorded */
  struct cs_arena strings;
};

/* The `most` functions with most time of their own (tottime) below tasks of the stage with this label. `stats` is
 * filtered, grouped and sorted anew. 0 or a negative errno after a message. */
int cs_stage_functions(struct callsig_stats *stats, const char *label, unsigned most,
                       struct cs_stage_functions *functions);
void cs_stage_functions_free(struct cs_stage_functions *functions);

#endif
