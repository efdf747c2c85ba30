/* The object behind callsig/stats.h: made, loaded, set up, asked for rows, freed. */
#include "callsig/stats.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "output/beside/beside.h"
#include "output/beside/in_place.h"
#include "output/profile/call_place.h"
#include "output/profile/load.h"
#include "output/profile/process.h"
#include "output/profile/sums.h"
#include "output/recording/clock.h"
#include "output/recording/recording.h"
#include "output/sampling/reconcile.h"
#include "output/stats/public_struct.h"
#include "output/stats/stats_object.h"
#include "output/stats/strip.h"
#include "output/text/message.h"

struct callsig_stats *out_stats_new(void)
{
  struct callsig_stats *stats = calloc(1, sizeof *stats);
  if (!stats) {
    out_stats_no_memory();
    return NULL;
  }
  stats->by = CALLSIG_BY_FUNCTION | CALLSIG_BY_SIGNATURE;
  out_rows_init(&stats->rows);
  out_taken_files_init(&stats->files);
  int result =
      out_profile_init(&stats->profile) < 0 ? out_stats_no_memory() : out_sort_parse("cumulative", &stats->sort);
  if (result == 0)
    result = out_columns_parse(NULL, &stats->columns);
  if (result == 0)
    return stats;
  callsig_stats_free(stats);
  return NULL;
}

void out_stats_forget(struct callsig_stats *stats)
{
  free(stats->shown_function);
  free(stats->ranks);
  free(stats->percentiles);
  free(stats->errors);
  free(stats->sleep);
  free(stats->order);
  free(stats->signatures);
  free(stats->callers);
  free(stats->sites);
  free(stats->printed);
  stats->shown_function = NULL;
  stats->ranks = NULL;
  stats->percentiles = NULL;
  stats->errors = NULL;
  stats->sleep = NULL;
  stats->order = NULL;
  stats->signatures = NULL;
  stats->callers = NULL;
  stats->sites = NULL;
  stats->printed = NULL;
  stats->listed = 0;
  stats->grouped = stats->built = stats->prepared = stats->has_inclusive_sleep = false;
  out_signature_merge_free(&stats->signature_merge);
  out_callstacks_free(&stats->callstacks);
  out_compensation_free(&stats->compensation);
  out_selection_free(&stats->selection);
  out_rows_free(&stats->rows);
  out_rows_init(&stats->rows);
  base_arena_free(&stats->texts);
}

int out_stats_take(struct callsig_stats *stats, struct out_recording *recording, const struct fmt_rec_clock_point *now)
{
  out_stats_forget(stats);
  uint32_t first = stats->profile.recordings.count;
  const bool is_merged = recording->header.flags & FMT_REC_MERGED;
  int result = out_taken_files_add(&stats->files, recording) < 0 ? out_stats_no_memory() : 0;
  if (result == 0)
    result = out_load(&stats->profile, recording, now);
  if (result == 0 && !is_merged && out_reconcile(&stats->profile, first) < 0)
    result = out_stats_no_memory();
  if (result == 0 && out_beside_apply(&stats->profile, first) < 0)
    result = out_stats_no_memory();
  if (result == 0 && !recording->is_told)
    stats->damaged += out_recording_tell_damage(recording);
  stats->incomplete |= result < 0;
  out_recording_close(recording);
  return result;
}

int out_stats_of_recording(struct out_recording *recording, const struct fmt_rec_clock_point *now,
                           struct callsig_stats **made)
{
  struct callsig_stats *stats = out_stats_new();
  *made = NULL;
  if (!stats) {
    out_recording_close(recording);
    return -ENOMEM;
  }
  int result = out_stats_take(stats, recording, now);
  if (result < 0)
    callsig_stats_free(stats);
  else
    *made = stats;
  return result;
}

int out_stats_read_file(int file, const char *path, const struct fmt_rec_clock_point *now, struct callsig_stats **made)
{
  struct out_recording recording;
  *made = NULL;
  int result = out_recording_read_file(file, path, &recording);
  recording.is_told = true;
  return result < 0 ? result : out_stats_of_recording(&recording, now, made);
}

int callsig_stats_add(struct callsig_stats *stats, const char *path)
{
  struct out_recording recording;
  struct fmt_rec_clock_point now;
  int result = out_recording_read(path, &recording);
  if (result < 0)
    return result;
  if (out_taken_files_has(&stats->files, &recording.header)) {
    out_stats_message("%s: what it has is in a recording of the whole run that was added before: left out", path);
    out_recording_close(&recording);
    return 0;
  }
  bool is_now = stats->until_now && recording.is_live && !(recording.header.flags & FMT_REC_FINISHED) &&
                out_clock_now(recording.header.clock, &now);
  return out_stats_take(stats, &recording, is_now ? &now : NULL);
}

