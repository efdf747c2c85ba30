/*
 * Signature indexes that a forked child has of its parent: they lie in the parent's recording, which a fork leaves
 * mapped, and were checked when they were read. The child may be unable to read them from the cache again, as another
 * user, and would take as long for it as for the rest of its beginning.
 */
#ifndef CALLSIG_PROFILER_MODULE_PARENTS_INDEX_H
#define CALLSIG_PROFILER_MODULE_PARENTS_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "format/open.h"
#include "profiler/module/locate.h"

/* There are indexes: a fork keeps them from now on. Under modules_lock. */
void prof_parents_indexes_begin(void);

/* Copies the index that the parent had of this module, which lies where it lay, into the recording: *index and *size
 * describe the copy. False: there is none. The path and the build-id of both are the same; `version` is as
 * prof_located_version() tells it. Under modules_lock. */
bool prof_parents_index_take(const struct prof_located *module, uint64_t version, struct fmt_index *index,
                             uint64_t *size);

#endif
