/*
 * Chrome's trace event format, JSON: for chrome://tracing, ui.perfetto.dev and speedscope. "Trace Event Format", the
 * document of the Chromium project, says what the letters mean.
 */
#include <errno.h>
#include <stdio.h>

#include "output/export/counter_tracks.h"
#include "output/export/export.h"
#include "output/export/timeline.h"
#include "output/text/json_writer.h"

struct writer {
  struct out_timeline *timeline;
  struct out_json json;
  struct out_text text;
};

/* Microseconds, the format's unit; three decimals hold the nanoseconds. */
static void put_time(struct writer *writer, const char *key, uint64_t nanoseconds)
{
  out_json_key_number(&writer->json, key, (double)nanoseconds / 1000);
}

static void put_text(struct writer *writer, const char *key)
{
  out_json_key(&writer->json, key);
  out_json_string(&writer->json, out_text_string(&writer->text), writer->text.length);
  out_text_clear(&writer->text);
}

static void open_event(struct writer *writer, const char *phase, uint32_t process, uint32_t thread)
{
  out_json_open_map(&writer->json);
  out_json_key_string(&writer->json, "ph", phase);
  out_json_key_integer(&writer->json, "pid", process);
  out_json_key_integer(&writer->json, "tid", thread);
}

/* An event that names a process or a row, or says where it is shown. The value is the writer's text, or a number. */
static void put_metadata(struct writer *writer, const char *what, uint32_t process, uint32_t thread, uint64_t order)
{
  open_event(writer, "M", process, thread);
  out_json_key_string(&writer->json, "name", what);
  out_json_key(&writer->json, "args");
  out_json_open_map(&writer->json);
  if (writer->text.length)
    put_text(writer, "name");
  else
    out_json_key_integer(&writer->json, "sort_index", order);
  out_json_close_map(&writer->json);
  out_json_close_map(&writer->json);
}

static void put_processes(struct writer *writer)
{
  const struct out_profile *profile = &writer->timeline->stats->profile;
  for (uint32_t i = 0; i < writer->timeline->processes.count; i++) {
    const struct out_timeline_process *process = out_timeline_process(writer->timeline, i);
    const struct out_recording_info *info = out_profile_recording(profile, process->recording);
    out_text_printf(&writer->text, "%s", out_profile_string(profile, info->program));
    put_metadata(writer, "process_name", process->id, 0, 0);
    put_metadata(writer, "process_sort_index", process->id, 0, i);
  }
}

/* Replicas of stages come first, in the order of the pipeline. */
static uint64_t row_order(const struct out_timeline *timeline, const struct out_timeline_row *row)
{
  const uint64_t others = UINT64_C(1) << 30;
  const struct out_known_stage *stage = out_profile_stage(&timeline->stats->profile, row->stage);
  uint64_t place = (uint64_t)stage->pipeline * 65536 + (uint64_t)stage->index * 1024 + row->replica;
  return row->stage && place < others ? place : others + row->thread;
}

