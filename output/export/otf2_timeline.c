/* The timeline in an OTF2 archive: calls, tasks and waits are entered and left, events and ranges are markers. */
#include <errno.h>

#include "output/export/counter_tracks.h"
#include "output/export/otf2_archive.h"
#include "output/export/timeline.h"

struct writer {
  struct out_otf2_archive *archive;
  struct out_timeline *timeline;
  struct base_vector groups; /* OTF2_LocationGroupRef, by process */
  struct base_vector open;   /* struct entered, the innermost last */
};

/* A span that is entered and not left yet. */
struct entered {
  OTF2_RegionRef region;
  uint64_t end;
  bool is_wait;
  OTF2_MetricRef queue; /* of a wait: the items in its queue */
  uint64_t items;       /* when it ended */
};

static OTF2_LocationGroupRef group_of(const struct writer *writer, uint32_t process)
{
  return *(const OTF2_LocationGroupRef *)base_vector_at(&writer->groups, process);
}

static int put_processes(struct writer *writer)
{
  const struct out_profile *profile = &writer->archive->stats->profile;
  struct out_text *text = &writer->archive->text;
  for (uint32_t i = 0; i < writer->timeline->processes.count; i++) {
    const struct out_timeline_process *process = out_timeline_process(writer->timeline, i);
    OTF2_LocationGroupRef *group = base_vector_add(&writer->groups, 1);
    if (!group)
      return -ENOMEM;
    const struct out_recording_info *info = out_profile_recording(profile, process->recording);
    out_text_clear(text);
    out_text_printf(text, "%s (%u)", out_profile_string(profile, info->program), process->id);
    *group = out_otf2_group(writer->archive, out_text_string(text));
  }
  return 0;
}

/* The region of a span: a call with its signature, a task with its text, or a wait. */
static OTF2_RegionRef region_of(struct writer *writer, const struct out_timeline_span *span)
{
  const struct out_profile *profile = &writer->archive->stats->profile;
  struct out_otf2_definitions *definitions = &writer->archive->definitions;
  struct out_text *text = &writer->archive->text;
  const enum out_shown_kind kind = out_timeline_kind(writer->timeline, span);
  const uint32_t code = out_timeline_code(writer->timeline, span);
  struct out_otf2_region region = {.role = OTF2_REGION_ROLE_FUNCTION};
  out_text_clear(text);
  out_timeline_name(writer->timeline, span, text);
  region.function = out_otf2_string(definitions, out_text_string(text));
  out_text_clear(text);
  out_timeline_signature(writer->timeline, span, text);
  if (!text->length)
    out_timeline_name(writer->timeline, span, text);
  if (text->failed)
    definitions->result = -ENOMEM;
  region.name = out_otf2_string(definitions, out_text_string(text));
  const struct out_known_function *function =
      code == FMT_NONE ? NULL : out_profile_function(profile, out_profile_callable(profile, code)->function);
  region.file =
      out_otf2_string(definitions, function && function->line ? out_profile_string(profile, function->file) : "");
  region.line = function ? function->line : 0;
  if (kind == OUT_SHOWN_TASK)
    region.role = OTF2_REGION_ROLE_TASK;
  else if (kind == OUT_SHOWN_WAIT)
    region.role = OTF2_REGION_ROLE_TASK_WAIT;
  return out_otf2_region(definitions, &region);
}

/* How many items a queue held when a wait for it had ended. */
static void put_level(struct out_otf2_archive *archive, const struct entered *wait)
{
  const OTF2_Type type = OTF2_TYPE_UINT64;
  const OTF2_MetricValue value = {.unsigned_int = wait->items};
  out_otf2_event(archive, OTF2_EvtWriter_Metric(archive->events, NULL, wait->end, wait->queue, 1, &type, &value),
                 wait->end);
}

/* Leaves the spans that have ended by then. */
static void leave_until(struct writer *writer, uint64_t time)
{
  struct out_otf2_archive *archive = writer->archive;
  while (writer->open.count) {
    const struct entered *last = base_vector_at(&writer->open, writer->open.count - 1);
    if (last->end > time)
      return;
    out_otf2_event(archive, OTF2_EvtWriter_Leave(archive->events, NULL, last->end, last->region), last->end);
    if (last->is_wait)
      put_level(archive, last);
    writer->open.count--;
  }
}

static int put_span(struct writer *writer, const struct out_timeline_span *shown)
{
  struct out_otf2_archive *archive = writer->archive;
  const struct out_profile *profile = &archive->stats->profile;
  const struct out_span *span = out_profile_span(profile, shown->span);
  leave_until(writer, shown->start);
  struct entered *entered = base_vector_add(&writer->open, 1);
  if (!entered)
    return -ENOMEM;
  *entered = (struct entered){.region = region_of(writer, shown),
                              .end = shown->end,
                              .is_wait = out_timeline_kind(writer->timeline, shown) == OUT_SHOWN_WAIT,
                              .items = span->value};
  if (entered->is_wait) {
    out_text_clear(&archive->text);
    out_text_printf(&archive->text, "queue %s", out_profile_string(profile, span->what));
    entered->queue = out_otf2_metric(&archive->definitions, out_text_string(&archive->text), true);
  }
  out_otf2_event(archive, OTF2_EvtWriter_Enter(archive->events, NULL, shown->start, entered->region), shown->start);
  return archive->definitions.result;
}

