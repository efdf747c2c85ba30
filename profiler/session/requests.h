/*
 * What is asked of the process from outside (format/request.h), by whom and when is all the
 * same: taken by a thread that comes by, and acknowledged.
 */
#ifndef CALLSIG_PROFILER_SESSION_REQUESTS_H
#define CALLSIG_PROFILER_SESSION_REQUESTS_H

#include <stdbool.h>

#include "profiler/stack/thread.h"

/* Does what is asked, if anything is. True when something was, so that the calling thread's state may be another one.
 * Outside of slow sections. */
bool prof_requests_take(void);

/* The calling thread, its control block made if need be, once it has caught up with what changed in the process and was
 * asked of it; NULL when it does not record now. Outside of slow sections. */
struct prof_thread *prof_thread_wake(void);

#endif