static void put_rows(struct writer *writer)
{
  for (uint32_t i = 0; i < writer->timeline->rows.count; i++) {
    const struct out_timeline_row *row = out_timeline_row(writer->timeline, i);
    uint32_t process = out_timeline_process(writer->timeline, row->process)->id;
    out_timeline_row_name(writer->timeline, row, &writer->text);
    put_metadata(writer, "thread_name", process, row->id, 0);
    put_metadata(writer, "thread_sort_index", process, row->id, row_order(writer->timeline, row));
  }
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void put_source(struct writer *writer, const struct out_timeline_span *shown)
{
  const struct out_profile *profile = &writer->timeline->stats->profile;
  const struct out_callable *code = out_profile_callable(profile, out_timeline_code(writer->timeline, shown));
  const struct out_known_function *function = out_profile_function(profile, code->function);
  out_timeline_signature(writer->timeline, shown, &writer->text);
  if (writer->text.length)
    put_text(writer, "signature");
  if (function->line) {
    out_text_printf(&writer->text, "%s:%u", out_profile_string(profile, function->file), function->line);
    put_text(writer, "source");
  }
  const char *stage = out_timeline_stage(writer->timeline, shown);
  if (stage)
    out_json_key_string(&writer->json, "stage", stage);
}

static void put_arguments(struct writer *writer, const struct out_timeline_span *shown, enum out_shown_kind kind)
{
  const struct out_span *span = out_profile_span(&writer->timeline->stats->profile, shown->span);
  out_json_key(&writer->json, "args");
  out_json_open_map(&writer->json);
  if (kind == OUT_SHOWN_CALL || kind == OUT_SHOWN_TASK)
    put_source(writer, shown);
  if (kind == OUT_SHOWN_TASK && !span->open) {
    out_json_key(&writer->json, "failed");
    out_json_bool(&writer->json, span->value != 0);
  }
  if (kind == OUT_SHOWN_WAIT)
    out_json_key_integer(&writer->json, "items", span->value);
  if (span->item)
    out_json_key_integer(&writer->json, "item", span->item);
  if (span->open) {
    out_json_key(&writer->json, "open");
    out_json_bool(&writer->json, true);
  }
  out_json_close_map(&writer->json);
}

static void put_span(struct writer *writer, const struct out_timeline_span *shown)
{
  static const char *const categories[] = {"function", "task", "wait", "event", "span"};
  enum out_shown_kind kind = out_timeline_kind(writer->timeline, shown);
  const struct out_timeline_row *row = out_timeline_row(writer->timeline, shown->row);
  open_event(writer, kind == OUT_SHOWN_EVENT ? "i" : "X", out_timeline_process(writer->timeline, row->process)->id,
             row->id);
  out_timeline_name(writer->timeline, shown, &writer->text);
  put_text(writer, "name");
  out_json_key_string(&writer->json, "cat", categories[kind]);
  put_time(writer, "ts", shown->start);
  if (kind == OUT_SHOWN_EVENT)
    out_json_key_string(&writer->json, "s", "t");
  else
    put_time(writer, "dur", shown->end - shown->start);
  if (kind == OUT_SHOWN_WAIT)
    out_json_key_string(&writer->json, "cname", "grey");
  put_arguments(writer, shown, kind);
  out_json_close_map(&writer->json);
}

/* A range may begin and end anywhere: the format has a pair of events for it, joined by a number. */
static void put_range(struct writer *writer, const struct out_timeline_span *shown)
{
  const struct out_profile *profile = &writer->timeline->stats->profile;
  const struct out_span *span = out_profile_span(profile, shown->span);
  const struct out_known_thread *thread = out_profile_thread(profile, span->thread);
  for (int end = 0; end < 2; end++) {
    open_event(writer, end ? "e" : "b", out_timeline_process(writer->timeline, thread->recording)->id, thread->tid);
    out_timeline_name(writer->timeline, shown, &writer->text);
    put_text(writer, "name");
    out_json_key_string(&writer->json, "cat", "span");
    out_json_key_integer(&writer->json, "id", shown->span + UINT64_C(1));
    put_time(writer, "ts", end ? shown->end : shown->start);
    out_json_close_map(&writer->json);
  }
}

/* How many items a queue holds, from then on. */
static void put_level(struct writer *writer, const struct out_timeline_span *shown)
{
  const struct out_profile *profile = &writer->timeline->stats->profile;
  const struct out_span *span = out_profile_span(profile, shown->span);
  const struct out_timeline_row *row = out_timeline_row(writer->timeline, shown->row);
  open_event(writer, "C", out_timeline_process(writer->timeline, row->process)->id, 0);
  out_text_printf(&writer->text, "queue %s", out_profile_string(profile, span->what));
  put_text(writer, "name");
  put_time(writer, "ts", shown->end);
  out_json_key(&writer->json, "args");
  out_json_open_map(&writer->json);
  out_json_key_integer(&writer->json, "items", span->value);
  out_json_close_map(&writer->json);
  out_json_close_map(&writer->json);
}

/* What the program counted. */
static int put_counters(struct writer *writer)
{
  struct base_vector tracks;
  int result = out_counter_tracks(writer->timeline, &tracks);
  for (uint32_t i = 0; i < tracks.count && result == 0; i++) {
    const struct out_counter_track *track = base_vector_at(&tracks, i);
    double sum = 0, value;
    uint64_t time;
    for (unsigned slot = 0; slot < FMT_COUNTER_SLOTS; slot++) {
      if (!out_counter_track_value(writer->timeline, track, slot, &sum, &time, &value))
        continue;
      open_event(writer, "C", out_timeline_process(writer->timeline, track->process)->id, 0);
      out_counter_track_name(writer->timeline, track, &writer->text);
      put_text(writer, "name");
      put_time(writer, "ts", time);
      out_json_key(&writer->json, "args");
      out_json_open_map(&writer->json);
      out_json_key_number(&writer->json, track->is_level ? "value" : "sum", value);
      out_json_close_map(&writer->json);
      out_json_close_map(&writer->json);
    }
  }
  base_vector_free(&tracks);
  return result;
}

/* The ways of items through the pipeline: arrows from each task of an item to the next. */
static void put_flows(struct writer *writer)
{
  const struct out_timeline *timeline = writer->timeline;
  uint64_t flow = 0;
  for (uint32_t i = 0; i < timeline->steps.count; i++) {
    bool from_before = out_timeline_goes_on(timeline, i), goes_on = out_timeline_goes_on(timeline, i + 1);
    if (!from_before)
      flow++;
    if (!from_before && !goes_on)
      continue;
    const struct out_timeline_step *step = base_vector_at(&timeline->steps, i);
    const struct out_timeline_row *row = out_timeline_row(timeline, out_timeline_span(timeline, step->span)->row);
    open_event(writer,
               !from_before ? "s"
               : goes_on    ? "t"
                            : "f",
               out_timeline_process(timeline, row->process)->id, row->id);
    out_json_key_string(&writer->json, "name", "item");
    out_json_key_string(&writer->json, "cat", "item");
    out_json_key_integer(&writer->json, "id", flow);
    put_time(writer, "ts", step->start);
    if (from_before && !goes_on)
      out_json_key_string(&writer->json, "bp", "e");
    out_json_close_map(&writer->json);
  }
}

static int put_all(struct writer *writer)
{
  const struct out_timeline *timeline = writer->timeline;
  out_json_open_map(&writer->json);
  out_json_key_string(&writer->json, "displayTimeUnit", "ns");
  out_json_key(&writer->json, "otherData");
  out_json_open_map(&writer->json);
  out_json_key_string(&writer->json, "recorder", "callsig");
  out_json_key_integer(&writer->json, "overwritten", timeline->stats->profile.overwritten);
  out_json_close_map(&writer->json);
  out_json_key(&writer->json, "traceEvents");
  out_json_open_array(&writer->json);
  put_processes(writer);
  put_rows(writer);
  for (uint32_t i = 0; i < timeline->spans.count; i++) {
    const struct out_timeline_span *shown = out_timeline_span(timeline, i);
    if (shown->row == FMT_NONE) {
      put_range(writer, shown);
      continue;
    }
    put_span(writer, shown);
    if (out_timeline_kind(timeline, shown) == OUT_SHOWN_WAIT)
      put_level(writer, shown);
  }
  put_flows(writer);
  int result = put_counters(writer);
  out_json_close_array(&writer->json);
  out_json_close_map(&writer->json);
  return result;
}

int out_export_chrome(const struct out_export *export)
{
  struct out_timeline timeline;
  struct writer writer = {.timeline = &timeline};
  int result = out_timeline_make(export->stats, &timeline);
  if (result == 0)
    result = out_json_begin(&writer.json, export->out);
  if (result == 0) {
    result = put_all(&writer);
    if (writer.text.failed)
      result = -ENOMEM;
    int ended = out_json_end(&writer.json);
    result = result ? result : ended;
  }
  out_text_free(&writer.text);
  out_timeline_free(&timeline);
  return result;
}
