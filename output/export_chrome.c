/*
 * Chrome's trace event format, JSON: for chrome://tracing, ui.perfetto.dev and speedscope. "Trace Event Format", the
 * document of the Chromium project, says what the letters mean.
 */
#include <errno.h>
#include <stdio.h>

#include "export.h"
#include "json_writer.h"
#include "timeline.h"

struct writer {
  struct cs_timeline *timeline;
  struct cs_json json;
  struct cs_text text;
};

/* Microseconds, the format's unit; three decimals hold the nanoseconds. */
static void put_time(struct writer *writer, const char *key, uint64_t nanoseconds)
{
  cs_json_key_number(&writer->json, key, (double)nanoseconds / 1000);
}

static void put_text(struct writer *writer, const char *key)
{
  cs_json_key(&writer->json, key);
  cs_json_string(&writer->json, cs_text_string(&writer->text), writer->text.length);
  cs_text_clear(&writer->text);
}

static void open_event(struct writer *writer, const char *phase, uint32_t process, uint32_t thread)
{
  cs_json_open_map(&writer->json);
  cs_json_key_string(&writer->json, "ph", phase);
  cs_json_key_integer(&writer->json, "pid", process);
  cs_json_key_integer(&writer->json, "tid", thread);
}

/* An event that names a process or a row, or says where it is shown. The value is the writer's text, or a number. */
static void put_metadata(struct writer *writer, const char *what, uint32_t process, uint32_t thread, uint64_t order)
{
  open_event(writer, "M", process, thread);
  cs_json_key_string(&writer->json, "name", what);
  cs_json_key(&writer->json, "args");
  cs_json_open_map(&writer->json);
  if (writer->text.length)
    put_text(writer, "name");
  else
    cs_json_key_integer(&writer->json, "sort_index", order);
  cs_json_close_map(&writer->json);
  cs_json_close_map(&writer->json);
}

static void put_processes(struct writer *writer)
{
  const struct cs_profile *profile = &writer->timeline->stats->profile;
  for (uint32_t i = 0; i < writer->timeline->processes.count; i++) {
    const struct cs_timeline_process *process = cs_timeline_process(writer->timeline, i);
    const struct cs_recording_info *info = cs_profile_recording(profile, process->recording);
    cs_text_printf(&writer->text, "%s", cs_profile_string(profile, info->program));
    put_metadata(writer, "process_name", process->id, 0, 0);
    put_metadata(writer, "process_sort_index", process->id, 0, i);
  }
}

/* Replicas of stages come first, in the order of the pipeline. */
static uint64_t row_order(const struct cs_timeline *timeline, const struct cs_timeline_row *row)
{
  const uint64_t others = UINT64_C(1) << 30;
  const struct cs_known_stage *stage = cs_profile_stage(&timeline->stats->profile, row->stage);
  uint64_t place = (uint64_t)stage->pipeline * 65536 + (uint64_t)stage->index * 1024 + row->replica;
  return row->stage && place < others ? place : others + row->thread;
}

