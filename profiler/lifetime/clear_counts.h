/*
 * Setting what was counted to zero: what a thread's tree has, and what the process has.
 */
#ifndef CALLSIG_PROFILER_LIFETIME_CLEAR_COUNTS_H
#define CALLSIG_PROFILER_LIFETIME_CLEAR_COUNTS_H

#include <stdbool.h>

#include "format/recording.h"

/* Sets all that the thread counted to zero. It has no frame open, and counts nothing meanwhile: it is the calling one,
 * whose edges' modes are to be set anew, or has ended. `is_asking`: it may be in the middle of a call of the allocator.
 * Under threads_lock. */
void prof_counts_clear(struct fmt_rec_thread *record, bool is_asking);
/* The same of what is no thread's: losses, stages, queues and events. Under threads_lock. */
void prof_process_counts_clear(void);

#endif
