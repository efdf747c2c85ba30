/* Writes what a reader of the numbers has to know, a sentence for each thing. */
#include "output/notes/notes.h"

#include "output/text/message.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "output/beside/in_place.h"
#include "output/notes/asked_notes.h"
#include "output/notes/called_hooks_note.h"
#include "output/notes/counting_notes.h"
#include "output/notes/library_notes.h"
#include "output/notes/loss_notes.h"
#include "output/notes/nothing_note.h"
#include "output/notes/open_notes.h"
#include "output/notes/pause_notes.h"
#include "output/notes/queued_notes.h"
#include "output/notes/sampled_notes.h"
#include "output/notes/several_notes.h"
#include "output/notes/started_note.h"
#include "output/notes/timed_hooks_note.h"
#include "output/notes/timed_notes.h"
#include "output/notes/waiting_notes.h"
#include "output/notes/widened_notes.h"
#include "output/profile/call_place.h"
#include "output/profile/process.h"
#include "output/stats/compensate.h"
#include "output/stats/edge_share.h"
#include "output/stats/render.h"
#include "output/stats/slowdown.h"
#include "output/text/json_writer.h"

/* Below a table that has few of them. */
#define MOST_NOTES 8u

struct notes {
  const struct callsig_stats *stats;
  bool of_table; /* they are below the table that was opened last */
  out_note_fn note;
  void *data;
  struct out_text text;
  int result;
};

static void send(struct notes *notes)
{
  if (notes->result == 0 && notes->text.failed)
    notes->result = -ENOMEM;
  if (notes->result == 0)
    notes->result = notes->note(out_text_string(&notes->text), notes->data);
  out_text_clear(&notes->text);
}

/* "1 call", "3 calls". */
static void count(struct notes *notes, uint64_t number, const char *thing)
{
  out_text_printf(&notes->text, "%llu %s%s", (unsigned long long)number, thing, number == 1 ? "" : "s");
}

/* Which recording a note is about, where there are several. */
static void begin(struct notes *notes, const struct out_recording_info *info)
{
  if (notes->stats->profile.recordings.count > 1)
    out_text_printf(&notes->text, "%s: ", out_process_source(&notes->stats->profile, info));
}

/* A whole note. */
static void tell(struct notes *notes, const struct out_recording_info *info, const char *text)
{
  begin(notes, info);
  out_text_puts(&notes->text, text);
  send(notes);
}

/* Processes that are in no report: where they write what they say, nobody may look. */
static void note_unrecorded(struct notes *notes, const struct out_recording_info *info)
{
  const uint64_t number = info->loss[FMT_LOSS_PROCESSES];
  if (number == 0)
    return;
  begin(notes, info);
  out_text_printf(&notes->text,
                  "%llu forked process%s not recorded: no recording could be made (disk full, no permission, a limit)",
                  (unsigned long long)number, number == 1 ? " is" : "es are");
  send(notes);
}

/* A budget that the run is beyond: what calls cost, of which counting them is the part that no budget can save. */
static void note_budget(struct notes *notes, uint32_t recording)
{
  const struct out_recording_info *info = out_profile_recording(&notes->stats->profile, recording);
  if (info->process.overhead == 0)
    return;
  const struct out_slowdown slowdown = out_slowdown(&notes->stats->profile, recording);
  if (!(slowdown.all * 1024 > (double)info->process.overhead))
    return;
  begin(notes, info);
  out_text_puts(&notes->text, slowdown.by_samples ? "by samples of the run calls made the program take "
                                                  : "calls made the program take an estimated ");
  out_text_fixed(&notes->text, slowdown.all, 0);
  out_text_puts(&notes->text, " times its own time, which is beyond the budget; counting alone ");
  out_text_fixed(&notes->text, slowdown.counting, 0);
  out_text_puts(&notes->text, ": callsig score tells what to leave out");
  send(notes);
}

