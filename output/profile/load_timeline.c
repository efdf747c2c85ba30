/* Reads the spans of a thread's timeline. */
#include <errno.h>
#include <string.h>

#include "output/profile/load.h"

/* What a span is of, for out_span.what: FMT_NONE when the recording has no such record. */
static int find_what(struct out_loader *loader, const struct fmt_rec_span *record, uint32_t *what)
{
  *what = FMT_NONE;
  if (record->kind == FMT_SPAN_CALL || record->kind == FMT_SPAN_TASK) {
    uint32_t number = out_recording_known(loader->recording, &loader->edges, record->what);
    if (number != FMT_NONE && out_profile_edge(loader->profile, loader->first_edge + number)->to != FMT_NONE)
      *what = loader->first_edge + number;
  } else if (record->kind == FMT_SPAN_PUT || record->kind == FMT_SPAN_GET) {
    const struct fmt_rec_queue *queue =
        out_recording_record(loader->recording, record->what, FMT_TAG_QUEUE, sizeof *queue);
    return queue ? out_load_name(loader, queue->label, "?", what) : 0;
  } else if (record->kind == FMT_SPAN_EVENT || record->kind == FMT_SPAN_RANGE) {
    const struct fmt_rec_event *event =
        out_recording_record(loader->recording, record->what, FMT_TAG_EVENT, sizeof *event);
    return event ? out_load_name(loader, event->name, "?", what) : 0;
  }
  return 0;
}

static int load_span(struct out_loader *loader, const struct fmt_rec_span *record)
{
  uint32_t what;
  int result = find_what(loader, record, &what);
  if (result < 0)
    return result;
  if (what == FMT_NONE) {
    loader->recording->damaged++;
    return 0;
  }
  struct out_span *span = base_vector_add(&loader->profile->spans, 1);
  if (!span)
    return -ENOMEM;
  const bool is_call = record->kind == FMT_SPAN_CALL;
  *span = (struct out_span){.start = record->start,
                            .duration = record->duration,
                            .item = is_call ? 0 : record->item,
                            .stood_still = is_call ? record->item : 0,
                            .kind = record->kind,
                            .what = what,
                            .value = record->value,
                            .thread = loader->profile->threads.count - 1,
                            .open = is_call && record->value & FMT_SPAN_OPEN};
  return 0;
}

int out_load_ring(struct out_loader *loader, uint64_t address)
{
  struct out_recording *recording = loader->recording;
  if (!address)
    return 0;
  const struct fmt_rec_ring *ring = out_recording_record(recording, address, FMT_TAG_RING, sizeof *ring);
  uint64_t capacity = ring ? ring->capacity : 0, written = ring ? ring->written : 0;
  if (capacity == 0 || capacity & (capacity - 1) || capacity > recording->size / sizeof(struct fmt_rec_span) ||
      !out_recording_has(recording, address, sizeof *ring + capacity * sizeof(struct fmt_rec_span)) ||
      !out_recording_spend(recording, capacity * sizeof(struct fmt_rec_span))) {
    recording->damaged++;
    return 0;
  }
  uint64_t first = written > capacity ? written - capacity : 0;
  loader->profile->overwritten += first;
  out_profile_thread(loader->profile, loader->profile->threads.count - 1)->overwritten = first;
  int result = 0;
  for (uint64_t i = first; i < written && result == 0; i++) {
    uint64_t at = address + sizeof *ring + (i & (capacity - 1)) * sizeof(struct fmt_rec_span);
    const struct fmt_rec_span *found = out_recording_bytes(recording, at, sizeof *found);
    struct fmt_rec_span span = {.kind = 0};
    if (found)
      memcpy(&span, found, sizeof span);
    /* A span without a kind was being written. */
    if (span.kind)
      result = load_span(loader, &span);
  }
  return result;
}

int out_load_open_span(struct out_loader *loader, uint32_t edge, uint64_t start, uint64_t duration)
{
  struct out_span *span = base_vector_add(&loader->profile->spans, 1);
  if (!span)
    return -ENOMEM;
  *span = (struct out_span){.start = start,
                            .duration = duration,
                            .kind = FMT_SPAN_CALL,
                            .what = edge,
                            .thread = out_profile_edge(loader->profile, edge)->thread,
                            .open = true};
  return 0;
}
