/*
 * The file that a process records in: made under a name that nobody else writes to, and held by a lock.
 */
#ifndef CALLSIG_PROFILER_BASE_RECORDING_FILE_H
#define CALLSIG_PROFILER_BASE_RECORDING_FILE_H

#include <stdbool.h>

#include "profiler/base/process.h"

/* Makes the file by process.settings: the place that `callsig run` took for this run, else a new file of the settings'
 * name, then with the process id behind it, then with a number too. The path is in process.path. Returns a descriptor
 * that holds the file's lock, to be closed; or a negative errno. `*given`: it is the place that was taken, which is
 * not this process's to remove. */
long prof_recording_create(struct prof_process *process, bool *given);

/* Keeps the lock of `fd` for as long as the process has its memory: not in forked children, not past exec. 0 or a
 * negative errno. */
long prof_recording_hold(long fd);

#endif