/* Where its times come from, unless they are its own. */
static void note_samples(struct notes *notes, const struct out_recording_info *info)
{
  struct out_text prefix = {0};
  if (notes->stats->profile.recordings.count > 1)
    out_text_printf(&prefix, "%s: ", out_process_source(&notes->stats->profile, info));
  if (notes->result == 0)
    notes->result = prefix.failed
                        ? -ENOMEM
                        : out_sampled_notes(&notes->stats->profile, info, out_stats_tells_compensation(notes->stats),
                                            out_text_string(&prefix), notes->note, notes->data);
  out_text_free(&prefix);
}

/* What is missing of the recording that is the `number`-th in their order. */
static void note_missing(struct notes *notes, const uint32_t *order, uint32_t number)
{
  const struct out_recording_info *info = out_profile_recording(&notes->stats->profile, order[number]);
  notes->result = out_missing_notes(&notes->stats->profile, order, number, notes->note, notes->data);
  if (info->damaged > 0) {
    begin(notes, info);
    count(notes, info->damaged, "record");
    out_text_puts(&notes->text,
                  " could not be read: the recording is damaged, cut off, or was being written meanwhile");
    send(notes);
  }
}

/* The rest that there is to tell of it. */
static void note_recording(struct notes *notes, const uint32_t *order, uint32_t number)
{
  const uint32_t recording = order[number];
  const struct out_recording_info *info = out_profile_recording(&notes->stats->profile, recording);
  note_samples(notes, info);
  if (info->exit_status != -1 && WIFSIGNALED(info->exit_status)) {
    begin(notes, info);
    out_text_printf(&notes->text, "the program was ended by signal %d (%s)", WTERMSIG(info->exit_status),
                    strsignal(WTERMSIG(info->exit_status)));
    send(notes);
  }
  if (info->process.trigger != 0)
    tell(notes, info, out_profile_string(&notes->stats->profile, info->trigger));
  if (notes->result == 0)
    notes->result = out_loss_notes(&notes->stats->profile, order, number, notes->note, notes->data);
  note_unrecorded(notes, info);
  note_budget(notes, recording);
  if (info->folded_threads > 0 && out_process_count(info) == 1) {
    begin(notes, info);
    count(notes, info->folded_threads, "ended thread");
    out_text_puts(&notes->text, " shown as one");
    send(notes);
  }
  if (!(info->flags & FMT_REC_SIGNATURES))
    tell(notes, info, "signatures were not recorded: rows are by function");
  if (info->uncalibrated)
    tell(notes, info, "the clock's rate is unknown, as the recording ended too early: a tick counts as a nanosecond");
}

/* A build of a file, as one recording had it mapped. */
struct build {
  const struct out_known_module *module;
  const char *path;
};

static int compare_builds(const void *left, const void *right)
{
  const struct build *a = left, *b = right;
  int order = strcmp(a->path, b->path);
  if (order == 0)
    order = memcmp(a->module->build_id, b->module->build_id, sizeof a->module->build_id);
  return order;
}

/* The modules whose builds are known, by path and build. NULL when memory is short. */
static struct build *sort_builds(const struct out_profile *profile, uint32_t *count)
{
  struct build *builds = calloc(profile->modules.count + 1u, sizeof *builds);
  *count = 0;
  for (uint32_t i = 0; builds && i < profile->modules.count; i++) {
    const struct out_known_module *module = out_profile_module(profile, i);
    if (module->build_id_size > 0)
      builds[(*count)++] = (struct build){.module = module, .path = out_profile_string(profile, module->label)};
  }
  if (builds)
    qsort(builds, *count, sizeof *builds, compare_builds);
  return builds;
}

