#include "notes.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "render.h"

struct notes {
  const struct callsig_stats *stats;
  cs_note_fn note;
  void *data;
  struct cs_text text;
  struct cs_arguments scratch;
  int result;
};

static void send(struct notes *notes)
{
  if (notes->result == 0 && notes->text.failed)
    notes->result = -ENOMEM;
  if (notes->result == 0)
    notes->result = notes->note(cs_text_string(&notes->text), notes->data);
  cs_text_clear(&notes->text);
}

/* "1 call", "3 calls". */
static void count(struct notes *notes, uint64_t number, const char *thing)
{
  cs_text_printf(&notes->text, "%llu %s%s", (unsigned long long)number, thing, number == 1 ? "" : "s");
}

/* Which recording a note is about, where there are several. */
static void begin(struct notes *notes, const struct cs_recording_info *info)
{
  if (notes->stats->profile.recordings.count > 1)
    cs_text_printf(&notes->text, "%s: ", cs_profile_string(&notes->stats->profile, info->path));
}

static void note_losses(struct notes *notes, const struct cs_recording_info *info)
{
  static const struct {
    uint32_t loss;
    const char *thing, *text;
  } losses[] = {
      {CS_LOSS_NO_SPACE, "call", "not recorded: the recording could not grow (disk full, or its memory limit)"},
      {CS_LOSS_NESTED, "call", "not recorded: made inside of the profiler's own slow path"},
      {CS_LOSS_LATE, "call", "not recorded: made after their thread had ended"},
      {CS_LOSS_EXIT_UNMATCHED, "exit", "without an entry, ignored"},
      {CS_LOSS_UNWOUND, "call",
       "ended without their exit hook (longjmp, exception, thread exit): counted, closed when noticed"},
      {CS_LOSS_EDGES_MERGED, "call", "counted without the caller's signature, to stay in bounds"},
      {CS_LOSS_CONTEXTS_MERGED, "call", "counted in merged contexts, to stay in bounds"},
      {CS_LOSS_NO_INDEX, "call", "of modules without a signature index: shown by address"},
      {CS_LOSS_SIGNATURES_MERGED, "signature", "merged into wider ones, to stay in bounds"},
      {CS_LOSS_HISTOGRAM, "call", "not in the percentiles: the recording was nearly full"},
      {CS_LOSS_TIMELINE, "span", "not in the timeline: their threads found no space, or were folded"},
  };
  for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++) {
    if (info->loss[losses[i].loss] == 0)
      continue;
    begin(notes, info);
    count(notes, info->loss[losses[i].loss], losses[i].thing);
    cs_text_printf(&notes->text, " %s", losses[i].text);
    send(notes);
  }
}

static void note_open(struct notes *notes, const struct cs_recording_info *info)
{
  const struct cs_profile *profile = &notes->stats->profile;
  if (info->open_frames == 0)
    return;
  begin(notes, info);
  count(notes, info->open_frames, "call");
  cs_text_printf(&notes->text, " still open when the %s; the innermost: ",
                 info->flags & CS_REC_FINISHED ? "process exited" : "recording ended");
  const struct cs_variant *variant = cs_profile_variant(profile, info->innermost);
  struct cs_names names = {.profile = profile,
                           .shown_function = notes->stats->shown_function,
                           .by = CALLSIG_BY_FUNCTION | CALLSIG_BY_SIGNATURE};
  struct cs_row_key key = cs_row_key_of(variant->signature);
  cs_row_name(&names, &key, &notes->scratch, &notes->text);
  send(notes);
}

static void note_recording(struct notes *notes, const struct cs_recording_info *info)
{
  if (info->exit_status != -1 && WIFSIGNALED(info->exit_status)) {
    begin(notes, info);
    cs_text_printf(&notes->text, "the program was ended by signal %d (%s)", WTERMSIG(info->exit_status),
                   strsignal(WTERMSIG(info->exit_status)));
    send(notes);
  }
  note_open(notes, info);
  note_losses(notes, info);
  if (info->folded_threads > 0) {
    begin(notes, info);
    count(notes, info->folded_threads, "ended thread");
    cs_text_puts(&notes->text, " shown as one");
    send(notes);
  }
  if (!(info->flags & CS_REC_SIGNATURES)) {
    begin(notes, info);
    cs_text_puts(&notes->text, "signatures were not recorded: rows are by function");
    send(notes);
  }
  if (info->uncalibrated) {
    begin(notes, info);
    cs_text_puts(&notes->text,
                 "the clock's rate is unknown, as the recording ended too early: a tick counts as a nanosecond");
    send(notes);
  }
  if (info->damaged > 0) {
    begin(notes, info);
    count(notes, info->damaged, "record");
    cs_text_puts(&notes->text, " could not be read: the recording is damaged, cut off, or was being written meanwhile");
    send(notes);
  }
}

