/* Says how much of a table's time threads waited, and where. */
#include "output/notes/waiting_notes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/beside/in_place.h"

/* Told of from this part of the table's time on. */
#define TOLD 0.2
/* More of it that no recording tells of makes what is told a bound. */
#define UNTOLD 0.01
/* Seconds: a blocked thread soon has more; less is what the errors of a few short calls leave. */
#define OPEN_LEAST 0.1
/* Functions are named that have this part of the waiting, so many at most. */
#define NAMED      0.1
#define MOST_NAMED 3

/* What a function's time has beyond its samples. */
struct wait {
  double seconds;
  uint32_t function;
};

struct waits {
  const struct callsig_stats *stats;
  struct wait *list; /* by function */
  bool is_of_rows;   /* or, by function, of the number of a row */
  double seconds;    /* that threads waited; of all recordings */
};

static double period_of(const struct out_sampled_run *run)
{
  return (double)run->head.period / 1024e9;
}

/* Takes what was sampled off the functions' times, and adds up the waiting. */
static void add_run(struct waits *waits, const struct out_sampled_run *run)
{
  const struct out_profile *profile = &waits->stats->profile;
  for (uint32_t i = 0; i < run->count; i++) {
    const struct out_place *place = out_profile_place(profile, run->first + i);
    double seconds = (double)place->samples * period_of(run);
    if (place->row != FMT_NONE)
      waits->list[waits->stats->shown_function[place->row]].seconds -= seconds;
    else if (place->parent == FMT_NONE && strcmp(out_profile_string(profile, place->name), FMT_WAITING) == 0)
      waits->seconds += seconds;
  }
}

static void add_rows(struct waits *waits)
{
  const struct callsig_stats *stats = waits->stats;
  for (uint32_t i = 0; i < stats->profile.functions.count; i++)
    waits->list[i].function = i;
  for (uint32_t i = 0; i < stats->rows.list.count; i++) {
    const struct out_row *row = out_rows_at(&stats->rows, i);
    uint32_t function = out_stats_function(stats, &row->key);
    if (function != FMT_NONE)
      waits->list[function].seconds += (double)row->own * stats->grouping.tick;
  }
}

static int compare_waits(const void *left, const void *right)
{
  const struct wait *a = left, *b = right;
  if (a->seconds != b->seconds)
    return a->seconds < b->seconds ? 1 : -1;
  return (a->function > b->function) - (a->function < b->function);
}

/* Functions, or rows of the table, whose waits are in the list. */
static int tell_waits(const struct waits *waits, uint32_t count, const char *advice, out_note_fn note, void *data)
{
  const struct callsig_stats *stats = waits->stats;
  const struct out_names of_rows = out_stats_names(stats), of_functions = {.profile = &stats->profile,
                                                                           .shown_function = stats->shown_function,
                                                                           .by = CALLSIG_BY_FUNCTION};
  const struct out_names *names = waits->is_of_rows ? &of_rows : &of_functions;
  struct out_text text = {0};
  struct out_arguments scratch = {0};
  qsort(waits->list, count, sizeof *waits->list, compare_waits);
  out_text_puts(&text, "of the ");
  out_text_fixed(&text, stats->total.time, 0);
  out_text_puts(&text, waits->is_of_rows && out_waiting_is_bound(stats) ? " seconds threads waited at least "
                                                                        : " seconds threads waited ");
  out_text_fixed(&text, waits->seconds, 0);
  const char *separator = ", most of it in ";
  for (uint32_t i = 0; i < count && i < MOST_NAMED && waits->list[i].seconds > NAMED * waits->seconds; i++) {
    const uint32_t what = waits->list[i].function;
    struct out_row_key key = waits->is_of_rows ? out_rows_at(&stats->rows, what)->key : out_row_key_of(what);
    out_text_puts(&text, separator);
    out_row_name(names, &key, &scratch, &text);
    separator = ", ";
  }
  out_text_puts(&text, advice);
  int result = text.failed ? -ENOMEM : note(out_text_string(&text), data);
  out_text_free(&text);
  out_arguments_free(&scratch);
  return result;
}

/* How long the processes ran, all together; 0 when a clock is none of the wall's. */
static double seconds_run(const struct out_profile *profile)
{
  double seconds = 0;
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    const struct out_recording_info *info = out_profile_recording(profile, i);
    const struct fmt_rec_process *process = &info->process;
    if (info->clock > FMT_CLOCK_MONOTONIC || info->uncalibrated)
      return 0;
    if (process->last.monotonic_ns > process->start.monotonic_ns)
      seconds += (double)(process->last.monotonic_ns - process->start.monotonic_ns) / 1e9;
  }
  return seconds;
}

