/* Makes rows of nested spans from the spans that were recorded. */
#define _GNU_SOURCE
#include "output/export/timeline.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/text/message.h"

/* Beyond every tid and pid of Linux: numbers from here on are nobody's. */
#define FIRST_FREE_ID (UINT32_C(1) << 22)

static const struct out_span *span_of(const struct out_timeline *timeline, const struct out_timeline_span *span)
{
  return out_profile_span(&timeline->stats->profile, span->span);
}

static const struct out_context *context_of(const struct out_profile *profile, const struct out_span *span)
{
  const struct out_variant *to = out_profile_variant(profile, out_profile_edge(profile, span->what)->to);
  return out_profile_context(profile, to->context);
}

static bool is_call(const struct out_span *span)
{
  return span->kind == FMT_SPAN_CALL || span->kind == FMT_SPAN_TASK;
}

/* ---- processes ---- */

static bool process_id_taken(const struct out_timeline *timeline, uint32_t id)
{
  for (uint32_t i = 0; i < timeline->processes.count; i++)
    if (out_timeline_process(timeline, i)->id == id)
      return true;
  return false;
}

static int make_processes(struct out_timeline *timeline)
{
  const struct out_profile *profile = &timeline->stats->profile;
  uint64_t first = UINT64_MAX;
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    uint64_t start = out_profile_recording(profile, i)->process.start_realtime_ns;
    first = start < first ? start : first;
  }
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    const struct out_recording_info *info = out_profile_recording(profile, i);
    uint32_t id = process_id_taken(timeline, info->pid) ? FIRST_FREE_ID + i : info->pid;
    struct out_timeline_process *process = base_vector_add(&timeline->processes, 1);
    if (!process)
      return -ENOMEM;
    *process =
        (struct out_timeline_process){.recording = i, .id = id, .offset = info->process.start_realtime_ns - first};
  }
  return 0;
}

/* ---- spans ---- */

uint64_t out_timeline_nanoseconds(const struct out_timeline *timeline, uint32_t recording, uint64_t ticks)
{
  const struct out_recording_info *info = out_profile_recording(&timeline->stats->profile, recording);
  uint64_t start = info->process.start.ticks;
  double since = ticks > start ? round((double)(ticks - start) * info->tick * 1e9) : 0;
  return out_timeline_process(timeline, recording)->offset + (since < 0x1p63 ? (uint64_t)since : UINT64_C(1) << 63);
}

static bool is_selected(const struct callsig_stats *stats, const struct out_span *span)
{
  const struct out_grouping *grouping = &stats->grouping;
  if (is_call(span)) {
    struct out_row counts;
    return out_rows_edge(&stats->profile, grouping, out_profile_edge(&stats->profile, span->what), &counts);
  }
  return !grouping->selected_functions && !grouping->selected_signatures && !grouping->selected_contexts &&
         !grouping->depths && !grouping->selected_modules &&
         (!grouping->selected_threads || grouping->selected_threads[span->thread]);
}

static int select_spans(struct out_timeline *timeline)
{
  const struct out_profile *profile = &timeline->stats->profile;
  for (uint32_t i = 0; i < profile->spans.count; i++) {
    const struct out_span *span = out_profile_span(profile, i);
    if (!is_selected(timeline->stats, span))
      continue;
    struct out_timeline_span *shown = base_vector_add(&timeline->spans, 1);
    if (!shown)
      return -ENOMEM;
    uint32_t recording = out_profile_thread(profile, span->thread)->recording;
    *shown =
        (struct out_timeline_span){.start = out_timeline_nanoseconds(timeline, recording, span->start),
                                   .end = out_timeline_nanoseconds(timeline, recording, span->start + span->duration),
                                   .span = i,
                                   .row = FMT_NONE};
  }
  return 0;
}

static int compare_numbers(uint64_t left, uint64_t right)
{
  return (left > right) - (left < right);
}

/* By thread, and an outer span before those inside it: the longer one, or the one that was recorded later. */
static int compare_threads(const void *left, const void *right, void *data)
{
  const struct out_timeline_span *a = left, *b = right;
  const struct out_timeline *timeline = data;
  int order = compare_numbers(span_of(timeline, a)->thread, span_of(timeline, b)->thread);
  if (order == 0)
    order = compare_numbers(a->start, b->start);
  if (order == 0)
    order = compare_numbers(b->end, a->end);
  return order ? order : compare_numbers(b->span, a->span);
}