/* The spans of one row from `*at` on, which is moved behind them. */
static int put_row(struct writer *writer, uint32_t number, uint32_t *at)
{
  const struct out_timeline *timeline = writer->timeline;
  const struct out_timeline_row *row = out_timeline_row(timeline, number);
  struct out_otf2_archive *archive = writer->archive;
  int result = 0;
  out_otf2_open_location(archive);
  for (; *at < timeline->spans.count && out_timeline_span(timeline, *at)->row == number && result == 0; ++*at) {
    const struct out_timeline_span *span = out_timeline_span(timeline, *at);
    if (out_timeline_kind(timeline, span) == OUT_SHOWN_EVENT || archive->definitions.result < 0)
      continue;
    result = put_span(writer, span);
  }
  leave_until(writer, UINT64_MAX);
  out_text_clear(&archive->text);
  out_timeline_row_name(timeline, row, &archive->text);
  out_otf2_close_location(archive, out_text_string(&archive->text), OTF2_LOCATION_TYPE_CPU_THREAD,
                          group_of(writer, row->process));
  return result;
}

/* What the program counted: a location of its own for each process, as the times are the process's. */
static int put_counters(struct writer *writer)
{
  struct out_otf2_archive *archive = writer->archive;
  struct base_vector tracks;
  int result = out_counter_tracks(writer->timeline, &tracks);
  for (uint32_t i = 0; i < tracks.count && result == 0; i++) {
    const struct out_counter_track *track = base_vector_at(&tracks, i);
    const OTF2_Type type = OTF2_TYPE_DOUBLE;
    double sum = 0;
    uint64_t time;
    OTF2_MetricValue value;
    out_text_clear(&archive->text);
    out_counter_track_name(writer->timeline, track, &archive->text);
    const OTF2_MetricRef metric = out_otf2_metric(&archive->definitions, out_text_string(&archive->text), false);
    out_otf2_open_location(archive);
    for (unsigned slot = 0; slot < FMT_COUNTER_SLOTS && archive->definitions.result == 0; slot++) {
      if (out_counter_track_value(writer->timeline, track, slot, &sum, &time, &value.floating_point))
        out_otf2_event(archive, OTF2_EvtWriter_Metric(archive->events, NULL, time, metric, 1, &type, &value), time);
    }
    out_otf2_close_location(archive, out_text_string(&archive->text), OTF2_LOCATION_TYPE_METRIC,
                            group_of(writer, track->process));
    result = archive->definitions.result;
  }
  base_vector_free(&tracks);
  return result;
}

/* An event is a marker of its thread, a range one of its process, with its duration. */
static void put_marker(struct writer *writer, OTF2_MarkerWriter *markers, const struct out_timeline_span *span)
{
  struct out_otf2_archive *archive = writer->archive;
  const struct out_profile *profile = &archive->stats->profile;
  const bool is_range = span->row == FMT_NONE;
  const uint32_t recording = out_profile_thread(profile, out_profile_span(profile, span->span)->thread)->recording;
  uint64_t scope = span->row; /* rows are the first locations */
  for (uint32_t i = 0; is_range && i < writer->timeline->processes.count; i++) {
    if (out_timeline_process(writer->timeline, i)->recording == recording)
      scope = group_of(writer, i);
  }
  out_text_clear(&archive->text);
  out_timeline_name(writer->timeline, span, &archive->text);
  out_otf2_check(&archive->definitions,
                 OTF2_MarkerWriter_WriteMarker(markers, span->start, is_range ? span->end - span->start : 0,
                                               is_range ? 1 : 0,
                                               is_range ? OTF2_MARKER_SCOPE_LOCATION_GROUP : OTF2_MARKER_SCOPE_LOCATION,
                                               scope, out_text_string(&archive->text)));
  archive->end = span->end > archive->end ? span->end : archive->end;
  archive->marker_count++;
}

static void put_markers(struct writer *writer)
{
  struct out_otf2_archive *archive = writer->archive;
  OTF2_MarkerWriter *markers = OTF2_Archive_GetMarkerWriter(archive->archive);
  if (!markers) {
    out_otf2_check(&archive->definitions, OTF2_ERROR_FILE_INTERACTION);
    return;
  }
  out_otf2_check(&archive->definitions,
                 OTF2_MarkerWriter_WriteDefMarker(markers, 0, "callsig", "event", OTF2_SEVERITY_LOW));
  out_otf2_check(&archive->definitions,
                 OTF2_MarkerWriter_WriteDefMarker(markers, 1, "callsig", "span", OTF2_SEVERITY_LOW));
  for (uint32_t i = 0; i < writer->timeline->spans.count && archive->definitions.result == 0; i++) {
    const struct out_timeline_span *span = out_timeline_span(writer->timeline, i);
    if (span->row == FMT_NONE || out_timeline_kind(writer->timeline, span) == OUT_SHOWN_EVENT)
      put_marker(writer, markers, span);
  }
  out_otf2_check(&archive->definitions, OTF2_Archive_CloseMarkerWriter(archive->archive, markers));
  archive->marker_count += 2; /* the definitions, which a reader counts, too */
}

int out_otf2_put_timeline(struct out_otf2_archive *archive)
{
  struct out_timeline timeline;
  struct writer writer = {.archive = archive,
                          .timeline = &timeline,
                          .groups = BASE_VECTOR_OF(OTF2_LocationGroupRef),
                          .open = BASE_VECTOR_OF(struct entered)};
  int result = out_timeline_make(archive->stats, &timeline);
  if (result == 0)
    result = put_processes(&writer);
  for (uint32_t row = 0, at = 0; row < timeline.rows.count && result == 0; row++)
    result = put_row(&writer, row, &at);
  if (result == 0)
    put_markers(&writer);
  if (result == 0)
    result = put_counters(&writer);
  base_vector_free(&writer.groups);
  base_vector_free(&writer.open);
  out_timeline_free(&timeline);
  return result < 0 ? result : archive->definitions.result;
}
