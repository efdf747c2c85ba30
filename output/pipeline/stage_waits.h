/*
 * What the tasks of a stage were found waiting for, and whether two stages wait for the same lock.
 */
#ifndef CALLSIG_OUTPUT_PIPELINE_STAGE_WAITS_H
#define CALLSIG_OUTPUT_PIPELINE_STAGE_WAITS_H

#include "output/pipeline/pipeline.h"

/* Looks at something, by what it did. Who looks begins a task, which is when others have just been woken: so looks that
 * saw something run weigh as much as makes them what the kernel says of its time. */
struct out_waits {
  uint64_t looks;
  uint64_t by_kind[FMT_WAIT_KINDS];
  double running; /* the weight of each that saw it run */
};

void out_waits_add(struct out_waits *waits, uint32_t kind, uint64_t looks);

/* Gives those that saw it run the weight with which they are this share. */
void out_waits_weigh(struct out_waits *waits, double running);

/* Do the looks tell what it waits for? Where threads go in step, who looks may find the others just woken each time. */
bool out_waits_tell(const struct out_waits *waits);

/* The share of the time in which it did this, by the looks; 0 without any. */
double out_waits_share(const struct out_waits *waits, enum fmt_wait_kind kind);

/* The kind that was seen most beside none, and its share; FMT_WAIT_NONE when that is less than `least`. */
enum fmt_wait_kind out_waits_most(const struct out_waits *waits, double least, double *share);

/* "waits for a lock"; of FMT_WAIT_NONE "runs". And as a key of JSON. */
const char *out_wait_text(enum fmt_wait_kind kind);
const char *out_wait_key(enum fmt_wait_kind kind);

/* All looks at tasks of the stage with this number, each with the weight 1. */
struct out_waits out_stage_waits(const struct callsig_pipeline *pipeline, uint32_t stage);

/* The share of the time of the stage's tasks, of which `waits` are the looks, in which they wait for the one lock that
 * they wait for most. */
double out_stage_waits_lock(const struct callsig_pipeline *pipeline, uint32_t stage, const struct out_waits *waits);

/* The share of the looks at either stage's tasks, whichever is less, that found them waiting at one futex, the same for
 * both. */
double out_stage_waits_common(const struct callsig_pipeline *pipeline, uint32_t stage, uint32_t other);

#endif
