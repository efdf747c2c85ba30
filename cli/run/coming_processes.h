/*
 * Processes of a run that go on and have no recording yet, but are to have one.
 *
 * A process begins its recording with its first instrumented call. A program that forks and ends at once, as a daemon
 * does, ends before that of its child: what there is beside the run's recording does not tell of that child.
 */
#ifndef CALLSIG_CLI_RUN_COMING_PROCESSES_H
#define CALLSIG_CLI_RUN_COMING_PROCESSES_H

#include <stdint.h>

#include "cli/run/recording_place.h"

struct cli_coming_processes {
  uint32_t *pids; /* as the processes know themselves, and as their recordings' headers will have them. Owned */
  unsigned count;
};

/* Lists those whose environment has the run's number, and that are instrumented programs, or children of a process of
 * the run that have executed nothing. Of whom the kernel tells nothing to this user there is none. Recordings that
 * begin meanwhile are to be looked for behind it, and their processes taken out. 0 or -ENOMEM. */
int cli_coming_processes_list(const struct cli_recording_place *place, struct cli_coming_processes *coming);

/* Takes a process out, if it is there. */
void cli_coming_processes_remove(struct cli_coming_processes *coming, uint32_t pid);

void cli_coming_processes_free(struct cli_coming_processes *coming);

#endif
