/* Says how much waiting for a processor is in no row, and where that is not known. */
#include "output/notes/queued_notes.h"

#include <errno.h>

#include "output/profile/process.h"

/* Less is printed as 0.000. */
#define LEAST 0.0005

/* Processes that have something in common. */
struct common {
  const struct out_recording_info *first;
  uint32_t recordings, processes;
};

static void add(struct common *common, const struct out_recording_info *info)
{
  common->first = common->first ? common->first : info;
  common->recordings++;
  common->processes += out_process_count(info);
}

/* Which of several recordings the note is about; of them all, none is named. */
static void put_who(const struct callsig_stats *stats, const struct common *common, struct out_text *text)
{
  const uint32_t all = stats->profile.recordings.count;
  if (all > 1 && common->recordings == 1)
    out_text_printf(text, "%s: ", out_process_source(&stats->profile, common->first));
  else if (common->recordings < all)
    out_text_printf(text, "%u processes: ", common->processes);
}

static int give(struct out_text *text, out_note_fn note, void *data)
{
  int result = text->failed ? -ENOMEM : note(out_text_string(text), data);
  out_text_free(text);
  return result;
}

static int tell_taken(const struct callsig_stats *stats, const struct common *taken, double seconds, out_note_fn note,
                      void *data)
{
  struct out_text text = {0};
  put_who(stats, taken, &text);
  out_text_fixed(&text, seconds, 0);
  out_text_puts(&text, " seconds of waiting for a processor are in no row");
  return give(&text, note, data);
}

static int tell_unknown(const struct callsig_stats *stats, const struct common *unknown, out_note_fn note, void *data)
{
  struct out_text text = {0};
  put_who(stats, unknown, &text);
  out_text_puts(&text, "waits for a processor could not be told from the rest, of some thread at least: on a busy "
                       "machine callers of short calls have them");
  return give(&text, note, data);
}

int out_queued_notes(const struct callsig_stats *stats, out_note_fn note, void *data)
{
  struct common taken = {0}, unknown = {0};
  double seconds = 0;
  for (uint32_t i = 0; i < stats->profile.recordings.count; i++) {
    const struct out_recording_info *info = out_profile_recording(&stats->profile, i);
    const double waited = (double)info->loss[FMT_LOSS_WAITED] * info->tick;
    if (info->flags & FMT_REC_WAITS_TAKEN && waited > 0) {
      add(&taken, info);
      seconds += waited;
    }
    if (info->flags & FMT_REC_WAITS_UNKNOWN)
      add(&unknown, info);
  }
  int result =
      seconds >= LEAST && seconds * 100 >= stats->total.time ? tell_taken(stats, &taken, seconds, note, data) : 0;
  return result == 0 && unknown.recordings > 0 ? tell_unknown(stats, &unknown, note, data) : result;
}
