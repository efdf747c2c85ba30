#define _GNU_SOURCE
#include "timeline.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

/* Beyond every tid and pid of Linux: numbers from here on are nobody's. */
#define FIRST_FREE_ID (UINT32_C(1) << 22)

static const struct cs_span *span_of(const struct cs_timeline *timeline, const struct cs_timeline_span *span)
{
  return cs_profile_span(&timeline->stats->profile, span->span);
}

static const struct cs_context *context_of(const struct cs_profile *profile, const struct cs_span *span)
{
  const struct cs_variant *to = cs_profile_variant(profile, cs_profile_edge(profile, span->what)->to);
  return cs_profile_context(profile, to->context);
}

static bool is_call(const struct cs_span *span)
{
  return span->kind == CS_SPAN_CALL || span->kind == CS_SPAN_TASK;
}

/* ---- processes ---- */

static bool process_id_taken(const struct cs_timeline *timeline, uint32_t id)
{
  for (uint32_t i = 0; i < timeline->processes.count; i++)
    if (cs_timeline_process(timeline, i)->id == id)
      return true;
  return false;
}

static int make_processes(struct cs_timeline *timeline)
{
  const struct cs_profile *profile = &timeline->stats->profile;
  uint64_t first = UINT64_MAX;
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    uint64_t start = cs_profile_recording(profile, i)->process.start_realtime_ns;
    first = start < first ? start : first;
  }
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    const struct cs_recording_info *info = cs_profile_recording(profile, i);
    uint32_t id = process_id_taken(timeline, info->pid) ? FIRST_FREE_ID + i : info->pid;
    struct cs_timeline_process *process = cs_vector_add(&timeline->processes, 1);
    if (!process)
      return -ENOMEM;
    *process =
        (struct cs_timeline_process){.recording = i, .id = id, .offset = info->process.start_realtime_ns - first};
  }
  return 0;
}

/* ---- spans ---- */

/* Nanoseconds of a reading of a process's clock. A reading from before its start, which only a damaged file has, is the
 * start. */
static uint64_t nanoseconds(const struct cs_timeline *timeline, uint32_t recording, uint64_t ticks)
{
  const struct cs_recording_info *info = cs_profile_recording(&timeline->stats->profile, recording);
  uint64_t start = info->process.start.ticks;
  double since = ticks > start ? round((double)(ticks - start) * info->tick * 1e9) : 0;
  return cs_timeline_process(timeline, recording)->offset + (since < 0x1p63 ? (uint64_t)since : UINT64_C(1) << 63);
}

static bool is_selected(const struct callsig_stats *stats, const struct cs_span *span)
{
  const struct cs_grouping *grouping = &stats->grouping;
  if (is_call(span)) {
    struct cs_row counts;
    return cs_rows_edge(&stats->profile, grouping, cs_profile_edge(&stats->profile, span->what), &counts);
  }
  return !grouping->selected_functions && !grouping->selected_signatures && !grouping->selected_stages &&
         !grouping->selected_modules && (!grouping->selected_threads || grouping->selected_threads[span->thread]);
}