static int compare_rows(const void *left, const void *right, void *data)
{
  const struct out_timeline_span *a = left, *b = right;
  int order = compare_numbers(a->row, b->row);
  return order ? order : compare_threads(left, right, data);
}

/* ---- rows ---- */

/* The spans that are open in one row where the sweep over a thread's spans stands: the ends of them, outermost first.
 */
struct lane {
  uint32_t row;
  struct base_vector ends; /* uint64_t */
};

static bool lane_takes(struct lane *lane, const struct out_timeline_span *span)
{
  while (lane->ends.count && *(uint64_t *)base_vector_at(&lane->ends, lane->ends.count - 1) <= span->start)
    lane->ends.count--;
  return lane->ends.count == 0 || *(uint64_t *)base_vector_at(&lane->ends, lane->ends.count - 1) >= span->end;
}

static bool row_id_taken(const struct out_timeline *timeline, uint32_t process, uint32_t id)
{
  for (uint32_t i = 0; i < timeline->rows.count; i++)
    if (out_timeline_row(timeline, i)->process == process && out_timeline_row(timeline, i)->id == id)
      return true;
  return false;
}

static int add_lane(struct out_timeline *timeline, struct base_vector *lanes, uint32_t thread)
{
  const struct out_known_thread *known = out_profile_thread(&timeline->stats->profile, thread);
  struct lane *lane = base_vector_add(lanes, 1);
  uint32_t number = timeline->rows.count;
  bool taken = known->tid == 0 || row_id_taken(timeline, known->recording, known->tid);
  struct out_timeline_row *row = lane ? base_vector_add(&timeline->rows, 1) : NULL;
  if (!row)
    return -ENOMEM;
  *lane = (struct lane){.row = number, .ends = BASE_VECTOR_OF(uint64_t)};
  *row = (struct out_timeline_row){.process = known->recording,
                                   .thread = thread,
                                   .id = taken ? FIRST_FREE_ID + number : known->tid,
                                   .lane = lanes->count - 1};
  return 0;
}

static void free_lanes(struct base_vector *lanes)
{
  for (uint32_t i = 0; i < lanes->count; i++)
    base_vector_free(&((struct lane *)base_vector_at(lanes, i))->ends);
  lanes->count = 0;
}

/* Puts the span into the first row of its thread in which it nests. */
static int place(struct out_timeline *timeline, struct base_vector *lanes, struct out_timeline_span *span)
{
  uint32_t i = 0;
  while (i < lanes->count && !lane_takes(base_vector_at(lanes, i), span))
    i++;
  int result = i == lanes->count ? add_lane(timeline, lanes, span_of(timeline, span)->thread) : 0;
  if (result < 0)
    return result;
  struct lane *lane = base_vector_at(lanes, i);
  uint64_t *end = base_vector_add(&lane->ends, 1);
  if (!end)
    return -ENOMEM;
  *end = span->end;
  span->row = lane->row;
  return 0;
}

static int make_rows(struct out_timeline *timeline)
{
  struct base_vector lanes = BASE_VECTOR_OF(struct lane);
  uint32_t thread = FMT_NONE;
  int result = 0;
  for (uint32_t i = 0; i < timeline->spans.count && result == 0; i++) {
    struct out_timeline_span *span = base_vector_at(&timeline->spans, i);
    const struct out_span *recorded = span_of(timeline, span);
    if (recorded->kind == FMT_SPAN_RANGE)
      continue;
    if (recorded->thread != thread)
      free_lanes(&lanes);
    thread = recorded->thread;
    result = place(timeline, &lanes, span);
  }
  free_lanes(&lanes);
  base_vector_free(&lanes);
  return result;
}

