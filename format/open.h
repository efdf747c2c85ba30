/*
 * An opened signature index: what the runtime, the report and the command follow, checked by one piece of code for all.
 *
 * Its sources, and those of program.h and hash.h, are in format/. Nothing there allocates, prints, locks or touches
 * errno, and nothing is called that is not there, so that all of it may be called anywhere, in a hook as well. It is
 * compiled twice: into the runtime, with the runtime's flags, and into symbols/.
 *
 * This header is internal to callsig and is not installed.
 */
#ifndef CALLSIG_FORMAT_OPEN_H
#define CALLSIG_FORMAT_OPEN_H

#include <stddef.h>
#include <stdint.h>

#include "format/index.h"

/* `header` and the section arrays, every reference inside checked. It borrows the bytes. All zero: no index. */
struct fmt_index {
  const struct fmt_index_header *header;
  const char *strings;
  const struct fmt_index_site *sites;
  const struct fmt_index_physical *physicals;
  const struct fmt_index_function *functions;
  const struct fmt_index_arg *args;
  const struct fmt_index_type *types;
  const struct fmt_index_enumerator *enumerators;
  const struct fmt_op *ops;
  const uint64_t *states;
  const int64_t *ranges;
  const struct fmt_index_call_site *call_sites;
  const struct fmt_index_call_value *call_values;
  const struct fmt_index_symbol *symbols;
  const struct fmt_index_saved *saved;
  const struct fmt_index_rule *rules;
  const struct fmt_index_sled *sleds;
  uint32_t count[FMT_SECTION_COUNT];
};

/* Checks everything that using the index in data[0, size) relies on: hostile data gives -EINVAL, a newer version
 * -ENOTSUP. 0 with *index set to it; after an error *index is not to be used. */
int fmt_index_open(const void *data, size_t size, struct fmt_index *index);

/* Sets *index to bytes that are equal to some that fmt_index_open() accepted, at an address that is a multiple of 8. */
void fmt_index_set(struct fmt_index *index, const void *data);

/* The string at `offset`: for references inside the index. */
static inline const char *fmt_index_string(const struct fmt_index *index, uint32_t offset)
{
  return index->strings + offset;
}

/* By a link-time address, NULL where there is none: the function symbol that holds it, the probe site and the call site
 * whose pc it is. */
const struct fmt_index_symbol *fmt_index_symbol_at(const struct fmt_index *index, uint64_t address);
const struct fmt_index_site *fmt_index_site_at(const struct fmt_index *index, uint64_t pc);
const struct fmt_index_call_site *fmt_index_call_site_at(const struct fmt_index *index, uint64_t pc);

/* The first sled at or after a link-time address, NULL after the last. */
const struct fmt_index_sled *fmt_index_sled_from(const struct fmt_index *index, uint64_t address);

#endif
