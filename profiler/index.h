/*
 * Signature indexes at run time: found in the cache, made when missing, copied into the recording.
 */
#ifndef CALLSIG_INDEX_H
#define CALLSIG_INDEX_H

#include "internal.h"
#include "locate.h"

/* Finds or makes the index of the module that was located, and copies it into the recording: *index and *size describe
 * the copy. 0, or a negative errno after at most one message. The thread's clock stands still meanwhile. *made tells
 * that the command had to make it. */
int cs_index_obtain(struct cs_thread *t, const struct cs_settings *settings, const struct cs_located *module,
                    struct cs_index *index, uint64_t *size, bool *made);

#endif
