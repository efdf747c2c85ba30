/* PC samples of one run of a program, taken by whatever way this system allows. */
#ifndef CALLSIG_CLI_BESIDE_SAMPLER_H
#define CALLSIG_CLI_BESIDE_SAMPLER_H

#include <stdbool.h>
#include <sys/types.h>

#include "cli/beside/callers.h"
#include "cli/beside/samples.h"
#include "cli/beside/used_time.h"

struct cli_sampler;

/* Of the profiled run: CLOCK_MONOTONIC in nanoseconds when it was recorded no more, UINT64_MAX while it is. It may be
 * called by another thread until the sampler is closed. */
struct cli_sampled_recording {
  uint64_t (*until)(void *data);
  void *data;
};

/* Makes ready, before the program is started by the same thread. `recording`: of the profiled run, which nothing stops;
 * NULL: it is not that. `profiled` is as cli_callers_init() takes it. -ENOMEM, or the error of the kernel where it
 * allows no way of sampling. */
int cli_sampler_open(struct cli_sampler **sampler, const struct cli_sampled_recording *recording,
                     const struct cli_profiled *profiled);

/* The program runs as process `pid`: a thread of its own samples it from now on. A negative errno when there can be no
 * thread. */
int cli_sampler_start(struct cli_sampler *sampler, pid_t pid);

/* The process has ended, and was not reaped yet. Waits for the thread. */
void cli_sampler_stop(struct cli_sampler *sampler);

/* Hands out the samples, which are the caller's from then on, and ends the sampler; `used` is the program's CPU
 * time. Returns 0, -ENOMEM, or the error of the kernel where it allows no way of sampling. */
int cli_sampler_close(struct cli_sampler *sampler, const struct cli_used *used, struct cli_samples *samples);

#endif