static int tell_duration(double total, double run, out_note_fn note, void *data)
{
  struct out_text text = {0};
  out_text_puts(&text, "times of all threads are added: ");
  out_text_fixed(&text, total, 0);
  out_text_puts(&text, " seconds in ");
  out_text_fixed(&text, run, 0);
  out_text_puts(&text, " by the clock; a thread that waits counts, which callsig run --clock cpu leaves out");
  int result = text.failed ? -ENOMEM : note(out_text_string(&text), data);
  out_text_free(&text);
  return result;
}

static bool has_several_threads(const struct out_profile *profile)
{
  uint64_t threads = 0;
  for (uint32_t i = 0; i < profile->threads.count; i++)
    threads += out_profile_thread(profile, i)->threads;
  return threads > profile->recordings.count;
}

static bool has_runs(const struct out_profile *profile)
{
  for (uint32_t i = 0; i < profile->recordings.count; i++)
    if (!out_in_place_run(profile, out_profile_recording(profile, i)))
      return false;
  return true;
}

bool out_waiting_is_much(const struct callsig_stats *stats)
{
  return stats->sleep && stats->total.wait > TOLD * stats->total.time;
}

bool out_waiting_is_bound(const struct callsig_stats *stats)
{
  return stats->sleep && stats->all_sleep.untold * stats->grouping.tick > UNTOLD * stats->total.time;
}

/* Tells of the time that is as well computing as waiting. */
static int tell_open(const struct callsig_stats *stats, out_note_fn note, void *data)
{
  uint64_t open = 0;
  for (uint32_t i = 0; i < stats->listed; i++) {
    const struct out_row *row = out_rows_at(&stats->rows, stats->order[i]);
    open += out_sleep_is_open(stats->sleep[stats->order[i]].own_error, row->own) ? row->own : 0;
  }
  const double seconds = (double)open * stats->grouping.tick;
  if (seconds <= TOLD * stats->total.time || seconds < OPEN_LEAST)
    return 0;
  struct out_text text = {0};
  out_text_puts(&text, "of ");
  out_text_fixed(&text, seconds, 0);
  out_text_puts(&text, " seconds it is not known whether threads computed or waited (docs/times.md)");
  int result = text.failed ? -ENOMEM : note(out_text_string(&text), data);
  out_text_free(&text);
  return result;
}

/* The recordings tell of each row. */
static int tell_rows(const struct callsig_stats *stats, out_note_fn note, void *data)
{
  const uint32_t count = stats->listed;
  int result = tell_open(stats, note, data);
  if (result != 0)
    return result;
  struct waits waits = {.stats = stats, .is_of_rows = true, .seconds = stats->total.wait};
  if (!out_waiting_is_much(stats))
    return 0;
  waits.list = calloc(count + 1u, sizeof *waits.list);
  if (!waits.list)
    return -ENOMEM;
  for (uint32_t i = 0; i < count; i++) {
    const double own = stats->sleep[stats->order[i]].own;
    waits.list[i] = (struct wait){isnan(own) ? 0 : own * stats->grouping.tick, stats->order[i]};
  }
  result =
      tell_waits(&waits, count, ": --columns +cpu,+wait tells it apart, -s cpu begins with what computes", note, data);
  free(waits.list);
  return result;
}

int out_waiting_notes(const struct callsig_stats *stats, out_note_fn note, void *data)
{
  const struct out_profile *profile = &stats->profile;
  const double run = seconds_run(profile), total = stats->total.time;
  if (stats->sleep)
    return tell_rows(stats, note, data);
  if (out_columns_have_waits(&stats->columns) || out_sort_is_by_waits(&stats->sort))
    return note("no recording tells what threads waited: callsig run --times auto does, where the kernel tells of the "
                "thread (docs/times.md)",
                data);
  /* Of a part of the calls nobody knows what part of the waiting is theirs. */
  if (run == 0 || out_stats_is_filtered(stats))
    return 0;
  if (!has_runs(profile) || !(stats->by & (CALLSIG_BY_FUNCTION | CALLSIG_BY_SIGNATURE)))
    return total > run * (1 + TOLD) && has_several_threads(profile) ? tell_duration(total, run, note, data) : 0;
  struct waits waits = {.stats = stats, .list = calloc(profile->functions.count + 1u, sizeof *waits.list)};
  if (!waits.list)
    return -ENOMEM;
  add_rows(&waits);
  for (uint32_t i = 0; i < profile->recordings.count; i++)
    add_run(&waits, out_in_place_run(profile, out_profile_recording(profile, i)));
  int result = waits.seconds > TOLD * total ? tell_waits(&waits, profile->functions.count,
                                                         ": callsig run --clock cpu leaves waiting out", note, data)
                                            : 0;
  free(waits.list);
  return result;
}
