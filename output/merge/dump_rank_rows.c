/* What ranks that became one spent each by itself. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/merge/dump.h"

/* By function, one of its records. */
static uint64_t *functions_by_number(const struct out_dump *dump)
{
  uint64_t *functions = calloc(dump->profile->functions.count + 1u, sizeof *functions);
  for (uint32_t i = 0; functions && i < dump->profile->callables.count; i++)
    if (dump->functions[i] != 0)
      functions[out_profile_callable(dump->profile, i)->function] = dump->functions[i];
  return functions;
}

/* A row of what nothing refers to any more has no place: what its function took is told by itself. The newest record is
 * read first, so the last row is written first: what is read and written again is the same. */
int out_dump_rank_rows(struct out_dump *dump)
{
  const struct out_profile *profile = dump->profile;
  dump->rank_rows = calloc(profile->recordings.count + 1u, sizeof *dump->rank_rows);
  uint64_t *functions = functions_by_number(dump);
  for (uint32_t i = profile->rank_rows.count; functions && dump->rank_rows && i-- > 0;) {
    const struct out_rank_row *row = base_vector_at(&profile->rank_rows, i);
    /* What a damaged row was of may be none of the signatures. */
    if (row->have == 0)
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
  const int result = functions && dump->rank_rows ? 0 : -ENOMEM;
  free(functions);
  return result;
}
