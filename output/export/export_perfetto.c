/*
 * Perfetto's trace (perfetto.proto): for ui.perfetto.dev and trace_processor.
 *
 * A track is a row of the timeline, whose slices are written as they begin and end; a queue's level is a counter track;
 * a range, which need not nest, has a track of its own. Each packet is a Trace message of one packet, and all of them
 * one after the other are the whole.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/export/counter_tracks.h"
#include "output/export/export.h"
#include "output/export/timeline.h"
#include "perfetto.pb-c.h"

typedef Callsig__Perfetto__TracePacket packet_message;
typedef Callsig__Perfetto__TrackEvent event_message;
typedef Callsig__Perfetto__TrackDescriptor track_message;
typedef Callsig__Perfetto__DebugAnnotation annotation_message;

enum { MAX_ANNOTATIONS = 8 };

/* A queue's counter track. */
struct counter {
  uint32_t process, label; /* in the timeline's processes; a string */
};

struct writer {
  const struct out_export *export;
  struct out_timeline *timeline;
  struct base_vector counters; /* struct counter */
  struct out_idset counter_set;
  uint32_t *flows; /* by span of the timeline: the number of its item's way, 0 for none; its top bit: it ends here */
  struct base_vector open; /* uint32_t: the spans that are open where a row's walk stands */
  struct out_text name, signature, source;
  struct out_packed packed;
  bool begun;
  int result; /* of everything so far */
};

#define LAST_STEP (UINT32_C(1) << 31)

/* Tracks are numbered: processes, then rows, then queues, then ranges, then counters. 0 is no track. */
static uint64_t process_track(uint32_t process)
{
  return UINT64_C(1) << 32 | process;
}

static uint64_t row_track(uint32_t row)
{
  return UINT64_C(2) << 32 | row;
}

static uint64_t counter_track(uint32_t counter)
{
  return UINT64_C(3) << 32 | counter;
}

static uint64_t range_track(uint32_t span)
{
  return UINT64_C(4) << 32 | span;
}

static uint64_t counted_track(uint32_t number)
{
  return UINT64_C(5) << 32 | number;
}

/* Has a text found no memory since it was begun? */
static bool lacks_memory(const struct writer *writer)
{
  return writer->name.failed || writer->signature.failed || writer->source.failed;
}

static void put_packet(struct writer *writer, packet_message *packet)
{
  packet_message *packets[] = {packet};
  Callsig__Perfetto__Trace trace = CALLSIG__PERFETTO__TRACE__INIT;
  trace.n_packet = 1;
  trace.packet = packets;
  packet->has_trusted_packet_sequence_id = 1;
  packet->trusted_packet_sequence_id = 1;
  packet->has_sequence_flags = !writer->begun;
  packet->sequence_flags = 1;
  if (writer->result == 0 && lacks_memory(writer))
    writer->result = -ENOMEM;
  if (writer->result < 0)
    return;
  size_t size = callsig__perfetto__trace__get_packed_size(&trace);
  writer->result = out_packed_room(&writer->packed, size);
  if (writer->result < 0)
    return;
  callsig__perfetto__trace__pack(&trace, writer->packed.bytes);
  writer->result = out_export_write(writer->export, writer->packed.bytes, size);
  writer->begun = true;
}

/* The text's content, which packing only reads. */
static char *text_of(struct out_text *text)
{
  return (char *)(uintptr_t)out_text_string(text);
}

/* ---- tracks ---- */

static void put_track(struct writer *writer, track_message *track, uint64_t number, uint64_t parent)
{
  packet_message packet = CALLSIG__PERFETTO__TRACE_PACKET__INIT;
  track->has_uuid = 1;
  track->uuid = number;
  track->has_parent_uuid = parent != 0;
  track->parent_uuid = parent;
  packet.track_descriptor = track;
  put_packet(writer, &packet);
}

static void put_processes(struct writer *writer)
{
  const struct out_profile *profile = &writer->timeline->stats->profile;
  for (uint32_t i = 0; i < writer->timeline->processes.count; i++) {
    const struct out_timeline_process *process = out_timeline_process(writer->timeline, i);
    track_message track = CALLSIG__PERFETTO__TRACK_DESCRIPTOR__INIT;
    Callsig__Perfetto__ProcessDescriptor descriptor = CALLSIG__PERFETTO__PROCESS_DESCRIPTOR__INIT;
    out_text_clear(&writer->name);
    out_text_puts(&writer->name,
                  out_profile_string(profile, out_profile_recording(profile, process->recording)->program));
    descriptor.has_pid = 1;
    descriptor.pid = (int32_t)process->id;
    descriptor.process_name = text_of(&writer->name);
    track.process = &descriptor;
    put_track(writer, &track, process_track(i), 0);
  }
}

