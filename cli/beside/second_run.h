/* The other run of a program: with the environment of before, without what it writes, and sampled. */
#ifndef CALLSIG_CLI_BESIDE_SECOND_RUN_H
#define CALLSIG_CLI_BESIDE_SECOND_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/beside/known_modules.h"
#include "cli/beside/samples.h"

/* What standard input and output were before the first run. */
struct cli_run_files {
  bool rewinds_input; /* it is a file, whose offset was `input` */
  bool empties_input; /* it is a pipe or a socket, which the first run may have emptied */
  bool keeps_output;  /* it is a file, whose offset was `output`: what both runs write there is compared */
  int64_t input, output;
};

struct cli_second_run {
  struct cli_samples samples;
  uint64_t used_ns; /* CPU time of the process and of those it waited for, in the kernel where that was sampled */
  int status;
  bool output_known, output_differs;
};

/* Looks at standard input and output. Changes nothing. */
void cli_run_files_keep(struct cli_run_files *files);

/* Executes `path` with `argv` and `environment` and samples it; the time of other libraries than the `known` ones is
 * that of who called them. Its standard input is what the first run's was, empty where that cannot be had again; what
 * it writes is compared with what the first run wrote, or dropped, and its errors are dropped. Returns 0, or a negative
 * errno after a message; run->samples is to be freed in either case. Process-wide: it changes signal handlers and
 * standard files until it returns. */
int cli_second_run(const char *path, char *const argv[], char *const environment[], const struct cli_run_files *files,
                   struct cli_known_modules *known, struct cli_second_run *run);

#endif