int callsig_stats_new(const struct callsig_stats_options *wanted, struct callsig_stats **made)
{
  struct callsig_stats_options known = {.size = sizeof known};
  *made = NULL;
  int result = wanted ? out_struct_read("callsig_stats_options", &known, sizeof known, wanted) : 0;
  if (result < 0)
    return result;
  struct callsig_stats *stats = out_stats_new();
  if (!stats)
    return -ENOMEM;
  stats->profile.keeps_timeline = known.timeline != 0;
  stats->until_now = known.now != 0;
  *made = stats;
  return 0;
}

int callsig_stats_load(const char *path, struct callsig_stats **loaded)
{
  struct out_recording recording;
  *loaded = NULL;
  int result = out_recording_read(path, &recording);
  return result < 0 ? result : out_stats_of_recording(&recording, NULL, loaded);
}

uint64_t callsig_stats_damaged(const struct callsig_stats *stats)
{
  return stats->damaged;
}

void callsig_stats_free(struct callsig_stats *stats)
{
  if (!stats)
    return;
  out_stats_forget(stats);
  out_filter_free(&stats->filter);
  out_profile_free(&stats->profile);
  out_taken_files_free(&stats->files);
  free(stats);
}

int callsig_stats_group(struct callsig_stats *stats, unsigned by)
{
  const unsigned known = CALLSIG_BY_FUNCTION | CALLSIG_BY_SIGNATURE | CALLSIG_BY_STAGE | CALLSIG_BY_THREAD |
                         CALLSIG_BY_MODULE | CALLSIG_BY_PROCESS | CALLSIG_BY_RANK | CALLSIG_BY_SITE;
  if (by == 0 || by & ~known)
    return out_stats_fail(-EINVAL, "rows are by function, signature, stage, thread, module, process, rank or site");
  if (by & (CALLSIG_BY_SIGNATURE | CALLSIG_BY_SITE))
    by |= CALLSIG_BY_FUNCTION;
  out_stats_forget(stats);
  stats->by = by;
  return 0;
}

int callsig_stats_filter(struct callsig_stats *stats, const struct callsig_stats_filter *wanted)
{
  struct callsig_stats_filter known;
  struct out_filter filter;
  int result = out_struct_read("callsig_stats_filter", &known, sizeof known, wanted);
  if (result < 0)
    return result;
  result = out_filter_make(&known, &filter);
  if (result == 0 && filter.signature)
    result = out_expression_check(filter.signature, &stats->profile);
  if (result < 0) {
    out_filter_free(&filter);
    return result;
  }
  out_stats_forget(stats);
  out_filter_free(&stats->filter);
  stats->filter = filter;
  return 0;
}

int callsig_stats_strip_dirs(struct callsig_stats *stats)
{
  out_stats_forget(stats);
  stats->strip_dirs = true;
  return 0;
}

int callsig_stats_stack(struct callsig_stats *stats, unsigned frames)
{
  if (frames > OUT_CALLSTACK_MAX)
    return out_stats_fail(-EINVAL, "rows can be by the innermost %u frames at most, not %u", OUT_CALLSTACK_MAX, frames);
  out_stats_forget(stats);
  stats->frames = frames;
  return 0;
}

int callsig_stats_compensate(struct callsig_stats *stats, int on)
{
  out_stats_forget(stats);
  stats->compensating = on ? OUT_COMPENSATE_ALL : OUT_COMPENSATE_NONE;
  return 0;
}

bool out_stats_compensates(const struct callsig_stats *stats)
{
  bool any = stats->compensating == OUT_COMPENSATE_ALL;
  for (uint32_t i = 0; i < stats->profile.recordings.count && stats->compensating == OUT_COMPENSATE_SAMPLED; i++) {
    const struct out_recording_info *info = out_profile_recording(&stats->profile, i);
    any |= info->flags & FMT_REC_SAMPLED && out_compensate_is_known(&stats->profile, info);
  }
  return any;
}

bool out_stats_tells_compensation(const struct callsig_stats *stats)
{
  return out_stats_compensates(stats) &&
         (stats->compensating == OUT_COMPENSATE_ALL ||
          fabs(out_rows_compensated(&stats->rows).taken) * stats->grouping.tick >= 0.0005);
}

int callsig_stats_sort(struct callsig_stats *stats, const char *keys)
{
  int result = out_sort_parse(keys, &stats->sort);
  if (result == 0)
    out_stats_forget(stats);
  return result;
}

