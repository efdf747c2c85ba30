/* Calls that were taken out of the processes of a run, all put back; and those of one recording taken out. */
#ifndef CALLSIG_CLI_IDLE_CALLS_H
#define CALLSIG_CLI_IDLE_CALLS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/vector.h"

/* Takes the calls out of the process whose recording lies at `path`, of the run at `run`, both absolute, or puts them
 * back. *pid: that process. Returns 0; -ENODATA when it has no sleds; -EACCES when there is none that may be looked
 * into; or another negative errno: some may be switched and others not. */
int cli_calls_switch(const char *run, const char *path, bool out, pid_t *pid);

/* Puts back the calls of every process of the run at `run`, those too that begin meanwhile; adds those that could be
 * looked into to `reached` (pid_t). Returns 0, or the negative errno of one whose calls cannot be put back; all others'
 * are. */
int cli_calls_put_back(const char *run, struct base_vector *reached);

/* The same of forked children that have no recording yet: they begin it when they call. */
int cli_calls_put_back_children(const char *run);

#endif