static void put_rows(struct writer *writer)
{
  for (uint32_t i = 0; i < writer->timeline->rows.count; i++) {
    const struct out_timeline_row *row = out_timeline_row(writer->timeline, i);
    track_message track = CALLSIG__PERFETTO__TRACK_DESCRIPTOR__INIT;
    Callsig__Perfetto__ThreadDescriptor descriptor = CALLSIG__PERFETTO__THREAD_DESCRIPTOR__INIT;
    out_text_clear(&writer->name);
    out_timeline_row_name(writer->timeline, row, &writer->name);
    descriptor.has_pid = descriptor.has_tid = 1;
    descriptor.pid = (int32_t)out_timeline_process(writer->timeline, row->process)->id;
    descriptor.tid = (int32_t)row->id;
    descriptor.thread_name = text_of(&writer->name);
    track.thread = &descriptor;
    put_track(writer, &track, row_track(i), process_track(row->process));
  }
}

static bool equal_counter(const void *owner, uint32_t number, const void *key)
{
  const struct writer *writer = owner;
  return memcmp(base_vector_at(&writer->counters, number), key, sizeof(struct counter)) == 0;
}

/* The counter track of a queue, described when it is first met. */
static uint64_t find_counter(struct writer *writer, uint32_t process, uint32_t label)
{
  struct counter key = {.process = process, .label = label};
  uint64_t hash = out_hash_mix(process, label);
  uint32_t number = out_idset_find(&writer->counter_set, hash, writer, &key, equal_counter);
  if (number != FMT_NONE)
    return counter_track(number);
  struct counter *added = base_vector_add(&writer->counters, 1);
  number = writer->counters.count - 1;
  if (!added || out_idset_add(&writer->counter_set, hash, number) < 0) {
    writer->result = -ENOMEM;
    return 0;
  }
  *added = key;
  track_message track = CALLSIG__PERFETTO__TRACK_DESCRIPTOR__INIT;
  Callsig__Perfetto__CounterDescriptor descriptor = CALLSIG__PERFETTO__COUNTER_DESCRIPTOR__INIT;
  char unit[] = "items";
  out_text_clear(&writer->name);
  out_text_printf(&writer->name, "queue %s", out_profile_string(&writer->timeline->stats->profile, label));
  track.name = text_of(&writer->name);
  descriptor.unit_name = unit;
  track.counter = &descriptor;
  put_track(writer, &track, counter_track(number), process_track(process));
  return counter_track(number);
}

/* ---- events ---- */

static void put_event(struct writer *writer, event_message *event, Callsig__Perfetto__TrackEvent__Type type,
                      uint64_t track, uint64_t time)
{
  packet_message packet = CALLSIG__PERFETTO__TRACE_PACKET__INIT;
  event->has_type = 1;
  event->type = type;
  event->has_track_uuid = 1;
  event->track_uuid = track;
  packet.has_timestamp = 1;
  packet.timestamp = time;
  packet.track_event = event;
  put_packet(writer, &packet);
}

/* What is told of one span. */
struct annotations {
  annotation_message list[MAX_ANNOTATIONS];
  annotation_message *pointers[MAX_ANNOTATIONS];
  size_t count;
};

static annotation_message *annotate(struct annotations *annotations, const char *name)
{
  annotation_message *annotation = &annotations->list[annotations->count];
  callsig__perfetto__debug_annotation__init(annotation);
  annotation->name = (char *)(uintptr_t)name;
  annotations->pointers[annotations->count++] = annotation;
  return annotation;
}

static void annotate_text(struct annotations *annotations, const char *name, const char *value)
{
  annotate(annotations, name)->string_value = (char *)(uintptr_t)value;
}

static void annotate_number(struct annotations *annotations, const char *name, uint64_t value)
{
  annotation_message *annotation = annotate(annotations, name);
  annotation->has_uint_value = 1;
  annotation->uint_value = value;
}

static void annotate_bool(struct annotations *annotations, const char *name, bool value)
{
  annotation_message *annotation = annotate(annotations, name);
  annotation->has_bool_value = 1;
  annotation->bool_value = value;
}