static void put_rows(struct writer *writer)
{
  for (uint32_t i = 0; i < writer->timeline->rows.count; i++) {
    const struct cs_timeline_row *row = cs_timeline_row(writer->timeline, i);
    uint32_t process = cs_timeline_process(writer->timeline, row->process)->id;
    cs_timeline_row_name(writer->timeline, row, &writer->text);
    put_metadata(writer, "thread_name", process, row->id, 0);
    put_metadata(writer, "thread_sort_index", process, row->id, row_order(writer->timeline, row));
  }
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void put_source(struct writer *writer, const struct cs_timeline_span *shown)
{
  const struct cs_profile *profile = &writer->timeline->stats->profile;
  const struct cs_code *code = cs_profile_code(profile, cs_timeline_code(writer->timeline, shown));
  const struct cs_known_function *function = cs_profile_function(profile, code->function);
  cs_timeline_signature(writer->timeline, shown, &writer->text);
  if (writer->text.length)
    put_text(writer, "signature");
  if (function->line) {
    cs_text_printf(&writer->text, "%s:%u", cs_profile_string(profile, function->file), function->line);
    put_text(writer, "source");
  }
  const char *stage = cs_timeline_stage(writer->timeline, shown);
  if (stage)
    cs_json_key_string(&writer->json, "stage", stage);
}

static void put_arguments(struct writer *writer, const struct cs_timeline_span *shown, enum cs_shown_kind kind)
{
  const struct cs_span *span = cs_profile_span(&writer->timeline->stats->profile, shown->span);
  cs_json_key(&writer->json, "args");
  cs_json_open_map(&writer->json);
  if (kind == CS_SHOWN_CALL || kind == CS_SHOWN_TASK)
    put_source(writer, shown);
  if (kind == CS_SHOWN_TASK && !span->open) {
    cs_json_key(&writer->json, "failed");
    cs_json_bool(&writer->json, span->value != 0);
  }
  if (kind == CS_SHOWN_WAIT)
    cs_json_key_integer(&writer->json, "items", span->value);
  if (span->item)
    cs_json_key_integer(&writer->json, "item", span->item);
  if (span->open) {
    cs_json_key(&writer->json, "open");
    cs_json_bool(&writer->json, true);
  }
  cs_json_close_map(&writer->json);
}

static void put_span(struct writer *writer, const struct cs_timeline_span *shown)
{
  static const char *const categories[] = {"function", "task", "wait", "event", "span"};
  enum cs_shown_kind kind = cs_timeline_kind(writer->timeline, shown);
  const struct cs_timeline_row *row = cs_timeline_row(writer->timeline, shown->row);
  open_event(writer, kind == CS_SHOWN_EVENT ? "i" : "X", cs_timeline_process(writer->timeline, row->process)->id,
             row->id);
  cs_timeline_name(writer->timeline, shown, &writer->text);
  put_text(writer, "name");
  cs_json_key_string(&writer->json, "cat", categories[kind]);
  put_time(writer, "ts", shown->start);
  if (kind == CS_SHOWN_EVENT)
    cs_json_key_string(&writer->json, "s", "t");
  else
    put_time(writer, "dur", shown->end - shown->start);
  if (kind == CS_SHOWN_WAIT)
    cs_json_key_string(&writer->json, "cname", "grey");
  put_arguments(writer, shown, kind);
  cs_json_close_map(&writer->json);
}

/* A range may begin and end anywhere: the format has a pair of events for it, joined by a number. */
static void put_range(struct writer *writer, const struct cs_timeline_span *shown)
{
  const struct cs_profile *profile = &writer->timeline->stats->profile;
  const struct cs_span *span = cs_profile_span(profile, shown->span);
  const struct cs_known_thread *thread = cs_profile_thread(profile, span->thread);
  for (int end = 0; end < 2; end++) {
    open_event(writer, end ? "e" : "b", cs_timeline_process(writer->timeline, thread->recording)->id, thread->tid);
    cs_timeline_name(writer->timeline, shown, &writer->text);
    put_text(writer, "name");
    cs_json_key_string(&writer->json, "cat", "span");
    cs_json_key_integer(&writer->json, "id", shown->span + UINT64_C(1));
    put_time(writer, "ts", end ? shown->end : shown->start);
    cs_json_close_map(&writer->json);
  }
}

/* How many items a queue holds, from then on. */
static void put_level(struct writer *writer, const struct cs_timeline_span *shown)
{
  const struct cs_profile *profile = &writer->timeline->stats->profile;
  const struct cs_span *span = cs_profile_span(profile, shown->span);
  const struct cs_timeline_row *row = cs_timeline_row(writer->timeline, shown->row);
  open_event(writer, "C", cs_timeline_process(writer->timeline, row->process)->id, 0);
  cs_text_printf(&writer->text, "queue %s", cs_profile_string(profile, span->what));
  put_text(writer, "name");
  put_time(writer, "ts", shown->end);
  cs_json_key(&writer->json, "args");
  cs_json_open_map(&writer->json);
  cs_json_key_integer(&writer->json, "items", span->value);
  cs_json_close_map(&writer->json);
  cs_json_close_map(&writer->json);
}

/* The ways of items through the pipeline: arrows from each task of an item to the next. */
static void put_flows(struct writer *writer)
{
  const struct cs_timeline *timeline = writer->timeline;
  uint64_t flow = 0;
  for (uint32_t i = 0; i < timeline->steps.count; i++) {
    bool from_before = cs_timeline_goes_on(timeline, i), goes_on = cs_timeline_goes_on(timeline, i + 1);
    if (!from_before)
      flow++;
    if (!from_before && !goes_on)
      continue;
    const struct cs_timeline_step *step = cs_vector_at(&timeline->steps, i);
    const struct cs_timeline_row *row = cs_timeline_row(timeline, cs_timeline_span(timeline, step->span)->row);
    open_event(writer,
               !from_before ? "s"
               : goes_on    ? "t"
                            : "f",
               cs_timeline_process(timeline, row->process)->id, row->id);
    cs_json_key_string(&writer->json, "name", "item");
    cs_json_key_string(&writer->json, "cat", "item");
    cs_json_key_integer(&writer->json, "id", flow);
    put_time(writer, "ts", step->start);
    if (from_before && !goes_on)
      cs_json_key_string(&writer->json, "bp", "e");
    cs_json_close_map(&writer->json);
  }
}

static void put_all(struct writer *writer)
{
  const struct cs_timeline *timeline = writer->timeline;
  cs_json_open_map(&writer->json);
  cs_json_key_string(&writer->json, "displayTimeUnit", "ns");
  cs_json_key(&writer->json, "otherData");
  cs_json_open_map(&writer->json);
  cs_json_key_string(&writer->json, "recorder", "callsig");
  cs_json_key_integer(&writer->json, "overwritten", timeline->stats->profile.overwritten);
  cs_json_close_map(&writer->json);
  cs_json_key(&writer->json, "traceEvents");
  cs_json_open_array(&writer->json);
  put_processes(writer);
  put_rows(writer);
  for (uint32_t i = 0; i < timeline->spans.count; i++) {
    const struct cs_timeline_span *shown = cs_timeline_span(timeline, i);
    if (shown->row == CS_NONE) {
      put_range(writer, shown);
      continue;
    }
    put_span(writer, shown);
    if (cs_timeline_kind(timeline, shown) == CS_SHOWN_WAIT)
      put_level(writer, shown);
  }
  put_flows(writer);
  cs_json_close_array(&writer->json);
  cs_json_close_map(&writer->json);
}

int cs_export_chrome(const struct cs_export *export)
{
  struct cs_timeline timeline;
  struct writer writer = {.timeline = &timeline};
  int result = cs_timeline_make(export->stats, &timeline);
  if (result == 0)
    result = cs_json_begin(&writer.json, export->out);
  if (result == 0) {
    put_all(&writer);
    result = writer.text.failed ? -ENOMEM : 0;
    int ended = cs_json_end(&writer.json);
    result = result ? result : ended;
  }
  cs_text_free(&writer.text);
  cs_timeline_free(&timeline);
  return result;
}
