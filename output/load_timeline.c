#include <errno.h>
#include <string.h>

#include "load.h"

/* What a span is of, for cs_span.what: CS_NONE when the recording has no such record. */
static int find_what(struct cs_loader *loader, const struct cs_rec_span *record, uint32_t *what)
{
  *what = CS_NONE;
  if (record->kind == CS_SPAN_CALL || record->kind == CS_SPAN_TASK) {
    uint32_t number = cs_recording_known(loader->recording, &loader->edges, record->what);
    if (number != CS_NONE && cs_profile_edge(loader->profile, loader->first_edge + number)->to != CS_NONE)
      *what = loader->first_edge + number;
  } else if (record->kind == CS_SPAN_PUT || record->kind == CS_SPAN_GET) {
    const struct cs_rec_queue *queue =
        cs_recording_record(loader->recording, record->what, CS_TAG_QUEUE, sizeof *queue);
    return queue ? cs_load_name(loader, queue->label, "?", what) : 0;
  } else if (record->kind == CS_SPAN_EVENT || record->kind == CS_SPAN_RANGE) {
    const struct cs_rec_event *event =
        cs_recording_record(loader->recording, record->what, CS_TAG_EVENT, sizeof *event);
    return event ? cs_load_name(loader, event->name, "?", what) : 0;
  }
  return 0;
}

static int load_span(struct cs_loader *loader, const struct cs_rec_span *record)
{
  uint32_t what;
  int result = find_what(loader, record, &what);
  if (result < 0)
    return result;
  if (what == CS_NONE) {
    loader->recording->damaged++;
    return 0;
  }
  struct cs_span *span = cs_vector_add(&loader->profile->spans, 1);
  if (!span)
    return -ENOMEM;
  *span = (struct cs_span){.start = record->start,
                           .duration = record->duration,
                           .item = record->item,
                           .kind = record->kind,
                           .what = what,
                           .value = record->value,
                           .thread = loader->profile->threads.count - 1,
                           .open = record->kind == CS_SPAN_CALL && record->value & CS_SPAN_OPEN};
  return 0;
}

int cs_load_ring(struct cs_loader *loader, uint64_t address)
{
  struct cs_recording *recording = loader->recording;
  if (!address)
    return 0;
  const struct cs_rec_ring *ring = cs_recording_record(recording, address, CS_TAG_RING, sizeof *ring);
  uint64_t capacity = ring ? ring->capacity : 0, written = ring ? ring->written : 0;
  if (capacity == 0 || capacity & (capacity - 1) || capacity > recording->size / sizeof(struct cs_rec_span) ||
      !cs_recording_has(recording, address, sizeof *ring + capacity * sizeof(struct cs_rec_span)) ||
      !cs_recording_spend(recording, capacity * sizeof(struct cs_rec_span))) {
    recording->damaged++;
    return 0;
  }
  uint64_t first = written > capacity ? written - capacity : 0;
  loader->profile->overwritten += first;
  cs_profile_thread(loader->profile, loader->profile->threads.count - 1)->overwritten = first;
  int result = 0;
  for (uint64_t i = first; i < written && result == 0; i++) {
    uint64_t at = address + sizeof *ring + (i & (capacity - 1)) * sizeof(struct cs_rec_span);
    const struct cs_rec_span *found = cs_recording_bytes(recording, at, sizeof *found);
    struct cs_rec_span span = {.kind = 0};
    if (found)
      memcpy(&span, found, sizeof span);
    /* A span without a kind was being written. */
    if (span.kind)
      result = load_span(loader, &span);
  }
  return result;
}

int cs_load_open_span(struct cs_loader *loader, uint32_t edge, uint64_t start, uint64_t duration)
{
  struct cs_span *span = cs_vector_add(&loader->profile->spans, 1);
  if (!span)
    return -ENOMEM;
  *span = (struct cs_span){.start = start,
                           .duration = duration,
                           .kind = CS_SPAN_CALL,
                           .what = edge,
                           .thread = cs_profile_edge(loader->profile, edge)->thread,
                           .open = true};
  return 0;
}
