/*
 * Stages whose tasks the same threads run, one after the other: together they are one station of a network.
 */
#ifndef CALLSIG_OUTPUT_VERDICT_THREAD_GROUPS_H
#define CALLSIG_OUTPUT_VERDICT_THREAD_GROUPS_H

#include "output/pipeline/bottleneck.h"

/* The first of the stages is one that all of its threads run. */
struct out_thread_group {
  const struct out_stage_view **members;
  uint32_t count;
  double servers; /* tasks that its threads work on at a time; how many there are of them */
};

/* The group of a stage, of those that count and have tasks; memory is the arena's. 1; 0 with the reason why it is none
 * in `*why`; or -ENOMEM. */
int out_thread_group_make(const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck,
                          const struct out_stage_view *view, struct base_arena *memory, struct out_thread_group *group,
                          const char **why);

bool out_thread_group_has(const struct out_thread_group *group, const struct out_stage *stage);

#endif
