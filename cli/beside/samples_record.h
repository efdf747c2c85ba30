/* Samples written into the recording of the run whose times they replace. */
#ifndef CALLSIG_CLI_BESIDE_SAMPLES_RECORD_H
#define CALLSIG_CLI_BESIDE_SAMPLES_RECORD_H

#include <sys/types.h>

#include "cli/beside/attribution.h"

/* What is told of the sampled run beside its samples. */
struct cli_sampled_run {
  const char *program;
  uint64_t used_ns; /* CPU time, of user code alone unless FMT_SAMPLES_KERNEL says more */
  int status;       /* as wait() gives it */
  uint32_t flags;   /* enum fmt_samples_flag */
};

/* Appends the samples with their places (struct cli_place) to the recording at `path` of process `pid`, which has
 * ended. A recording that has samples gets these in their place. Returns 0, -ENOENT when there is no recording of that
 * process there, -ENOMEM, or the error of writing it. */
int cli_samples_write(const char *path, pid_t pid, const struct cli_samples *samples, const struct base_vector *places,
                      const struct cli_sampled_run *run);

#endif