static void describe_call(struct writer *writer, const struct out_timeline_span *shown, struct annotations *annotations)
{
  const struct out_profile *profile = &writer->timeline->stats->profile;
  const struct out_callable *code = out_profile_callable(profile, out_timeline_code(writer->timeline, shown));
  const struct out_known_function *function = out_profile_function(profile, code->function);
  out_text_clear(&writer->signature);
  out_timeline_signature(writer->timeline, shown, &writer->signature);
  if (writer->signature.length)
    annotate_text(annotations, "signature", out_text_string(&writer->signature));
  out_text_clear(&writer->source);
  if (function->line) {
    out_text_printf(&writer->source, "%s:%u", out_profile_string(profile, function->file), function->line);
    annotate_text(annotations, "source", out_text_string(&writer->source));
  }
  const char *stage = out_timeline_stage(writer->timeline, shown);
  if (stage)
    annotate_text(annotations, "stage", stage);
}

static void describe(struct writer *writer, const struct out_timeline_span *shown, enum out_shown_kind kind,
                     struct annotations *annotations)
{
  const struct out_span *span = out_profile_span(&writer->timeline->stats->profile, shown->span);
  if (kind == OUT_SHOWN_CALL || kind == OUT_SHOWN_TASK)
    describe_call(writer, shown, annotations);
  if (kind == OUT_SHOWN_TASK && !span->open)
    annotate_bool(annotations, "failed", span->value != 0);
  if (kind == OUT_SHOWN_WAIT)
    annotate_number(annotations, "items", span->value);
  if (span->item)
    annotate_number(annotations, "item", span->item);
  if (span->open)
    annotate_bool(annotations, "open", true);
}

/* The beginning of a slice, or an instant, with all there is to tell. */
static void put_begin(struct writer *writer, uint32_t number, uint64_t track)
{
  static const char *const categories[] = {"function", "task", "wait", "event", "span"};
  const struct out_timeline_span *shown = out_timeline_span(writer->timeline, number);
  enum out_shown_kind kind = out_timeline_kind(writer->timeline, shown);
  event_message event = CALLSIG__PERFETTO__TRACK_EVENT__INIT;
  struct annotations annotations = {.count = 0};
  char *category = (char *)(uintptr_t)categories[kind];
  uint64_t flow = writer->flows[number] & ~LAST_STEP;
  out_text_clear(&writer->name);
  out_timeline_name(writer->timeline, shown, &writer->name);
  describe(writer, shown, kind, &annotations);
  event.name = text_of(&writer->name);
  event.n_categories = 1;
  event.categories = &category;
  event.n_debug_annotations = annotations.count;
  event.debug_annotations = annotations.pointers;
  if (flow && writer->flows[number] & LAST_STEP) {
    event.n_terminating_flow_ids = 1;
    event.terminating_flow_ids = &flow;
  } else if (flow) {
    event.n_flow_ids = 1;
    event.flow_ids = &flow;
  }
  put_event(writer, &event,
            kind == OUT_SHOWN_EVENT ? CALLSIG__PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT
                                    : CALLSIG__PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN,
            track, shown->start);
}

static void put_level(struct writer *writer, const struct out_timeline_span *shown)
{
  const struct out_span *span = out_profile_span(&writer->timeline->stats->profile, shown->span);
  event_message event = CALLSIG__PERFETTO__TRACK_EVENT__INIT;
  uint64_t track = find_counter(writer, out_timeline_row(writer->timeline, shown->row)->process, span->what);
  event.has_counter_value = 1;
  event.counter_value = (int32_t)span->value;
  put_event(writer, &event, CALLSIG__PERFETTO__TRACK_EVENT__TYPE__TYPE_COUNTER, track, shown->end);
}

static void put_end(struct writer *writer, uint32_t number, uint64_t track)
{
  const struct out_timeline_span *shown = out_timeline_span(writer->timeline, number);
  event_message event = CALLSIG__PERFETTO__TRACK_EVENT__INIT;
  put_event(writer, &event, CALLSIG__PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END, track, shown->end);
  if (out_timeline_kind(writer->timeline, shown) == OUT_SHOWN_WAIT)
    put_level(writer, shown);
}

/* Ends the slices of the row that are over before `time`. */
static void end_slices(struct writer *writer, uint64_t time, uint64_t track)
{
  while (writer->open.count) {
    uint32_t innermost = *(uint32_t *)base_vector_at(&writer->open, writer->open.count - 1);
    if (out_timeline_span(writer->timeline, innermost)->end > time)
      return;
    put_end(writer, innermost, track);
    writer->open.count--;
  }
}

