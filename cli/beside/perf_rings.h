/*
 * PC samples of a program by the kernel's own timer (perf_event_open, cpu-clock), from its first instruction on.
 *
 * The events are opened on the calling thread, disabled, and inherited by what it starts: an exec() enables them. There
 * is one for each processor, so that threads and child processes write into the ring of the processor they run on.
 */
#ifndef CALLSIG_CLI_BESIDE_PERF_RINGS_H
#define CALLSIG_CLI_BESIDE_PERF_RINGS_H

#include <stdbool.h>
#include <sys/types.h>

#include "cli/beside/callers.h"
#include "cli/beside/sample_period.h"
#include "cli/beside/samples.h"
#include "cli/beside/unrecorded.h"

struct cli_perf_rings;

/* Makes the events and their rings. The program is to be started by the same thread. The time of libraries that are not
 * profiled is their callers': `profiled` is as cli_callers_init() takes it. What the kernel does for the program is
 * sampled too, if that is allowed. A sample is taken once in `period_ns` of CPU time. Returns 0, -ENOMEM, or the error
 * of the kernel that denies it; gives no message. */
int cli_perf_rings_open(struct cli_perf_rings **rings, uint64_t period_ns, const struct cli_profiled *profiled);

/* CLOCK_MONOTONIC, in nanoseconds: the clock of all that is sampled. */
uint64_t cli_perf_rings_now(void);

/* What is taken of the rings. */
struct cli_perf_looked {
  pid_t pid;   /* the process whose code is told apart */
  uint64_t at; /* what happened before; UINT64_MAX: all, when nothing writes any more */
  uint64_t
      recorded; /* of the process, what happened before that counts; UINT64_MAX: all. Never before an earlier `at` */
  struct cli_unrecorded *unrecorded; /* is told what processes execute; NULL: that is not asked for */
};

/* Takes what the rings hold into `samples`. -ENOMEM. */
int cli_perf_rings_drain(struct cli_perf_rings *rings, const struct cli_perf_looked *looked,
                         struct cli_samples *samples);

/* Pauses sampling for a random part of a period. Samples then lie at random places of whatever the program repeats. */
void cli_perf_rings_shift(struct cli_perf_rings *rings);

/* What the kernel counted. Every process of the program has ended, and all its samples were taken. */
void cli_perf_rings_count(const struct cli_perf_rings *rings, struct cli_kernel_counts *counts);

/* Ends sampling; NULL is nothing. */
void cli_perf_rings_close(struct cli_perf_rings *rings);

#endif