int callsig_stats_set_style(struct callsig_stats *stats, const struct callsig_stats_style *wanted)
{
  struct callsig_stats_style style;
  int result = out_struct_read("callsig_stats_style", &style, sizeof style, wanted);
  if (result < 0)
    return result;
  if (style.unit > CALLSIG_UNIT_NANOSECONDS)
    return out_stats_fail(-EINVAL, "times are in seconds, milliseconds, microseconds or nanoseconds, or by themselves");
  if (style.name_width > 0 && style.name_width < OUT_NAME_WIDTH_LEAST)
    return out_stats_fail(-EINVAL, "names are shortened to %u bytes and more", OUT_NAME_WIDTH_LEAST);
  result = out_columns_parse(style.columns, &stats->columns);
  if (result < 0)
    return result;
  style.columns = NULL;
  stats->style = style;
  return 0;
}

int callsig_stats_reverse(struct callsig_stats *stats)
{
  stats->sort.reversed = !stats->sort.reversed;
  out_stats_forget(stats);
  return 0;
}

uint32_t out_stats_function(const struct callsig_stats *stats, const struct out_row_key *key)
{
  if (key->what == FMT_NONE || !(stats->by & CALLSIG_BY_SIGNATURE))
    return key->what;
  const struct out_signature *signature = out_profile_signature(&stats->profile, key->what);
  return stats->shown_function[out_profile_layout(&stats->profile, signature->layout)->function];
}

struct out_names out_stats_names(const struct callsig_stats *stats)
{
  return (struct out_names){
      .profile = &stats->profile,
      .shown_function = stats->shown_function,
      .by = stats->by,
      .row_of = stats->strip_dirs && stats->by & CALLSIG_BY_SIGNATURE ? stats->signature_merge.row_of : NULL,
      .callstacks = &stats->callstacks,
      .strip_dirs = stats->strip_dirs};
}

double out_stats_finest_tick(const struct callsig_stats *stats)
{
  const struct out_profile *profile = &stats->profile;
  if (stats->only_process > 0 && stats->only_process <= profile->recordings.count)
    return out_profile_recording(profile, stats->only_process - 1)->tick;
  double tick = out_profile_recording(profile, 0)->tick;
  for (uint32_t i = 1; i < profile->recordings.count; i++) {
    if (out_profile_recording(profile, i)->tick < tick)
      tick = out_profile_recording(profile, i)->tick;
  }
  return tick;
}

static int group(struct callsig_stats *stats)
{
  int result = out_shown_functions(&stats->profile, stats->strip_dirs, &stats->shown_function);
  if (result == 0 && (stats->by & CALLSIG_BY_SIGNATURE || stats->filter.signature))
    result = out_signature_merge_make(&stats->profile, stats->shown_function, &stats->signature_merge);
  if (result == 0)
    result = out_filter_select(&stats->filter, &stats->profile, stats->shown_function, stats->signature_merge.row_of,
                               &stats->selection);
  if (result == 0 && stats->only_process)
    result = out_selection_of_process(&stats->profile, stats->only_process - 1, &stats->selection);
  if (result == 0 && stats->by & CALLSIG_BY_SITE)
    result = out_call_places_look_up(&stats->profile);
  if (result == 0 && stats->by & CALLSIG_BY_RANK) {
    stats->ranks = out_process_ranks(&stats->profile);
    result = stats->ranks ? 0 : -ENOMEM;
  }
  if (result == 0)
    result = out_callstacks_make(&stats->profile, stats->shown_function, stats->frames, &stats->callstacks);
  if (result == 0 && out_stats_compensates(stats))
    result = out_compensate(&stats->profile, stats->compensating == OUT_COMPENSATE_SAMPLED, &stats->compensation);
  if (result < 0)
    return result;
  stats->grouping = (struct out_grouping){
      .by = stats->by,
      .shown_function = stats->shown_function,
      .signature_merge = stats->by & CALLSIG_BY_SIGNATURE ? &stats->signature_merge : NULL,
      .compensation = out_stats_compensates(stats) ? &stats->compensation : NULL,
      .ranks = stats->ranks,
      .callstacks = &stats->callstacks,
      .selected_functions = stats->selection.functions,
      .selected_contexts = stats->selection.contexts,
      .selected_threads = stats->selection.threads,
      .selected_modules = stats->selection.modules,
      .selected_signatures = stats->selection.signatures,
      .depths = stats->selection.depths,
      .deepest = stats->filter.depth,
      .is_subtree = stats->filter.below != NULL,
      .tick = out_stats_finest_tick(stats),
  };
  return out_sums_fit(&stats->profile, stats->grouping.tick);
}

