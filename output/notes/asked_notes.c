/* Says what a table's columns of what was asked the allocator for do not tell. */
#include "output/notes/asked_notes.h"

#include <errno.h>

struct asked_sums {
  struct out_asked all, outside; /* of the rows, and of no function */
  uint64_t uncounted;            /* functions whose calls are not counted */
  uint64_t unrecorded;           /* blocks that calls asked for which are not recorded */
  uint32_t silent;               /* recordings that do not tell */
};

static struct asked_sums sum_up(const struct callsig_stats *stats)
{
  const struct out_profile *profile = &stats->profile;
  struct asked_sums sums = {.uncounted = 0};
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    const struct out_recording_info *info = out_profile_recording(profile, i);
    sums.silent += !out_asked_is_told(info);
    sums.uncounted += info->loss[FMT_LOSS_ASKING];
    sums.unrecorded += info->loss[FMT_LOSS_ASKED];
  }
  for (uint32_t i = 0; i < profile->threads.count; i++)
    out_asked_add(&sums.outside, &out_profile_thread(profile, i)->asked);
  for (uint32_t i = 0; i < stats->listed; i++)
    out_asked_add(&sums.all, &stats->rows.asked[stats->order[i]].sum);
  return sums;
}

/* Gives what `text` has to `note`, and empties it. */
static int give(struct out_text *text, out_note_fn note, void *data)
{
  int result = text->failed ? -ENOMEM : note(out_text_string(text), data);
  out_text_clear(text);
  return result;
}

static int tell(const struct asked_sums *sums, struct out_text *text, out_note_fn note, void *data)
{
  int result = 0;
  if (sums->silent > 0) {
    out_text_printf(text,
                    "%u of the recordings do not tell what was asked the allocator for, and their rows have ?: "
                    "callsig run --alloc",
                    sums->silent);
    result = give(text, note, data);
  }
  if (result == 0 && sums->uncounted > 0) {
    out_text_printf(text,
                    "the calls of %llu of the functions that memory is asked for or freed by are not counted: what "
                    "they ask for is in no row, and what they free counts as not freed",
                    (unsigned long long)sums->uncounted);
    result = give(text, note, data);
  }
  if (result == 0 && sums->unrecorded > 0) {
    out_text_printf(text, "%llu blocks were asked for by calls that could not be recorded, and are in no row",
                    (unsigned long long)sums->unrecorded);
    result = give(text, note, data);
  }
  if (result == 0 && sums->all.lost_calls > 0) {
    out_text_printf(text,
                    "of %llu blocks (%llu bytes) it is not known whether they were freed, since more were in use than "
                    "could be followed: the rows that asked for them have ?",
                    (unsigned long long)sums->all.lost_calls, (unsigned long long)sums->all.lost_bytes);
    result = give(text, note, data);
  }
  if (result == 0 && (out_asked_is_full(&sums->all) || out_asked_is_full(&sums->outside)))
    result = note("sums of bytes asked for stand still at 2^64 - 1: of rows that reached it, unfreed is ?", data);
  if (result == 0 && sums->outside.calls > 0) {
    out_text_printf(text,
                    "%llu bytes in %llu blocks were asked for outside of all recorded functions, and %llu of them"
                    " are not freed",
                    (unsigned long long)sums->outside.bytes, (unsigned long long)sums->outside.calls,
                    (unsigned long long)out_asked_kept_bytes(&sums->outside));
    result = give(text, note, data);
  }
  return result;
}

int out_asked_notes(const struct callsig_stats *stats, out_note_fn note, void *data)
{
  if (!out_columns_have_asked(&stats->columns) && !out_sort_is_by_asked(&stats->sort))
    return 0;
  if (!stats->rows.asked)
    return note("no recording tells what was asked the allocator for: callsig run --alloc does", data);
  const struct asked_sums sums = sum_up(stats);
  struct out_text text = {0};
  int result = tell(&sums, &text, note, data);
  out_text_free(&text);
  return result;
}
