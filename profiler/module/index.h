/*
 * The signature index of a module, for the process that runs it.
 */
#ifndef CALLSIG_PROFILER_MODULE_INDEX_H
#define CALLSIG_PROFILER_MODULE_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "format/open.h"
#include "profiler/base/settings.h"
#include "profiler/module/locate.h"
#include "profiler/stack/thread.h"

/* Finds or makes the index of the module that was located, and copies it into the recording: *index and *size describe
 * the copy. 0, or a negative errno after at most one message. The thread's clock stands still meanwhile. *asked
 * tells that the command had to make it, or was asked whether it lacks less by now. */
int prof_index_obtain(struct prof_thread *t, const struct prof_settings *settings, const struct prof_located *module,
                      struct fmt_index *index, uint64_t *size, bool *asked);

#endif
