/*
 * PC samples of a program where the kernel gives none: its threads are stopped for an instant, one after the other, and
 * their registers read (ptrace). Only threads that run are stopped, so that no wait of the program is cut short.
 */
#ifndef CALLSIG_CLI_BESIDE_STOPS_H
#define CALLSIG_CLI_BESIDE_STOPS_H

#include <sys/types.h>

#include "cli/beside/callers.h"
#include "cli/beside/samples.h"

struct cli_stops;

/* `profiled` is as cli_callers_init() takes it. -ENOMEM. */
int cli_stops_open(struct cli_stops **stops, const struct cli_profiled *profiled);

/* Takes a sample of each thread of process `pid` that has used up its share of CPU time since the one before, and waits
 * for a random time until the next look is due. -ENOMEM; -ESRCH when the process has ended; or the error of the kernel
 * that denies it. One thread alone may call it for a process. */
int cli_stops_look(struct cli_stops *stops, pid_t pid, struct cli_samples *samples);

/* The CPU time that a sample stood for, in nanoseconds; 0 before the first. */
uint64_t cli_stops_period(const struct cli_stops *stops);

void cli_stops_close(struct cli_stops *stops);

#endif
