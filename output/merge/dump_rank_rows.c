/* What ranks that became one spent each by itself. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "output/merge/dump.h"

/* By function, the first of its records that was written. */
static uint64_t *functions_by_number(const struct out_dump *dump)
{
  uint64_t *functions = calloc(dump->profile->functions.count + 1u, sizeof *functions);
  for (uint32_t i = 0; functions && i < dump->profile->callables.count; i++) {
    uint64_t *first = &functions[out_profile_callable(dump->profile, i)->function];
    if (dump->functions[i] != 0 && (*first == 0 || dump->functions[i] < *first))
      *first = dump->functions[i];
  }
  return functions;
}

/* By signature: is there a call with it? Of a damaged recording some have none, and readers know signatures by calls.
 */
static bool *called_signatures(const struct out_profile *profile)
{
  bool *called = calloc(profile->signatures.count + 1u, sizeof *called);
  for (uint32_t i = 0; called && i < profile->edges.count; i++) {
    const uint32_t to = out_profile_edge(profile, i)->to;
    const uint32_t signature = to == FMT_NONE ? FMT_NONE : out_profile_variant(profile, to)->signature;
    if (signature != FMT_NONE)
      called[signature] = true;
  }
  return called;
}

/* A row of what nothing refers to any more has no place: what its function took is told by itself. The newest record is
 * read first, so the last row is written first: what is read and written again is the same. */
int out_dump_rank_rows(struct out_dump *dump)
{
  const struct out_profile *profile = dump->profile;
  dump->rank_rows = calloc(profile->recordings.count + 1u, sizeof *dump->rank_rows);
  uint64_t *functions = functions_by_number(dump);
  bool *called = called_signatures(profile);
  const bool complete = functions && called && dump->rank_rows;
  for (uint32_t i = profile->rank_rows.count; complete && i-- > 0;) {
    const struct out_rank_row *row = base_vector_at(&profile->rank_rows, i);
    /* What a damaged row was of may be none of the signatures. */
    if (row->have == 0 || (row->of_signature && !called[row->what]))
      continue;
    struct fmt_rec_rank_row record = {.tag = OUT_DUMP_TAG(FMT_TAG_RANK_ROW, record),
                                      .next = dump->rank_rows[row->process],
                                      .function = row->of_signature ? 0 : functions[row->what],
                                      .signature = row->of_signature ? dump->signatures[row->what] : 0,
                                      .have = row->have,
                                      .first_lacking = row->first_lacking};
    memcpy(record.values, row->values, sizeof record.values);
    if (record.function != 0 || record.signature != 0)
      dump->rank_rows[row->process] = out_dump_put(dump, &record, sizeof record);
  }
  free(functions);
  free(called);
  return complete ? 0 : -ENOMEM;
}
