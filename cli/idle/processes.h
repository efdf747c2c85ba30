/* Which processes of a run there are, and by which recording each goes, as the kernel tells. */
#ifndef CALLSIG_CLI_IDLE_PROCESSES_H
#define CALLSIG_CLI_IDLE_PROCESSES_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vector.h"

struct cli_recorded_process {
  pid_t pid;
  bool is_own;         /* the recording is its own; else it is a forked child that has none yet, and an ancestor's */
  uint64_t start;      /* of the recording, in ticks, by which it is known from others of the run */
  char path[PATH_MAX]; /* of the recording */
};

/* Adds the processes of this user (root: of all) that go by a recording of the run with this number to `processes`.
 * Those whose numbers are in `seen` (pid_t, ascending) are passed over: afterwards all there are are in it. Returns 0;
 * or a negative errno: /proc cannot be read, or memory is short. */
int cli_recorded_processes_list(uint64_t run, struct base_vector *seen, struct base_vector *processes);

#endif