/* The builds of one path: `count` of them, of which some are the same. */
static void note_path(struct notes *notes, const struct build *builds, uint32_t count)
{
  enum { SHOWN_BYTES = 6 };
  if (compare_builds(&builds[0], &builds[count - 1]) == 0)
    return;
  out_text_printf(&notes->text, "%s: recordings of different builds were added (build-ids", builds[0].path);
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0 && compare_builds(&builds[i - 1], &builds[i]) == 0)
      continue;
    out_text_puts(&notes->text, i ? ", " : " ");
    for (uint32_t k = 0; k < SHOWN_BYTES && k < builds[i].module->build_id_size; k++)
      out_text_printf(&notes->text, "%02x", builds[i].module->build_id[k]);
  }
  out_text_puts(&notes->text, "): functions meet by file, line and name");
  send(notes);
}

/* Files of which the recordings saw more than one build. */
static void note_builds(struct notes *notes)
{
  uint32_t count;
  struct build *builds = sort_builds(&notes->stats->profile, &count);
  if (!builds)
    notes->result = -ENOMEM;
  for (uint32_t i = 0, end; i < count && notes->result == 0; i = end) {
    for (end = i + 1; end < count && strcmp(builds[i].path, builds[end].path) == 0; end++) {
    }
    note_path(notes, builds + i, end - i);
  }
  free(builds);
}

/* What is said of times where not all calls were timed. */
static void note_timed(struct notes *notes)
{
  if (notes->result == 0)
    notes->result = out_timed_notes(notes->stats, notes->of_table, notes->note, notes->data);
}

/* Of recordings of which nobody knows what hooks cost nothing is taken off, which looks as if they cost nothing.
 * Returns how many others there are. */
static uint32_t note_not_compensated(struct notes *notes)
{
  const struct out_profile *profile = &notes->stats->profile;
  const struct out_recording_info *first = NULL;
  uint32_t unknown = 0;
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    const struct out_recording_info *info = out_profile_recording(profile, i);
    if (info->clock == FMT_CLOCK_TSC || out_compensate_is_known(profile, info))
      continue;
    first = first ? first : info;
    unknown++;
  }
  if (first && notes->stats->compensating == OUT_COMPENSATE_ALL) {
    out_text_puts(&notes->text, "not compensated: ");
    out_compensate_put_unknown(&notes->text, profile, first);
    if (unknown > 1)
      out_text_printf(&notes->text, "; nor were %u more", (unsigned)unknown - 1);
    send(notes);
  }
  return profile->recordings.count - unknown;
}

static void note_called_hooks(struct notes *notes)
{
  if (notes->result == 0)
    notes->result = out_called_hooks_note(notes->stats, notes->note, notes->data);
}

/* What hooks took of times that are the clock's. */
static void note_timed_hooks(struct notes *notes)
{
  bool told = false;
  if (notes->result == 0)
    notes->result = out_timed_hooks_note(notes->stats, &told, notes->note, notes->data);
  if (told)
    note_called_hooks(notes);
}

static void note_compensation(struct notes *notes)
{
  const struct callsig_stats *stats = notes->stats;
  const struct out_compensated compensated = out_rows_compensated(&stats->rows);
  if (!out_stats_tells_compensation(stats)) {
    note_timed_hooks(notes);
    return;
  }
  if (note_not_compensated(notes) == 0)
    return;
  out_text_puts(&notes->text, "compensated: ");
  out_text_fixed(&notes->text, compensated.taken * stats->grouping.tick, 0);
  out_text_puts(&notes->text, " seconds of the hooks' own cost were taken off tottime; its sum may be off by ");
  out_text_fixed(&notes->text, compensated.uncertainty * stats->grouping.tick, 0);
  out_text_puts(&notes->text, " seconds");
  const struct out_in_place_runs runs = out_in_place_runs(&stats->profile);
  if (runs.lacking > 0 && runs.lacking < runs.all)
    out_text_printf(&notes->text, ", as it was estimated without samples of the run for %u of %u recordings",
                    (unsigned)runs.lacking, (unsigned)runs.all);
  else if (runs.lacking > 0)
    out_text_puts(&notes->text, ", as it was estimated without samples of the run");
  if (stats->compensating != OUT_COMPENSATE_ALL)
    out_text_puts(&notes->text, "; --raw shows what the clock read");
  send(notes);
  note_called_hooks(notes);
}

