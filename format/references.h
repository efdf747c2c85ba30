/*
 * The second half of fmt_index_open(): what the sections refer to.
 */
#ifndef CALLSIG_FORMAT_REFERENCES_H
#define CALLSIG_FORMAT_REFERENCES_H

#include <stdbool.h>

#include "format/open.h"

/* Do `count` entries from `first` lie in `total`? */
static inline bool fmt_within(uint64_t first, uint64_t count, uint64_t total)
{
  return first <= total && count <= total - first;
}

/* Does every reference of an index whose sections lie inside the file lead to something, does every array ascend that
 * is said to, and is every capture program sound? */
bool fmt_references_sound(const struct fmt_index *index);

#endif