/* Finds the rows whose tasks are of one stage only. */
static void name_stages(struct out_timeline *timeline)
{
  const struct out_profile *profile = &timeline->stats->profile;
  for (uint32_t i = 0; i < timeline->spans.count; i++) {
    const struct out_timeline_span *span = out_timeline_span(timeline, i);
    uint32_t callable = out_timeline_code(timeline, span);
    uint32_t stage = callable == FMT_NONE || span->row == FMT_NONE ? 0 : out_profile_callable(profile, callable)->stage;
    struct out_timeline_row *row = stage ? base_vector_at(&timeline->rows, span->row) : NULL;
    if (row)
      row->stage = row->stage == 0 || row->stage == stage ? stage : FMT_NONE;
  }
  for (uint32_t i = 0; i < timeline->rows.count; i++) {
    struct out_timeline_row *row = base_vector_at(&timeline->rows, i);
    row->stage = row->stage == FMT_NONE ? 0 : row->stage;
    for (uint32_t k = 0; row->stage && k < i; k++)
      row->replica +=
          out_timeline_row(timeline, k)->stage == row->stage && out_timeline_row(timeline, k)->process == row->process;
  }
}

/* ---- items ---- */

static int compare_steps(const void *left, const void *right)
{
  const struct out_timeline_step *a = left, *b = right;
  int order = compare_numbers(a->process, b->process);
  if (order == 0)
    order = compare_numbers(a->pipeline, b->pipeline);
  if (order == 0)
    order = compare_numbers(a->item, b->item);
  if (order == 0)
    order = compare_numbers(a->start, b->start);
  return order ? order : compare_numbers(a->span, b->span);
}

static int make_steps(struct out_timeline *timeline)
{
  const struct out_profile *profile = &timeline->stats->profile;
  for (uint32_t i = 0; i < timeline->spans.count; i++) {
    const struct out_timeline_span *span = out_timeline_span(timeline, i);
    const struct out_span *recorded = span_of(timeline, span);
    if (recorded->kind != FMT_SPAN_TASK || recorded->item == 0)
      continue;
    struct out_timeline_step *step = base_vector_add(&timeline->steps, 1);
    if (!step)
      return -ENOMEM;
    uint32_t stage = out_profile_callable(profile, out_timeline_code(timeline, span))->stage;
    *step = (struct out_timeline_step){.item = recorded->item,
                                       .start = span->start,
                                       .pipeline = out_profile_stage(profile, stage)->pipeline,
                                       .process = out_timeline_row(timeline, span->row)->process,
                                       .span = i};
  }
  if (timeline->steps.count)
    qsort(timeline->steps.data, timeline->steps.count, sizeof(struct out_timeline_step), compare_steps);
  return 0;
}

bool out_timeline_goes_on(const struct out_timeline *timeline, uint32_t number)
{
  if (number == 0 || number >= timeline->steps.count)
    return false;
  const struct out_timeline_step *step = base_vector_at(&timeline->steps, number), *before = step - 1;
  return step->process == before->process && step->pipeline == before->pipeline && step->item == before->item;
}

/* ---- the whole ---- */

bool out_timeline_is_there(const struct callsig_stats *stats)
{
  for (uint32_t i = 0; i < stats->profile.recordings.count; i++)
    if (out_profile_recording(&stats->profile, i)->process.timeline_min != UINT64_MAX)
      return true;
  return false;
}

static int check_spans(const struct callsig_stats *stats)
{
  if (out_timeline_is_there(stats))
    return 0;
  return out_stats_fail(-ENODATA, "%s: no timeline was recorded: run the program with 'callsig run --timeline'",
                        out_profile_string(&stats->profile, out_profile_recording(&stats->profile, 0)->path));
}

int out_timeline_make(struct callsig_stats *stats, struct out_timeline *timeline)
{
  *timeline = (struct out_timeline){.stats = stats,
                                    .processes = BASE_VECTOR_OF(struct out_timeline_process),
                                    .rows = BASE_VECTOR_OF(struct out_timeline_row),
                                    .spans = BASE_VECTOR_OF(struct out_timeline_span),
                                    .steps = BASE_VECTOR_OF(struct out_timeline_step)};
  int result = check_spans(stats);
  if (result == 0)
    result = make_processes(timeline);
  if (result == 0)
    result = select_spans(timeline);
  if (result < 0)
    return result;
  if (timeline->spans.count)
    qsort_r(timeline->spans.data, timeline->spans.count, sizeof(struct out_timeline_span), compare_threads, timeline);
  result = make_rows(timeline);
  if (result < 0)
    return result;
  if (timeline->spans.count)
    qsort_r(timeline->spans.data, timeline->spans.count, sizeof(struct out_timeline_span), compare_rows, timeline);
  name_stages(timeline);
  return make_steps(timeline);
}

