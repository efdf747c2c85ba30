/* Reads in which times a process recorded nothing. */
#include "output/recording/pauses.h"

/* Copies what the process may be changing: a copy before and after which the same even number stands is none of two
 * states. Of one that died in between, or of a file that nobody changes, it is what is there. */
static void read_steadily(const struct out_recording *recording, uint64_t address, struct fmt_rec_pauses *record)
{
  enum { TRIES = 64 };
  struct fmt_rec_pauses again;
  for (unsigned i = 0; i < TRIES; i++) {
    if (!out_recording_read_again(recording, address, &again, sizeof again) ||
        !out_recording_read_again(recording, address, record, sizeof *record) ||
        (again.sequence % 2 == 0 && again.sequence == record->sequence))
      return;
  }
}

static bool is_sound(const struct fmt_rec_pauses *record)
{
  uint64_t before = 0;
  if (record->count > FMT_PAUSES)
    return false;
  for (uint32_t i = 0; i < record->count; i++) {
    const struct fmt_rec_pause *pause = &record->list[i];
    if (pause->from < before || pause->until <= pause->from || pause->ticks > pause->until - pause->from)
      return false;
    before = pause->until;
  }
  return record->since == 0 || record->since >= before;
}

bool out_pauses_record(struct out_recording *recording, uint64_t address, struct fmt_rec_pauses *record)
{
  const struct fmt_rec_pauses *kept =
      address ? out_recording_record(recording, address, FMT_TAG_PAUSES, sizeof *kept) : NULL;
  if (!kept) {
    recording->damaged += address != 0;
    return false;
  }
  *record = *kept;
  if (recording->is_live)
    read_steadily(recording, address, record);
  const bool sound = is_sound(record);
  recording->damaged += !sound;
  return sound;
}

struct out_pauses out_pauses_read(struct out_recording *recording, uint64_t now)
{
  struct out_pauses pauses = {0};
  struct fmt_rec_pauses record;
  if (!out_pauses_record(recording, recording->header.pauses, &record))
    return pauses;
  pauses.known = true;
  for (uint32_t i = 0; i < record.count; i++)
    pauses.list[pauses.count++] = record.list[i];
  if (record.since && record.since < now)
    pauses.list[pauses.count++] =
        (struct fmt_rec_pause){.from = record.since, .until = now, .ticks = now - record.since};
  return pauses;
}

uint64_t out_pauses_ticks(const struct fmt_rec_pauses *record, uint64_t now)
{
  uint64_t sum = record->since && record->since < now ? now - record->since : 0;
  for (uint32_t i = 0; i < record->count; i++)
    sum += record->list[i].ticks;
  return sum;
}

uint64_t out_pauses_within(const struct out_pauses *pauses, uint64_t from, uint64_t until)
{
  uint64_t sum = 0;
  for (uint32_t i = 0; i < pauses->count; i++) {
    const struct fmt_rec_pause *pause = &pauses->list[i];
    const uint64_t begin = pause->from > from ? pause->from : from, end = pause->until < until ? pause->until : until;
    if (end <= begin)
      continue;
    /* Of several that were taken together it is not known where in it they are. */
    const double share = (double)pause->ticks / (double)(pause->until - pause->from);
    sum += pause->ticks == pause->until - pause->from ? end - begin : (uint64_t)((double)(end - begin) * share);
  }
  return sum;
}
