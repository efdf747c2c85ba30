/*
 * What was asked for, in one structure: options.c fills it before the recording is made.
 */
#ifndef CALLSIG_PROFILER_BASE_SETTINGS_H
#define CALLSIG_PROFILER_BASE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "format/rank.h"

#define PROF_MAX_PATH 4096u
/* With sampled times, calls of short ones that a timed one is drawn from: one in half as many is timed, in the mean. */
#define PROF_DRAWN_FROM 128u

/* From the environment, callsig_start() and the defaults, in this order. */
struct prof_settings {
  char output[PROF_MAX_PATH]; /* absolute, so that a chdir() of the program does not move it */
  uint64_t run;               /* the number of the `callsig run` that took the place for the recording; 0: none did */
  uint64_t indexed;           /* when that run began to look at indexes: nanoseconds of files' times; 0: unknown */
  char rules[PROF_MAX_PATH];  /* absolute, "" for none */
  uint64_t rules_hash;        /* fmt_index_made_by() of the rules' text, for the index's name */
  bool signatures;
  bool start_disabled;
  bool start_off;        /* as if that were the first request from outside; until one was taken */
  uint32_t clock;        /* enum fmt_clock_kind: TSC (or MONOTONIC where the TSC will not do), CPU or INJECTED */
  bool sample_times;     /* not every call is timed */
  bool sampling_asked;   /* by name: then also where the clock would be read at every call else */
  uint32_t overhead;     /* the budget, the program's slowdown in parts of FMT_FACTOR_ONE; 0: none was asked for */
  uint64_t memory_limit; /* bytes */
  struct fmt_rank rank;
  bool call_sites;  /* edges are told apart by where their calls were made */
  bool percentiles; /* every edge has a histogram of its calls' times */
  bool timeline;
  uint64_t timeline_min_ns; /* calls at least this long are in the timeline */
  uint64_t timeline_spans;  /* of a thread's ring; a power of two */
  /* Globs, separated by newlines, from the arena: they live as long as the process. */
  const char *include;         /* NULL for all */
  const char *exclude;         /* NULL for none */
  const char *library_calls;   /* imported functions whose calls are counted; NULL for none */
  bool asked;                  /* what is asked the allocator for is counted, too */
  const char *below;           /* only calls below functions with FMT_FUNCTION_TOP: the expression that says which, NULL
                                  for all */
  uint32_t depth;              /* calls at most so deep, counted from those functions if there are any; 0: no bound */
  char cache[PROF_MAX_PATH];   /* absolute folder of the indexes, "" when the environment names none */
  char command[PROF_MAX_PATH]; /* what makes a missing index: a path, or a name to be found in PATH */
};

#endif