void out_timeline_free(struct out_timeline *timeline)
{
  base_vector_free(&timeline->processes);
  base_vector_free(&timeline->rows);
  base_vector_free(&timeline->spans);
  base_vector_free(&timeline->steps);
  out_arguments_free(&timeline->scratch);
}

/* ---- what a span says ---- */

enum out_shown_kind out_timeline_kind(const struct out_timeline *timeline, const struct out_timeline_span *shown)
{
  const struct out_profile *profile = &timeline->stats->profile;
  const struct out_span *span = span_of(timeline, shown);
  switch (span->kind) {
  case FMT_SPAN_CALL:
  case FMT_SPAN_TASK: {
    uint32_t callable = context_of(profile, span)->callable;
    return out_profile_callable(profile, callable)->stage ? OUT_SHOWN_TASK : OUT_SHOWN_CALL;
  }
  case FMT_SPAN_PUT:
  case FMT_SPAN_GET:
    return OUT_SHOWN_WAIT;
  case FMT_SPAN_EVENT:
    return OUT_SHOWN_EVENT;
  default:
    return OUT_SHOWN_RANGE;
  }
}

uint32_t out_timeline_code(const struct out_timeline *timeline, const struct out_timeline_span *shown)
{
  const struct out_span *span = span_of(timeline, shown);
  return is_call(span) ? context_of(&timeline->stats->profile, span)->callable : FMT_NONE;
}

const char *out_timeline_stage(const struct out_timeline *timeline, const struct out_timeline_span *shown)
{
  const struct out_profile *profile = &timeline->stats->profile;
  const struct out_span *span = span_of(timeline, shown);
  uint32_t stage = is_call(span) ? context_of(profile, span)->stage : 0;
  return stage ? out_profile_string(profile, out_profile_stage(profile, stage)->label) : NULL;
}

void out_timeline_name(const struct out_timeline *timeline, const struct out_timeline_span *shown,
                       struct out_text *text)
{
  const struct out_profile *profile = &timeline->stats->profile;
  const struct out_span *span = span_of(timeline, shown);
  switch (out_timeline_kind(timeline, shown)) {
  case OUT_SHOWN_TASK: {
    /* A damaged recording may have the task of no stage. */
    const char *stage = out_timeline_stage(timeline, shown);
    out_text_puts(text, stage ? stage : "");
    break;
  }
  case OUT_SHOWN_CALL: {
    const struct out_callable *callable = out_profile_callable(profile, context_of(profile, span)->callable);
    out_text_puts(text, out_profile_string(profile, out_profile_function(profile, callable->function)->name));
    break;
  }
  case OUT_SHOWN_WAIT:
    out_text_puts(text, span->kind == FMT_SPAN_PUT ? "put " : "get ");
    out_text_puts(text, out_profile_string(profile, span->what));
    break;
  default:
    out_text_puts(text, out_profile_string(profile, span->what));
  }
}

void out_timeline_signature(struct out_timeline *timeline, const struct out_timeline_span *shown, struct out_text *text)
{
  const struct callsig_stats *stats = timeline->stats;
  const struct out_span *span = span_of(timeline, shown);
  if (!is_call(span))
    return;
  const struct out_edge *edge = out_profile_edge(&stats->profile, span->what);
  struct out_row_key key = out_rows_key_of_edge(&stats->profile, &stats->grouping, edge);
  struct out_names names = out_stats_names(stats);
  out_row_signature(&names, &key, &timeline->scratch, text);
}

void out_timeline_row_name(const struct out_timeline *timeline, const struct out_timeline_row *row,
                           struct out_text *text)
{
  const struct out_profile *profile = &timeline->stats->profile;
  const struct out_known_thread *thread = out_profile_thread(profile, row->thread);
  if (row->stage)
    out_text_printf(text, "%s %u: ", out_profile_string(profile, out_profile_stage(profile, row->stage)->label),
                    row->replica);
  out_text_puts(text, out_profile_string(profile, thread->label));
  if (row->lane)
    out_text_printf(text, " #%u", row->lane + 1);
}
