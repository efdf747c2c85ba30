/*
 * The file that a process records in: made under a name that nobody else writes to, held by a lock, and given space.
 */
#ifndef CALLSIG_PROFILER_BASE_RECORDING_FILE_H
#define CALLSIG_PROFILER_BASE_RECORDING_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/base/process.h"

/* Makes the file by process.settings: the place that `callsig run` took for this run, else a new file of the settings'
 * name, then with the process id behind it, then with a number too. The path is in process.path. Returns a descriptor
 * that holds the file's lock, to be closed; or a negative errno. `*given`: it is the place that was taken, which is
 * not this process's to remove. */
long prof_recording_create(struct prof_process *process, bool *given);

/* Keeps the lock of `fd` for as long as the process has its memory: not in forked children, not past exec. 0 or a
 * negative errno. */
long prof_recording_hold(long fd);

/* Opens the file of process.path again. The descriptor, or a negative errno: -ESTALE when it is another file by now. */
long prof_recording_reopen(const struct prof_process *process);

/* Gives the bytes [from, to) of the file space, also on a file system that cannot fallocate(). 0 or a negative errno:
 * -EFBIG above RLIMIT_FSIZE. */
long prof_recording_allocate(long fd, uint64_t from, uint64_t to);

/* Makes the mapping of the file that ends at `end` longer by `size` bytes, which the file has already, and gives each
 * page of them space, so that none can fail later: without opening the file. 0 or a negative errno, among them -EINVAL
 * of a kernel before 5.14. */
long prof_recording_lengthen(uintptr_t end, uint64_t size);

/* The limit of such a resource (RLIMIT_AS ...) as it is now. */
uint64_t prof_limit_of(int resource);

#endif
