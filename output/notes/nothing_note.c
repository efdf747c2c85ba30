/* Says of an empty recording what may have made it so. */
#include "output/notes/nothing_note.h"

/* True when something else is told of the recording that leaves it without calls. Waiting for a processor, which is
 * counted as a loss of time, does not. */
static bool is_explained(const struct out_recording_info *info)
{
  for (unsigned i = 0; i < FMT_LOSS_COUNT; i++)
    if (i != FMT_LOSS_WAITED && info->loss[i] > 0)
      return true;
  return info->pauses || info->damaged > 0 || info->flags & FMT_REC_FULL;
}

/* True when a function was called, or the program told of a task or an event of its own. */
static bool has_something(const struct out_profile *profile)
{
  return profile->edges.count > 0 || profile->stages.count > 1 || profile->spans.count > 0;
}

int out_nothing_note(const struct callsig_stats *stats, out_note_fn note, void *data)
{
  const struct out_profile *profile = &stats->profile;
  bool is_told = profile->recordings.count == 0 || has_something(profile);
  for (uint32_t i = 0; i < profile->recordings.count && !is_told; i++)
    is_told = is_explained(out_profile_recording(profile, i));
  return is_told ? 0 : note(OUT_NOTHING_TEXT, data);
}