static void note_left_subtree(struct notes *notes)
{
  const struct callsig_stats *stats = notes->stats;
  uint64_t calls = 0;
  for (uint32_t i = 0; i < stats->profile.edges.count && stats->grouping.is_subtree; i++) {
    const struct out_edge *edge = out_profile_edge(&stats->profile, i);
    struct out_row counts;
    if (out_rows_edge(&stats->profile, &stats->grouping, edge, &counts) &&
        out_edge_leaves_subtree(&stats->profile, &stats->grouping, edge))
      calls += counts.calls;
  }
  if (calls == 0)
    return;
  count(notes, calls, "call");
  out_text_puts(&notes->text,
                " below what --below names entered again what is around it: what these called in turn is not told "
                "apart from its other calls, and left out");
  send(notes);
}

static void note_rows(struct notes *notes)
{
  const struct callsig_stats *stats = notes->stats;
  note_timed(notes);
  if (out_columns_have_percentiles(&stats->columns) && !out_percentiles_known(&stats->profile)) {
    out_text_puts(&notes->text,
                  "percentiles are unknown: no histograms were recorded (callsig run --percentiles records them)");
    send(notes);
  }
  if ((stats->by & CALLSIG_BY_STAGE || (stats->filter.stage && !stats->selection.actions)) &&
      stats->profile.stages.count == 1) {
    out_text_puts(&notes->text, "no stages were recorded: every call is outside of any");
    send(notes);
  }
  if (stats->by & CALLSIG_BY_SITE && !out_has_call_places(&stats->profile)) {
    out_text_puts(&notes->text,
                  "where calls were made is unknown: it was not recorded (callsig run --sites records it)");
    send(notes);
  }
  uint32_t bounds = 0;
  for (uint32_t i = 0; i < stats->rows.list.count; i++)
    bounds += out_rows_at(&stats->rows, i)->is_bound != 0;
  if (bounds > 0) {
    count(notes, bounds, "row");
    out_text_puts(&notes->text,
                  " joined by widening under recursion: primitive calls and cumtime are upper bounds there");
    send(notes);
  }
  note_left_subtree(notes);
  note_compensation(notes);
}

static bool filters(const struct out_filter *filter)
{
  return filter->function || filter->below || filter->signature || filter->stage || filter->thread || filter->module ||
         filter->depth > 0;
}

/* Why a table has no rows, where it was asked for some alone. */
static void note_nothing(struct notes *notes)
{
  const struct callsig_stats *stats = notes->stats;
  if (!notes->of_table || stats->printed_rows > 0)
    return;
  if (stats->listed > 0) {
    out_text_puts(&notes->text, "no row is shown: the restrictions leave none of ");
    count(notes, stats->listed, "row");
    out_text_puts(&notes->text, "; a pattern is searched in the printed names");
  } else if (out_stats_is_undecided(stats)) {
    out_text_puts(&notes->text, "no row is shown: nothing that was recorded is known to be what the filters ask for");
  } else if (filters(&stats->filter)) {
    out_text_puts(&notes->text, "no row is shown: nothing that was recorded is what the filters ask for");
  } else {
    return;
  }
  send(notes);
}

/* What may be asked for and is in no row. */
static void note_undecided(struct notes *notes)
{
  const struct callsig_stats *stats = notes->stats;
  if (stats->selection.undecided > 0) {
    count(notes, stats->selection.undecided, "signature");
    out_text_puts(&notes->text,
                  " left out: --signature can not be decided, as an argument was lost, widened or cut off");
    send(notes);
  }
  if (stats->selection.incomparable > 0) {
    count(notes, stats->selection.incomparable, "signature");
    out_text_puts(&notes->text,
                  " left out: what --signature compares can not be compared there (an enumeration is "
                  "compared with its enumerators, without quotes, and a text only where a rule shows it)");
    send(notes);
  }
}

