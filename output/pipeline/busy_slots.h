/*
 * How busy each stage of a pipeline was, slot by slot of its time, as the runtime counted it.
 */
#ifndef CALLSIG_OUTPUT_PIPELINE_BUSY_SLOTS_H
#define CALLSIG_OUTPUT_PIPELINE_BUSY_SLOTS_H

#include "output/pipeline/bottleneck.h"

struct out_busy_slots {
  const struct callsig_pipeline *pipeline;
  const struct out_bottleneck *bottleneck;
  uint32_t shift;
  double slot;                 /* seconds */
  double begin, length;        /* of the window, recorded or not, since the recording began */
  struct out_task_work *works; /* by view, widened to `shift`. Owned */
  double *there;               /* by view and slot: how many threads there were; NULL: the same all the time. Owned */
};

/* 1, to be freed, 0 when it is not known when the stages worked, or -ENOMEM. */
int out_busy_slots_make(const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck,
                        struct out_busy_slots *slots);
void out_busy_slots_free(struct out_busy_slots *slots);

/* The seconds of a slot that lie in the window and were recorded; in *from and *until where it begins and ends in it.
 */
double out_busy_slots_span(const struct out_busy_slots *slots, unsigned slot, double *from, double *until);

/* The share of a stage's replicas' time in some slots. */
double out_busy_slots_share(const struct out_busy_slots *slots, uint32_t view, unsigned first, unsigned end);

#endif