static void put_range(struct writer *writer, uint32_t number)
{
  const struct out_profile *profile = &writer->timeline->stats->profile;
  const struct out_span *span = out_profile_span(profile, out_timeline_span(writer->timeline, number)->span);
  track_message track = CALLSIG__PERFETTO__TRACK_DESCRIPTOR__INIT;
  out_text_clear(&writer->name);
  out_text_puts(&writer->name, out_profile_string(profile, span->what));
  track.name = text_of(&writer->name);
  put_track(writer, &track, range_track(number), process_track(out_profile_thread(profile, span->thread)->recording));
  put_begin(writer, number, range_track(number));
  put_end(writer, number, range_track(number));
}

static void put_spans(struct writer *writer)
{
  uint32_t row = FMT_NONE;
  for (uint32_t i = 0; i < writer->timeline->spans.count && writer->result == 0; i++) {
    const struct out_timeline_span *shown = out_timeline_span(writer->timeline, i);
    if (row != shown->row && row != FMT_NONE)
      end_slices(writer, UINT64_MAX, row_track(row));
    row = shown->row;
    if (row == FMT_NONE) {
      put_range(writer, i);
      continue;
    }
    end_slices(writer, shown->start, row_track(row));
    put_begin(writer, i, row_track(row));
    if (out_timeline_kind(writer->timeline, shown) == OUT_SHOWN_EVENT)
      continue;
    uint32_t *open = base_vector_add(&writer->open, 1);
    if (!open) {
      writer->result = -ENOMEM;
      return;
    }
    *open = i;
  }
  if (row != FMT_NONE)
    end_slices(writer, UINT64_MAX, row_track(row));
}

/* What the program counted: the values of levels rounded. */
static int put_counters(struct writer *writer)
{
  struct base_vector tracks;
  int result = out_counter_tracks(writer->timeline, &tracks);
  for (uint32_t i = 0; i < tracks.count && result == 0; i++) {
    const struct out_counter_track *track = base_vector_at(&tracks, i);
    const uint64_t number = counted_track(i);
    track_message message = CALLSIG__PERFETTO__TRACK_DESCRIPTOR__INIT;
    Callsig__Perfetto__CounterDescriptor descriptor = CALLSIG__PERFETTO__COUNTER_DESCRIPTOR__INIT;
    double sum = 0, value;
    uint64_t time;
    out_text_clear(&writer->name);
    out_counter_track_name(writer->timeline, track, &writer->name);
    message.name = text_of(&writer->name);
    message.counter = &descriptor;
    put_track(writer, &message, number, process_track(track->process));
    for (unsigned slot = 0; slot < FMT_COUNTER_SLOTS; slot++) {
      if (!out_counter_track_value(writer->timeline, track, slot, &sum, &time, &value))
        continue;
      event_message event = CALLSIG__PERFETTO__TRACK_EVENT__INIT;
      event.has_counter_value = 1;
      event.counter_value = fabs(value) < 0x1p63 ? (int64_t)llround(value) : INT64_MAX;
      put_event(writer, &event, CALLSIG__PERFETTO__TRACK_EVENT__TYPE__TYPE_COUNTER, number, time);
    }
  }
  base_vector_free(&tracks);
  return result;
}

static int number_flows(struct writer *writer)
{
  const struct out_timeline *timeline = writer->timeline;
  uint32_t flow = 0;
  writer->flows = calloc(timeline->spans.count + 1u, sizeof *writer->flows);
  if (!writer->flows)
    return -ENOMEM;
  for (uint32_t i = 0; i < timeline->steps.count; i++) {
    const struct out_timeline_step *step = base_vector_at(&timeline->steps, i);
    bool from_before = out_timeline_goes_on(timeline, i), goes_on = out_timeline_goes_on(timeline, i + 1);
    flow += !from_before;
    if (from_before || goes_on)
      writer->flows[step->span] = flow | (goes_on ? 0 : LAST_STEP);
  }
  return 0;
}

int out_export_perfetto(const struct out_export *export)
{
  struct out_timeline timeline;
  struct writer writer = {.export = export,
                          .timeline = &timeline,
                          .counters = BASE_VECTOR_OF(struct counter),
                          .open = BASE_VECTOR_OF(uint32_t)};
  writer.result = out_timeline_make(export->stats, &timeline);
  if (writer.result == 0)
    writer.result = number_flows(&writer);
  if (writer.result == 0) {
    put_processes(&writer);
    put_rows(&writer);
    put_spans(&writer);
    const int counted = put_counters(&writer);
    writer.result = writer.result ? writer.result : counted;
  }
  out_text_free(&writer.name);
  out_text_free(&writer.signature);
  out_text_free(&writer.source);
  base_vector_free(&writer.counters);
  out_idset_free(&writer.counter_set);
  base_vector_free(&writer.open);
  free(writer.flows);
  free(writer.packed.bytes);
  out_timeline_free(&timeline);
  return writer.result;
}
