/*
 * What a program counted by itself: rows by key and stage, and by thread.
 */
#ifndef CALLSIG_OUTPUT_PIPELINE_COUNTERS_H
#define CALLSIG_OUTPUT_PIPELINE_COUNTERS_H

#include "output/pipeline/pipeline_reader.h"

/* A key in a stage, of all threads. */
struct out_counter {
  struct callsig_counter_stats stats; /* without a thread */
  uint64_t amount;                    /* modulo 2^64 */
  uint64_t last_ticks;                /* 0: never */
  uint32_t shift;
  struct fmt_rec_counter_slot slots[FMT_COUNTER_SLOTS];
};

/* The same of one thread. */
struct out_counter_thread {
  struct callsig_counter_stats stats;
  uint64_t amount;
  uint64_t serial; /* of the thread's record; 0: of threads that were folded */
};

static inline struct out_counter *out_counter_at(const struct callsig_pipeline *pipeline, uint32_t index)
{
  return base_vector_at(&pipeline->counters, index);
}

/* The taker of counter records. */
int out_counters_take(void *data, const struct fmt_rec_counter *record);

/* Adds what a thread counted of the record with this number, inside of a stage's tasks (its label) or of none (NULL). 0
 * or -ENOMEM. */
int out_counters_add(struct out_pipeline_reader *reader, const struct fmt_rec_thread *thread,
                     const struct fmt_rec_counter_use *use, uint32_t counter, const char *stage);

/* Computes the public figures of sums. */
void out_counter_derive(struct callsig_counter_stats *stats, uint64_t amount);

/* Rows by key, and then by stage, the one outside of stages first; those of threads also by them, the folded first. */
void out_counters_sort(struct callsig_pipeline *pipeline);

/* Adds figures to the row of a key and stage, whose strings are copied. 0 or -ENOMEM. */
int out_counters_add_sum(struct callsig_pipeline *pipeline, const struct callsig_counter_stats *stats, uint64_t amount);

static inline struct out_counter_thread *out_counter_thread_at(const struct callsig_pipeline *pipeline, uint32_t index)
{
  return base_vector_at(&pipeline->counter_parts, index);
}

/* The same of a thread's, which come one behind the other. 0 or -ENOMEM. */
int out_counter_threads_add_sum(struct callsig_pipeline *pipeline, const struct out_counter_thread *sum);

/* What is told first of two rows: as strcmp() gives it, by key, kind and stage. */
int out_counter_compare(const struct callsig_counter_stats *one, const struct callsig_counter_stats *other);

/* Makes the row's strings the pipeline's own. 0 or -ENOMEM. */
int out_counter_copy_strings(struct callsig_pipeline *pipeline, struct callsig_counter_stats *stats);

/* What was added between two readings: rows by key and stage. 0 or -ENOMEM. */
int out_counters_delta(const struct callsig_pipeline *before, const struct callsig_pipeline *now,
                       struct callsig_pipeline *delta);

/* The same by thread, of those that counted something. What a thread counted that was folded since is the thread's as
 * far as it was told, and the rest is told of the folded ones, so that what is told of a thread stays. 0 or -ENOMEM. */
int out_counter_threads_delta(const struct callsig_pipeline *before, const struct callsig_pipeline *now,
                              struct callsig_pipeline *delta);

#endif
