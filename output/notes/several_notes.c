/* Writes what a reader of several recordings has to know: that some are of one process, and that their clocks differ.
 */
#include "output/notes/several_notes.h"

#include <errno.h>

#include "output/profile/process.h"
#include "output/text/text.h"

/* Who began to count at one moment, by the pid and the clock, is one process: after a fork, an exec or a reset it
 * counts from another. */
static bool is_same(const struct out_recording_info *a, const struct out_recording_info *b)
{
  return a->pid == b->pid && a->process.start_realtime_ns != 0 &&
         a->process.start_realtime_ns == b->process.start_realtime_ns;
}

static int note_repeated(const struct out_profile *profile, const uint32_t *processes, out_note_fn note, void *data)
{
  int result = 0;
  for (uint32_t first = 0, next; first < profile->recordings.count && result == 0; first = next) {
    const struct out_recording_info *info = out_profile_recording(profile, processes[first]);
    next = first + 1;
    while (next < profile->recordings.count && is_same(info, out_profile_recording(profile, processes[next])))
      next++;
    if (next - first == 1)
      continue;
    struct out_text text = {0};
    out_text_printf(&text,
                    "%u recordings are of one process (%u), and what each of them has counted is added up: of a "
                    "snapshot and what was recorded in the end give one alone",
                    next - first, info->pid);
    result = text.failed ? -ENOMEM : note(out_text_string(&text), data);
    out_text_free(&text);
  }
  return result;
}

static int note_clocks(const struct out_profile *profile, out_note_fn note, void *data)
{
  uint32_t first = out_profile_recording(profile, 0)->clock;
  for (uint32_t i = 1; i < profile->recordings.count; i++) {
    uint32_t clock = out_profile_recording(profile, i)->clock;
    bool wall = first <= FMT_CLOCK_MONOTONIC && clock <= FMT_CLOCK_MONOTONIC;
    if (clock != first && !wall)
      return note("the recordings' clocks are of different kinds (wall, cpu, injected): their times were added all the "
                  "same",
                  data);
  }
  return 0;
}

int out_several_notes(const struct callsig_stats *stats, const uint32_t *processes, out_note_fn note, void *data)
{
  int result = note_repeated(&stats->profile, processes, note, data);
  return result < 0 || stats->profile.recordings.count < 2 ? result : note_clocks(&stats->profile, note, data);
}