/* All notes; of functions those that `functions` has, where it is not NULL. */
static int give_notes(const struct callsig_stats *stats, bool of_table, const uint8_t *functions, uint32_t *left_out,
                      out_note_fn note, void *data)
{
  struct notes notes = {.stats = stats, .of_table = of_table && stats->printed, .note = note, .data = data};
  uint32_t *processes = out_process_order(&stats->profile);
  if (!processes)
    return -ENOMEM;
  note_nothing(&notes);
  if (notes.result == 0)
    notes.result = out_nothing_note(stats, note, data);
  /* Before all else, since of a table's notes only the first ones are shown. */
  for (uint32_t i = 0; i < stats->profile.recordings.count && notes.result == 0; i++)
    note_missing(&notes, processes, i);
  note_undecided(&notes);
  if (notes.result == 0)
    notes.result = out_several_notes(stats, processes, note, data);
  int (*const of_times[])(const struct callsig_stats *, out_note_fn, void *) = {out_waiting_notes, out_started_note,
                                                                                out_queued_notes, out_library_notes};
  for (size_t i = 0; i < sizeof of_times / sizeof *of_times && notes.result == 0; i++)
    notes.result = of_times[i](stats, note, data);
  if (notes.result == 0)
    notes.result = out_open_notes(stats, processes, note, data);
  if (notes.result == 0)
    notes.result = out_pause_notes(stats, note, data);
  if (notes.result == 0)
    notes.result = out_asked_notes(stats, note, data);
  if (notes.result == 0)
    notes.result = out_counting_notes(stats, notes.of_table ? stats->printed : NULL, note, data);
  for (uint32_t i = 0; i < stats->profile.recordings.count && notes.result == 0; i++)
    note_recording(&notes, processes, i);
  free(processes);
  if (notes.result == 0)
    note_builds(&notes);
  if (stats->by & CALLSIG_BY_SIGNATURE && notes.result == 0)
    notes.result = out_widened_notes(stats, functions, left_out, note, data);
  if (notes.result == 0)
    note_rows(&notes);
  out_text_free(&notes.text);
  return notes.result;
}

int out_notes(const struct callsig_stats *stats, out_note_fn note, void *data)
{
  return give_notes(stats, false, NULL, NULL, note, data);
}

/* The first notes on their way. */
struct few {
  out_note_fn note;
  void *data;
  uint32_t given, left_out;
};

static int give_few(const char *note, void *data)
{
  struct few *few = data;
  if (few->given == MOST_NOTES) {
    few->left_out++;
    return 0;
  }
  few->given++;
  return few->note(note, few->data);
}

int out_notes_of_table(const struct callsig_stats *stats, bool few_of_them, out_note_fn note, void *data)
{
  if (!few_of_them)
    return give_notes(stats, true, NULL, NULL, note, data);
  struct few few = {.note = note, .data = data};
  int result = give_notes(stats, true, stats->printed, &few.left_out, give_few, &few);
  if (result < 0 || few.left_out == 0)
    return result;
  struct out_text text = {0};
  out_text_printf(&text, "%u more note%s: callsig report --notes", few.left_out, few.left_out == 1 ? "" : "s");
  result = text.failed ? -ENOMEM : note(out_text_string(&text), data);
  out_text_free(&text);
  return result;
}

int out_note_json(const char *note, void *json)
{
  out_json_string(json, note, strlen(note));
  return 0;
}

static int tell_note(const char *note, void *data)
{
  (void)data;
  out_stats_message("%s", note);
  return 0;
}

int out_notes_tell(const struct callsig_stats *stats)
{
  return out_notes(stats, tell_note, NULL);
}
