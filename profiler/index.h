/*
 * Signature indexes at run time: found in the cache, made when missing, checked, copied into the recording.
 */
#ifndef CALLSIG_INDEX_H
#define CALLSIG_INDEX_H

#include "internal.h"
#include "locate.h"

/* Is the index in data[0, size) sound in everything that the runtime follows? 0 with *view set to it; -EINVAL, -EBADMSG
 * for a wrong checksum, -ENOTSUP for a newer version. Anywhere. */
int cs_view_check(struct cs_view *view, const void *data, size_t size);

/* Sets the view to an index that was checked. */
void cs_view_set(struct cs_view *view, const void *data);

/* Finds or makes the index of the module that was located, and copies it into the recording: *view and *size describe
 * the copy. 0, or a negative errno after at most one message. The thread's clock stands still meanwhile. *made tells
 * that the command had to make it. */
int cs_index_obtain(struct cs_thread *t, const struct cs_settings *settings, const struct cs_located *module,
                    struct cs_view *view, uint64_t *size, bool *made);

#endif
