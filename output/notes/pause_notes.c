/* Says how long recording was off: once, however many processes a server has. */
#include "output/notes/pause_notes.h"

#include <errno.h>

#include "output/profile/process.h"
#include "output/recording/pauses.h"

/* The processes in which it was. */
struct paused {
  uint32_t processes, recordings;
  double off, all; /* seconds, each process's its own */
  const struct out_recording_info *first;
};

static void add(struct paused *paused, const struct out_recording_info *info)
{
  const struct fmt_rec_process *process = &info->process;
  if (!info->pauses || process->last.ticks <= process->start.ticks)
    return;
  const uint64_t all = process->last.ticks - process->start.ticks;
  const uint64_t off = out_pauses_ticks(info->pauses, process->last.ticks);
  if (off == 0 || off > all)
    return;
  paused->first = paused->first ? paused->first : info;
  paused->recordings++;
  paused->processes += out_process_count(info);
  paused->off += (double)off * info->tick;
  paused->all += (double)all * info->tick;
}

int out_pause_notes(const struct callsig_stats *stats, out_note_fn note, void *data)
{
  struct paused paused = {0};
  struct out_text text = {0};
  for (uint32_t i = 0; i < stats->profile.recordings.count; i++)
    add(&paused, out_profile_recording(&stats->profile, i));
  if (paused.recordings == 0)
    return 0;
  if (paused.recordings > 1)
    out_text_printf(&text, "%u processes: ", paused.processes);
  else if (stats->profile.recordings.count > 1)
    out_text_printf(&text, "%s: ", out_process_source(&stats->profile, paused.first));
  out_text_puts(&text, "recording was off for ");
  out_text_fixed(&text, paused.off, 0);
  out_text_puts(&text, " of ");
  out_text_fixed(&text, paused.all, 0);
  out_text_puts(&text, paused.recordings > 1 ? " seconds in all: what was called then is in no row"
                                             : " seconds: what was called then is in no row");
  int result = text.failed ? -ENOMEM : note(out_text_string(&text), data);
  out_text_free(&text);
  return result;
}
