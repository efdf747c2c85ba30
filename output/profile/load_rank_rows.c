/* Reads what ranks spent each by itself, of processes that stand for several. */
#include <errno.h>
#include <string.h>

#include "output/profile/load.h"
#include "output/profile/process.h"

/* Whose row it is: FMT_NONE where its record cannot be read. */
static int find_what(struct out_loader *loader, const struct fmt_rec_rank_row *record, uint32_t *what)
{
  uint32_t callable = FMT_NONE;
  if (record->function == 0)
    return out_load_signature(loader, record->signature, what);
  int result = out_load_callable(loader, record->function, &callable);
  *what = callable == FMT_NONE ? FMT_NONE : out_profile_callable(loader->profile, callable)->function;
  return result;
}

static int load_row(struct out_loader *loader, const struct fmt_rec_rank_row *record, uint32_t process)
{
  uint32_t what = FMT_NONE;
  const uint32_t ranks = out_process_rank_count(&out_profile_recording(loader->profile, process)->process);
  int result = find_what(loader, record, &what);
  if (result < 0)
    return result;
  if (what == FMT_NONE || record->have == 0 || record->have > ranks) {
    loader->recording->damaged++;
    return 0;
  }
  struct out_rank_row *row = base_vector_add(&loader->profile->rank_rows, 1);
  if (!row)
    return -ENOMEM;
  *row = (struct out_rank_row){.process = process,
                               .what = what,
                               .of_signature = record->function == 0,
                               .have = record->have,
                               .first_lacking = record->first_lacking};
  memcpy(row->values, record->values, sizeof row->values);
  return 0;
}

/* Signatures that no call refers to get their numbers last. */
static int join_signatures(struct out_loader *loader, uint32_t first, uint32_t first_record, uint32_t first_row)
{
  const uint32_t count = loader->profile->signatures.count;
  if (first == count)
    return 0;
  for (uint32_t i = first_row; i < loader->profile->rank_rows.count; i++) {
    struct out_rank_row *row = base_vector_at(&loader->profile->rank_rows, i);
    if (row->of_signature && row->what >= first) {
      loader->recording->damaged++;
      row->have = 0;
    }
  }
  return out_load_join_signatures(loader, first, first_record, loader->profile->variants.count);
}

int out_load_rank_rows(struct out_loader *loader)
{
  struct base_vector numbers = BASE_VECTOR_OF(uint64_t);
  const uint32_t first = loader->profile->signatures.count, first_record = loader->signature_of.count,
                 first_row = loader->profile->rank_rows.count;
  int result = 0;
  for (uint32_t i = loader->first_process; i < loader->profile->recordings.count && result >= 0; i++) {
    struct fmt_rec_rank_row record;
    uint64_t address = out_profile_recording(loader->profile, i)->process.rank_rows;
    while ((result = out_recording_next(loader->recording, &numbers, address, FMT_TAG_RANK_ROW, &record,
                                        sizeof record)) > 0) {
      result = load_row(loader, &record, i);
      if (result < 0)
        break;
      address = record.next;
    }
  }
  base_vector_free(&numbers);
  return result < 0 ? result : join_signatures(loader, first, first_record, first_row);
}
