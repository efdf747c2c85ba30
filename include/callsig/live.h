/*
 * callsig: what others ask a program that runs for: what it did in some seconds, as a profile, and its counters, as
 * metrics. `callsig serve` hands both out.
 *
 * The program does not know of it: its recording is read. An object belongs to its caller and is used by one thread at
 * a time; different objects are independent. Functions that can fail return 0 or a negative errno after giving one
 * clear line to the message callback. docs/serve.md says what stands in a profile and in metrics.
 */
#ifndef CALLSIG_LIVE_H
#define CALLSIG_LIVE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "callsig/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One reading of a recording, from which another is going to be subtracted. It takes the memory of a loaded recording.
 */
struct callsig_delta;

/* Reads the recording at `path`, whose process may have ended. Errors as of callsig_stats_load(); -ENOTSUP for a merged
 * recording, to which nothing is added any more. */
CALLSIG_STATS_API int callsig_delta_begin(const char *path, struct callsig_delta **delta);

/* What came of a delta. Set `size`. */
struct callsig_delta_info {
  size_t size;
  double from, until;  /* seconds since 1970 */
  uint64_t calls;      /* that ended or were open, and had not been counted before */
  double time;         /* seconds that they took by themselves */
  uint64_t less_calls; /* what stacks had less than before counts as nothing added: calls, and seconds */
  double less_time;    /* where times are estimates or calls are just moved between stacks; else 0 */
  uint64_t lost;       /* calls in between that could not be recorded */
};

/* Reads the recording again, and writes what was added since as pprof's profile: calls and times by stack, with the
 * labels of callsig_stats_export(). `info` may be NULL. When `next` is not NULL, *next gets the reading as the begin of
 * another delta, so that nothing is between the two. -ESTALE after a message when what was counted before was given up
 * (callsig_reset(), `callsig ctl reset`), or another process records there by now: nothing is written, *next is NULL.
 * -EIO when `out` cannot be written. The object is good only for callsig_delta_free() afterwards. */
CALLSIG_STATS_API int callsig_delta_write(struct callsig_delta *delta, FILE *out, struct callsig_delta_info *info,
                                          struct callsig_delta **next);

/* Frees it; NULL is allowed. */
CALLSIG_STATS_API void callsig_delta_free(struct callsig_delta *delta);

/* The metrics of a recording, which remember what they showed: a counter never falls, and a function that has a row of
 * its own keeps it. */
struct callsig_metrics;

/* Set `size`; 0 is the default. */
struct callsig_metrics_options {
  size_t size;
  const char *path; /* the recording, which need not exist yet. Copied */
  size_t functions; /* the functions with the most time of their own at each reading get rows; default 50. At most four
                       times as many ever get one; all others are summed in one row */
};

/* -EINVAL for an option that makes no sense, or -ENOMEM; after a message. */
CALLSIG_STATS_API int callsig_metrics_new(const struct callsig_metrics_options *options,
                                          struct callsig_metrics **metrics);

/* Reads the recording and writes Prometheus's text format, version 0.0.4. A recording that cannot be read is no error:
 * callsig_recording_readable is 0 then, and nothing else is there of it. -EIO when `out` cannot be written, or -ENOMEM.
 */
CALLSIG_STATS_API int callsig_metrics_write(struct callsig_metrics *metrics, FILE *out);

/* Frees it; NULL is allowed. */
CALLSIG_STATS_API void callsig_metrics_free(struct callsig_metrics *metrics);

#ifdef __cplusplus
}
#endif

#endif
