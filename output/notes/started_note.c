/* Says that waits for processes hold what callsig takes to begin and to end a recording of each. */
#include "output/notes/started_note.h"

#include <errno.h>
#include <stdlib.h>

#include "output/notes/waiting_notes.h"
#include "output/profile/process.h"

/* Seconds that a process is delayed by, at the least (docs/times.md); and the part of the waiting that is told of. */
#define LEAST 0.001
#define TOLD  0.1

static int compare_pids(const void *left, const void *right)
{
  const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return (a > b) - (a < b);
}

/* How many processes others of the profile started. `pids` has room for all. */
static uint64_t count_started(const struct out_profile *profile, uint32_t *pids)
{
  const uint32_t count = profile->recordings.count;
  uint64_t started = 0;
  for (uint32_t i = 0; i < count; i++)
    pids[i] = out_profile_recording(profile, i)->pid;
  qsort(pids, count, sizeof *pids, compare_pids);
  for (uint32_t i = 0; i < count; i++) {
    const struct out_recording_info *info = out_profile_recording(profile, i);
    if (bsearch(&info->process.ppid, pids, count, sizeof *pids, compare_pids))
      started += out_process_count(info);
  }
  return started;
}

/* The times of a run beside are of one without callsig. */
static bool is_beside(const struct out_profile *profile)
{
  for (uint32_t i = 0; i < profile->sampled_runs.count; i++)
    if (!(out_profile_sampled_run(profile, i)->head.flags & FMT_SAMPLES_OWN_RUN))
      return true;
  return false;
}

int out_started_note(const struct callsig_stats *stats, out_note_fn note, void *data)
{
  const struct out_profile *profile = &stats->profile;
  if (!out_waiting_is_much(stats) || is_beside(profile))
    return 0;
  uint32_t *pids = calloc(profile->recordings.count + 1u, sizeof *pids);
  if (!pids)
    return -ENOMEM;
  const uint64_t started = count_started(profile, pids);
  free(pids);
  if ((double)started * LEAST < TOLD * stats->total.wait)
    return 0;
  struct out_text text = {0};
  out_text_printf(
      &text,
      "%llu process%s started by others: what callsig takes to begin and to end the recording of each, a "
      "millisecond or more, is in the times of those that waited; callsig run --beside has times without it",
      (unsigned long long)started, started == 1 ? " was" : "es were");
  int result = text.failed ? -ENOMEM : note(out_text_string(&text), data);
  out_text_free(&text);
  return result;
}
