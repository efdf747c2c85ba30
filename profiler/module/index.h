/*
 * Signature indexes at run time: found in the cache, made when missing, copied into the recording.
 */
#ifndef CALLSIG_PROFILER_MODULE_INDEX_H
#define CALLSIG_PROFILER_MODULE_INDEX_H

#include "profiler/base/internal.h"
#include "profiler/module/locate.h"

/* Finds or makes the index of the module that was located, and copies it into the recording: *index and *size describe
 * the copy. 0, or a negative errno after at most one message. The thread's clock stands still meanwhile. *made tells
 * that the command had to make it. */
int prof_index_obtain(struct prof_thread *t, const struct prof_settings *settings, const struct prof_located *module,
                      struct fmt_index *index, uint64_t *size, bool *made);

#endif