/* "resize.c:88(resize): w to log2 buckets, h to its type" */
static void note_widened(struct notes *notes, const struct cs_layout *layout)
{
  const struct cs_profile *profile = &notes->stats->profile;
  struct cs_names names = {
      .profile = profile, .shown_function = notes->stats->shown_function, .by = CALLSIG_BY_FUNCTION};
  struct cs_row_key key = cs_row_key_of(notes->stats->shown_function[layout->function]);
  cs_text_puts(&notes->text, "widened: ");
  cs_row_name(&names, &key, &notes->scratch, &notes->text);
  const char *separator = ": ";
  for (uint32_t i = 0; i < layout->entry->arg_count; i++) {
    if (layout->levels[i] == CS_WIDEN_NONE)
      continue;
    const struct cs_index_arg *arg = &layout->index->args[layout->entry->first_arg + i];
    cs_text_printf(&notes->text, "%s%s to %s", separator, cs_index_string(layout->index, arg->name),
                   layout->levels[i] == CS_WIDEN_LOG2 ? "log2 buckets" : "its type");
    separator = ", ";
  }
  send(notes);
}

static void note_rows(struct notes *notes)
{
  const struct callsig_stats *stats = notes->stats;
  if ((stats->by & CALLSIG_BY_STAGE || stats->filter.stage) && stats->profile.stages.count == 1) {
    cs_text_puts(&notes->text, "no stages were recorded: every call is outside of any");
    send(notes);
  }
  uint32_t bounds = 0;
  double taken = 0;
  for (uint32_t i = 0; i < stats->rows.list.count; i++)
    bounds += cs_rows_at(&stats->rows, i)->is_bound != 0;
  if (bounds > 0) {
    count(notes, bounds, "row");
    cs_text_puts(&notes->text,
                 " joined by widening under recursion: primitive calls and cumtime are upper bounds there");
    send(notes);
  }
  if (stats->selection.undecided > 0) {
    count(notes, stats->selection.undecided, "signature");
    cs_text_puts(&notes->text, " left out: --signature can not be decided, as an argument was lost or widened");
    send(notes);
  }
  for (uint32_t i = 0; i < stats->rows.subtractions.count; i++)
    taken += ((struct cs_subtraction *)cs_vector_at(&stats->rows.subtractions, i))->own;
  if (stats->compensating) {
    cs_text_puts(&notes->text, "compensated: ");
    cs_text_fixed(&notes->text, taken * stats->grouping.tick, 0);
    cs_text_puts(&notes->text, " seconds of the hooks' own cost were taken off tottime");
    send(notes);
  }
}

static void note_clocks(struct notes *notes)
{
  const struct cs_profile *profile = &notes->stats->profile;
  uint32_t first = cs_profile_recording(profile, 0)->clock;
  for (uint32_t i = 1; i < profile->recordings.count; i++) {
    uint32_t clock = cs_profile_recording(profile, i)->clock;
    bool wall = first <= CS_CLOCK_MONOTONIC && clock <= CS_CLOCK_MONOTONIC;
    if (clock == first || wall)
      continue;
    cs_text_puts(
        &notes->text,
        "the recordings' clocks are of different kinds (wall, cpu, injected): their times were added all the same");
    send(notes);
    return;
  }
}

int cs_notes(const struct callsig_stats *stats, cs_note_fn note, void *data)
{
  struct notes notes = {.stats = stats, .note = note, .data = data};
  for (uint32_t i = 0; i < stats->profile.recordings.count && notes.result == 0; i++)
    note_recording(&notes, cs_profile_recording(&stats->profile, i));
  note_clocks(&notes);
  for (uint32_t i = 0; i < stats->profile.layouts.count && notes.result == 0; i++) {
    const struct cs_layout *layout = cs_profile_layout(&stats->profile, i);
    if (layout->levels && stats->by & CALLSIG_BY_SIGNATURE)
      note_widened(&notes, layout);
  }
  if (notes.result == 0)
    note_rows(&notes);
  cs_text_free(&notes.text);
  cs_arguments_free(&notes.scratch);
  return notes.result;
}