static int select_spans(struct cs_timeline *timeline)
{
  const struct cs_profile *profile = &timeline->stats->profile;
  for (uint32_t i = 0; i < profile->spans.count; i++) {
    const struct cs_span *span = cs_profile_span(profile, i);
    if (!is_selected(timeline->stats, span))
      continue;
    struct cs_timeline_span *shown = cs_vector_add(&timeline->spans, 1);
    if (!shown)
      return -ENOMEM;
    uint32_t recording = cs_profile_thread(profile, span->thread)->recording;
    *shown = (struct cs_timeline_span){.start = nanoseconds(timeline, recording, span->start),
                                       .end = nanoseconds(timeline, recording, span->start + span->duration),
                                       .span = i,
                                       .row = CS_NONE};
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
  const struct cs_timeline_span *a = left, *b = right;
  const struct cs_timeline *timeline = data;
  int order = compare_numbers(span_of(timeline, a)->thread, span_of(timeline, b)->thread);
  if (order == 0)
    order = compare_numbers(a->start, b->start);
  if (order == 0)
    order = compare_numbers(b->end, a->end);
  return order ? order : compare_numbers(b->span, a->span);
}

static int compare_rows(const void *left, const void *right, void *data)
{
  const struct cs_timeline_span *a = left, *b = right;
  int order = compare_numbers(a->row, b->row);
  return order ? order : compare_threads(left, right, data);
}

/* ---- rows ---- */

/* The spans that are open in one row where the sweep over a thread's spans stands: the ends of them, outermost first.
 */
struct lane {
  uint32_t row;
  struct cs_vector ends; /* uint64_t */
};

static bool lane_takes(struct lane *lane, const struct cs_timeline_span *span)
{
  while (lane->ends.count && *(uint64_t *)cs_vector_at(&lane->ends, lane->ends.count - 1) <= span->start)
    lane->ends.count--;
  return lane->ends.count == 0 || *(uint64_t *)cs_vector_at(&lane->ends, lane->ends.count - 1) >= span->end;
}

static bool row_id_taken(const struct cs_timeline *timeline, uint32_t process, uint32_t id)
{
  for (uint32_t i = 0; i < timeline->rows.count; i++)
    if (cs_timeline_row(timeline, i)->process == process && cs_timeline_row(timeline, i)->id == id)
      return true;
  return false;
}

static int add_lane(struct cs_timeline *timeline, struct cs_vector *lanes, uint32_t thread)
{
  const struct cs_known_thread *known = cs_profile_thread(&timeline->stats->profile, thread);
  struct lane *lane = cs_vector_add(lanes, 1);
  uint32_t number = timeline->rows.count;
  bool taken = known->tid == 0 || row_id_taken(timeline, known->recording, known->tid);
  struct cs_timeline_row *row = lane ? cs_vector_add(&timeline->rows, 1) : NULL;
  if (!row)
    return -ENOMEM;
  *lane = (struct lane){.row = number, .ends = CS_VECTOR_OF(uint64_t)};
  *row = (struct cs_timeline_row){.process = known->recording,
                                  .thread = thread,
                                  .id = taken ? FIRST_FREE_ID + number : known->tid,
                                  .lane = lanes->count - 1};
  return 0;
}

static void free_lanes(struct cs_vector *lanes)
{
  for (uint32_t i = 0; i < lanes->count; i++)
    cs_vector_free(&((struct lane *)cs_vector_at(lanes, i))->ends);
  lanes->count = 0;
}

/* Puts the span into the first row of its thread in which it nests. */
static int place(struct cs_timeline *timeline, struct cs_vector *lanes, struct cs_timeline_span *span)
{
  uint32_t i = 0;
  while (i < lanes->count && !lane_takes(cs_vector_at(lanes, i), span))
    i++;
  int result = i == lanes->count ? add_lane(timeline, lanes, span_of(timeline, span)->thread) : 0;
  if (result < 0)
    return result;
  struct lane *lane = cs_vector_at(lanes, i);
  uint64_t *end = cs_vector_add(&lane->ends, 1);
  if (!end)
    return -ENOMEM;
  *end = span->end;
  span->row = lane->row;
  return 0;
}

static int make_rows(struct cs_timeline *timeline)
{
  struct cs_vector lanes = CS_VECTOR_OF(struct lane);
  uint32_t thread = CS_NONE;
  int result = 0;
  for (uint32_t i = 0; i < timeline->spans.count && result == 0; i++) {
    struct cs_timeline_span *span = cs_vector_at(&timeline->spans, i);
    const struct cs_span *recorded = span_of(timeline, span);
    if (recorded->kind == CS_SPAN_RANGE)
      continue;
    if (recorded->thread != thread)
      free_lanes(&lanes);
    thread = recorded->thread;
    result = place(timeline, &lanes, span);
  }
  free_lanes(&lanes);
  cs_vector_free(&lanes);
  return result;
}

/* Finds the rows whose tasks are of one stage only. */
static void name_stages(struct cs_timeline *timeline)
{
  const struct cs_profile *profile = &timeline->stats->profile;
  for (uint32_t i = 0; i < timeline->spans.count; i++) {
    const struct cs_timeline_span *span = cs_timeline_span(timeline, i);
    uint32_t code = cs_timeline_code(timeline, span);
    uint32_t stage = code == CS_NONE || span->row == CS_NONE ? 0 : cs_profile_code(profile, code)->stage;
    struct cs_timeline_row *row = stage ? cs_vector_at(&timeline->rows, span->row) : NULL;
    if (row)
      row->stage = row->stage == 0 || row->stage == stage ? stage : CS_NONE;
  }
  for (uint32_t i = 0; i < timeline->rows.count; i++) {
    struct cs_timeline_row *row = cs_vector_at(&timeline->rows, i);
    row->stage = row->stage == CS_NONE ? 0 : row->stage;
    for (uint32_t k = 0; row->stage && k < i; k++)
      row->replica +=
          cs_timeline_row(timeline, k)->stage == row->stage && cs_timeline_row(timeline, k)->process == row->process;
  }
}

/* ---- items ---- */

static int compare_steps(const void *left, const void *right)
{
  const struct cs_timeline_step *a = left, *b = right;
  int order = compare_numbers(a->process, b->process);
  if (order == 0)
    order = compare_numbers(a->pipeline, b->pipeline);
  if (order == 0)
    order = compare_numbers(a->item, b->item);
  if (order == 0)
    order = compare_numbers(a->start, b->start);
  return order ? order : compare_numbers(a->span, b->span);
}

static int make_steps(struct cs_timeline *timeline)
{
  const struct cs_profile *profile = &timeline->stats->profile;
  for (uint32_t i = 0; i < timeline->spans.count; i++) {
    const struct cs_timeline_span *span = cs_timeline_span(timeline, i);
    const struct cs_span *recorded = span_of(timeline, span);
    if (recorded->kind != CS_SPAN_TASK || recorded->item == 0)
      continue;
    struct cs_timeline_step *step = cs_vector_add(&timeline->steps, 1);
    if (!step)
      return -ENOMEM;
    uint32_t stage = cs_profile_code(profile, cs_timeline_code(timeline, span))->stage;
    *step = (struct cs_timeline_step){.item = recorded->item,
                                      .start = span->start,
                                      .pipeline = cs_profile_stage(profile, stage)->pipeline,
                                      .process = cs_timeline_row(timeline, span->row)->process,
                                      .span = i};
  }
  if (timeline->steps.count)
    qsort(timeline->steps.data, timeline->steps.count, sizeof(struct cs_timeline_step), compare_steps);
  return 0;
}

bool cs_timeline_goes_on(const struct cs_timeline *timeline, uint32_t number)
{
  if (number == 0 || number >= timeline->steps.count)
    return false;
  const struct cs_timeline_step *step = cs_vector_at(&timeline->steps, number), *before = step - 1;
  return step->process == before->process && step->pipeline == before->pipeline && step->item == before->item;
}

/* ---- the whole ---- */

static int check_spans(const struct callsig_stats *stats)
{
  for (uint32_t i = 0; i < stats->profile.recordings.count; i++)
    if (cs_profile_recording(&stats->profile, i)->process.timeline_min != UINT64_MAX)
      return 0;
  return cs_stats_fail(-ENODATA, "%s: no timeline was recorded: run the program with 'callsig run --timeline'",
                       cs_profile_string(&stats->profile, cs_profile_recording(&stats->profile, 0)->path));
}

int cs_timeline_make(struct callsig_stats *stats, struct cs_timeline *timeline)
{
  *timeline = (struct cs_timeline){.stats = stats,
                                   .processes = CS_VECTOR_OF(struct cs_timeline_process),
                                   .rows = CS_VECTOR_OF(struct cs_timeline_row),
                                   .spans = CS_VECTOR_OF(struct cs_timeline_span),
                                   .steps = CS_VECTOR_OF(struct cs_timeline_step)};
  int result = check_spans(stats);
  if (result == 0)
    result = make_processes(timeline);
  if (result == 0)
    result = select_spans(timeline);
  if (result < 0)
    return result;
  if (timeline->spans.count)
    qsort_r(timeline->spans.data, timeline->spans.count, sizeof(struct cs_timeline_span), compare_threads, timeline);
  result = make_rows(timeline);
  if (result < 0)
    return result;
  if (timeline->spans.count)
    qsort_r(timeline->spans.data, timeline->spans.count, sizeof(struct cs_timeline_span), compare_rows, timeline);
  name_stages(timeline);
  return make_steps(timeline);
}

void cs_timeline_free(struct cs_timeline *timeline)
{
  cs_vector_free(&timeline->processes);
  cs_vector_free(&timeline->rows);
  cs_vector_free(&timeline->spans);
  cs_vector_free(&timeline->steps);
  cs_arguments_free(&timeline->scratch);
}

/* ---- what a span says ---- */

enum cs_shown_kind cs_timeline_kind(const struct cs_timeline *timeline, const struct cs_timeline_span *shown)
{
  const struct cs_profile *profile = &timeline->stats->profile;
  const struct cs_span *span = span_of(timeline, shown);
  switch (span->kind) {
  case CS_SPAN_CALL:
  case CS_SPAN_TASK: {
    uint32_t code = context_of(profile, span)->code;
    return cs_profile_code(profile, code)->stage ? CS_SHOWN_TASK : CS_SHOWN_CALL;
  }
  case CS_SPAN_PUT:
  case CS_SPAN_GET:
    return CS_SHOWN_WAIT;
  case CS_SPAN_EVENT:
    return CS_SHOWN_EVENT;
  default:
    return CS_SHOWN_RANGE;
  }
}

uint32_t cs_timeline_code(const struct cs_timeline *timeline, const struct cs_timeline_span *shown)
{
  const struct cs_span *span = span_of(timeline, shown);
  return is_call(span) ? context_of(&timeline->stats->profile, span)->code : CS_NONE;
}

const char *cs_timeline_stage(const struct cs_timeline *timeline, const struct cs_timeline_span *shown)
{
  const struct cs_profile *profile = &timeline->stats->profile;
  const struct cs_span *span = span_of(timeline, shown);
  uint32_t stage = is_call(span) ? context_of(profile, span)->stage : 0;
  return stage ? cs_profile_string(profile, cs_profile_stage(profile, stage)->label) : NULL;
}

void cs_timeline_name(const struct cs_timeline *timeline, const struct cs_timeline_span *shown, struct cs_text *text)
{
  const struct cs_profile *profile = &timeline->stats->profile;
  const struct cs_span *span = span_of(timeline, shown);
  switch (cs_timeline_kind(timeline, shown)) {
  case CS_SHOWN_TASK:
    cs_text_puts(text, cs_timeline_stage(timeline, shown));
    break;
  case CS_SHOWN_CALL: {
    const struct cs_code *code = cs_profile_code(profile, context_of(profile, span)->code);
    cs_text_puts(text, cs_profile_string(profile, cs_profile_function(profile, code->function)->name));
    break;
  }
  case CS_SHOWN_WAIT:
    cs_text_puts(text, span->kind == CS_SPAN_PUT ? "put " : "get ");
    cs_text_puts(text, cs_profile_string(profile, span->what));
    break;
  default:
    cs_text_puts(text, cs_profile_string(profile, span->what));
  }
}

void cs_timeline_signature(struct cs_timeline *timeline, const struct cs_timeline_span *shown, struct cs_text *text)
{
  const struct callsig_stats *stats = timeline->stats;
  const struct cs_span *span = span_of(timeline, shown);
  if (!is_call(span))
    return;
  const struct cs_edge *edge = cs_profile_edge(&stats->profile, span->what);
  struct cs_row_key key =
      cs_rows_key(&stats->profile, &stats->grouping, cs_profile_variant(&stats->profile, edge->to), edge->thread);
  struct cs_names names = cs_stats_names(stats);
  cs_row_signature(&names, &key, &timeline->scratch, text);
}

void cs_timeline_row_name(const struct cs_timeline *timeline, const struct cs_timeline_row *row, struct cs_text *text)
{
  const struct cs_profile *profile = &timeline->stats->profile;
  const struct cs_known_thread *thread = cs_profile_thread(profile, row->thread);
  if (row->stage)
    cs_text_printf(text, "%s %u: ", cs_profile_string(profile, cs_profile_stage(profile, row->stage)->label),
                   row->replica);
  cs_text_puts(text, cs_profile_string(profile, thread->label));
  if (row->lane)
    cs_text_printf(text, " #%u", row->lane + 1);
}
