/* Calls that were taken out of the processes of a run, all put back; and those of one recording taken out. */
#ifndef CALLSIG_CLI_IDLE_CALLS_H
#define CALLSIG_CLI_IDLE_CALLS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vector.h"

/* Takes the calls out of the process of the run with this number whose recording began at `start` ticks, as long as
 * `goes_on` says so, asked with `data`. *pid: that process. Returns 0; -ECANCELED when it was told not to go on;
 * -ENODATA when it has no sleds; -EACCES when there is none that may be looked into; or another negative errno. Some
 * may be out in any case. */
int cli_calls_take_out(uint64_t run, uint64_t start, bool (*goes_on)(const void *data), const void *data, pid_t *pid);

/* Puts them back in that process. Returns as cli_calls_put_back_all(), or -EACCES or -ENODATA as above. */
int cli_calls_put_back(uint64_t run, uint64_t start);

/* Puts back the calls of every process of the run, those too that begin meanwhile; adds those that could be looked into
 * to `reached` (pid_t). Returns 0, or the negative errno of one where some cannot be put back; all others are. -EBUSY:
 * a debugger's breakpoint is in the way. -EAGAIN: there were more and more of them, and may be others. */
int cli_calls_put_back_all(uint64_t run, struct base_vector *reached);

/* The same of forked children that have no recording yet: they begin it when they call. */
int cli_calls_put_back_children(uint64_t run);

#endif