static int order(struct callsig_stats *stats)
{
  uint64_t own = 0;
  stats->order = malloc((stats->rows.list.count + 1u) * sizeof *stats->order);
  if (!stats->order)
    return -ENOMEM;
  stats->total = (struct callsig_stats_total){.size = sizeof stats->total};
  for (uint32_t i = 0; i < stats->rows.list.count; i++) {
    const struct out_row *row = out_rows_at(&stats->rows, i);
    stats->order[stats->listed++] = i;
    stats->total.calls += row->calls;
    stats->total.primitive_calls += row->primitive;
    own += row->own;
  }
  stats->total.time = (double)own * stats->grouping.tick;
  stats->total.wait = stats->sleep ? stats->all_sleep.slept * stats->grouping.tick : NAN;
  struct out_names names = out_stats_names(stats);
  int result = out_sort_rows(&stats->sort, &stats->rows, stats->sleep, &names, stats->order, stats->listed);
  const bool is_parted = result == 0 && stats->sleep && stats->sort.asleep_last && !stats->sort.reversed;
  stats->has_asleep = false;
  return is_parted ? out_row_sleep_last(stats) : result;
}

/* What was made is there or is given up. */
static int settle(struct callsig_stats *stats, int result, bool *flag)
{
  if (result == -ENOMEM)
    out_stats_no_memory();
  if (result < 0)
    out_stats_forget(stats);
  else
    *flag = true;
  return result;
}

int out_stats_not_empty(const struct callsig_stats *stats)
{
  if (stats->incomplete)
    return out_stats_fail(-EINVAL, "a recording was read only in part, so that calls would be missing");
  if (stats->profile.recordings.count == 0)
    return out_stats_fail(-EINVAL, "no recording was loaded or added, so that there are no calls");
  return 0;
}

int out_stats_group(struct callsig_stats *stats)
{
  int result = out_stats_not_empty(stats);
  if (result < 0)
    return result;
  return stats->grouped ? 0 : settle(stats, group(stats), &stats->grouped);
}

int out_stats_build(struct callsig_stats *stats)
{
  int result = out_stats_group(stats);
  if (result < 0 || stats->built)
    return result;
  return settle(stats, out_rows_build(&stats->profile, &stats->grouping, &stats->rows), &stats->built);
}

int out_stats_prepare(struct callsig_stats *stats)
{
  if (stats->prepared)
    return 0;
  int result = out_stats_build(stats);
  if (result < 0)
    return result;
  if (out_row_errors_known(&stats->profile)) {
    stats->errors = out_row_errors_make(&stats->profile, &stats->grouping, &stats->rows);
    stats->errors_count = stats->rows.list.count;
    result = stats->errors ? 0 : -ENOMEM;
  }
  if (result == 0)
    result = out_row_sleep_make(&stats->profile, &stats->grouping, &stats->rows, &stats->sleep, &stats->all_sleep);
  if (result == 0)
    result = out_rows_asked(&stats->profile, &stats->grouping, &stats->rows);
  if (result == 0)
    result = order(stats);
  return settle(stats, result, &stats->prepared);
}

int out_stats_inclusive_sleep(struct callsig_stats *stats)
{
  if (!stats->sleep || stats->has_inclusive_sleep)
    return 0;
  if (out_row_sleep_inclusive(&stats->profile, &stats->grouping, &stats->rows, stats->sleep) < 0)
    return out_stats_no_memory();
  stats->has_inclusive_sleep = true;
  return 0;
}

int out_stats_percentiles(struct callsig_stats *stats)
{
  if (stats->percentiles || !out_percentiles_known(&stats->profile))
    return 0;
  stats->percentiles = out_percentiles_make(&stats->profile, &stats->grouping, &stats->rows);
  return stats->percentiles ? 0 : out_stats_no_memory();
}

size_t callsig_stats_row_count(struct callsig_stats *stats)
{
  return out_stats_prepare(stats) < 0 ? 0 : stats->listed;
}

int callsig_stats_total(struct callsig_stats *stats, struct callsig_stats_total *total)
{
  int result = out_stats_prepare(stats);
  if (result < 0)
    return result;
  out_struct_hand_out(total, &stats->total, sizeof stats->total);
  return 0;
}

struct out_row_error out_stats_error(const struct callsig_stats *stats, uint32_t row)
{
  const struct out_names names = out_stats_names(stats);
  const struct out_row *known = out_rows_at(&stats->rows, row);
  const struct out_known_function *function = out_row_function(&names, &known->key);
  if (function && function->is_untimed)
    return (struct out_row_error){
        .own = NAN, .cumulative = NAN, .drawn_own = NAN, .drawn_cumulative = NAN, .untimed = known->calls};
  return stats->errors && row < stats->errors_count ? stats->errors[row] : (struct out_row_error){0};
}

struct out_row_sleep out_stats_sleep(const struct callsig_stats *stats, uint32_t row)
{
  if (!stats->sleep)
    return (struct out_row_sleep){NAN, NAN, NAN, NAN};
  const struct out_row *known = out_rows_at(&stats->rows, row);
  struct out_row_sleep sleep = stats->sleep[row];
  if (out_sleep_is_open(sleep.own_error, known->own))
    sleep.own = NAN;
  if (out_sleep_is_open(sleep.cumulative_error, known->cumulative))
    sleep.cumulative = NAN;
  return sleep;
}
