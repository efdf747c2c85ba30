/*
 * How many threads a stage had, as they were seen: a stage that was opened for more tasks at a time than there were
 * threads to do them works no more than these do.
 */
#ifndef CALLSIG_OUTPUT_PIPELINE_THREADS_SEEN_H
#define CALLSIG_OUTPUT_PIPELINE_THREADS_SEEN_H

#include "output/pipeline/pipeline.h"

struct out_window;

struct out_threads_seen {
  unsigned count;   /* that did its tasks; 0: not known */
  bool folded;      /* some have ended, and were folded into one: of these it is known what they worked and waited */
  bool is_steady;   /* they were there all the time that the stage was */
  double available; /* recorded seconds of the window, of all of them together; of folded ones what is known */
  /* Seconds of those which helped out alone: what they worked, and what they waited, which is none of the stage's. */
  double others_worked, others_got, others_put;
};

/* Of stage `number`. A thread that did hardly any of its tasks, as one that helps out, is not counted, and was there
 * for these. */
struct out_threads_seen out_threads_seen(const struct callsig_pipeline *pipeline, uint32_t number,
                                         const struct out_window *window);

/* The threads, on average, that were there from `from` until `until`, in ticks, by the same rules. */
double out_threads_there(const struct callsig_pipeline *pipeline, uint32_t number, uint64_t from, uint64_t until);

#endif
