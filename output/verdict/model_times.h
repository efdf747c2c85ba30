/*
 * How long the tasks of a stage take in a simulation: what they do with their time, how it differs from task to task,
 * from thread to thread and from one part of the time to the next.
 */
#ifndef CALLSIG_OUTPUT_VERDICT_MODEL_TIMES_H
#define CALLSIG_OUTPUT_VERDICT_MODEL_TIMES_H

#include <math.h>

#include "output/pipeline/busy_slots.h"
#include "output/verdict/pipeline_model.h"

/* A number of a recording, which may hold any: 0 when it is below, or none. */
static inline double out_model_number(double value)
{
  return isfinite(value) && value > 0 ? value : 0;
}

/* Fills what concerns times, of the stages of meaning->group together: of the station all of it but its mean and what
 * of that is on a processor, which follow from `meaning`. `slots` tell when the stage worked, where they are made.
 * Memory is the model's. False when it is short. */
bool out_model_times(const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck,
                     const struct out_busy_slots *slots, struct out_model *model, struct out_network_station *station,
                     struct out_model_station *meaning);

#endif
