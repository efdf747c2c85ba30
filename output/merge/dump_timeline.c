/* The timelines: a ring for each thread that had one, with its spans and the calls that were open. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/merge/dump.h"

/* The spans of all threads, one thread's behind the other's, each in the order in which they were read. */
struct sorted {
  uint32_t *first; /* by thread, and one behind: the first of its spans */
  uint32_t *spans; /* numbers in profile.spans */
};

static int sort_spans(const struct out_profile *profile, struct sorted *sorted)
{
  uint32_t threads = profile->threads.count, count = profile->spans.count;
  sorted->first = calloc(threads + 2u, sizeof *sorted->first);
  sorted->spans = calloc(count + 1u, sizeof *sorted->spans);
  if (!sorted->first || !sorted->spans)
    return -ENOMEM;
  /* Counted two places on, so that placing them moves each thread's end to where the next one's begins. */
  for (uint32_t i = 0; i < count; i++)
    sorted->first[out_profile_span(profile, i)->thread + 2]++;
  for (uint32_t i = 2; i < threads + 2; i++)
    sorted->first[i] += sorted->first[i - 1];
  for (uint32_t i = 0; i < count; i++)
    sorted->spans[sorted->first[out_profile_span(profile, i)->thread + 1]++] = i;
  return 0;
}

/* A queue or an event that a process's spans are called by. */
struct named {
  uint32_t recording, string;
  bool is_queue;
  uint64_t address;
};

struct names {
  struct base_vector list; /* struct named */
  struct out_idset set;
};

static uint64_t hash_of(const struct named *named)
{
  return out_hash_mix(out_hash_mix(named->is_queue, named->recording), named->string);
}

static bool equal_named(const void *owner, uint32_t number, const void *key)
{
  const struct named *there = base_vector_at(&((const struct names *)owner)->list, number), *wanted = key;
  return there->recording == wanted->recording && there->string == wanted->string &&
         there->is_queue == wanted->is_queue;
}

/* Of several of one name the first counts. */
static int add_named(struct names *names, const struct named *named)
{
  uint64_t hash = hash_of(named);
  if (out_idset_find(&names->set, hash, names, named, equal_named) != FMT_NONE)
    return 0;
  struct named *added = base_vector_add(&names->list, 1);
  if (!added)
    return -ENOMEM;
  *added = *named;
  return out_idset_add(&names->set, hash, names->list.count - 1);
}

static int find_names(const struct out_dump *dump, struct names *names)
{
  const struct out_stage_records *kept = &dump->profile->stage_records;
  int result = 0;
  for (uint32_t i = 0; i < kept->queues.count && result == 0; i++) {
    const struct out_queue_record *queue = base_vector_at(&kept->queues, i);
    result = add_named(names, &(struct named){queue->recording, queue->label, true, dump->queue_records[i]});
  }
  for (uint32_t i = 0; i < kept->events.count && result == 0; i++) {
    const struct out_event_record *event = base_vector_at(&kept->events, i);
    result = add_named(names, &(struct named){event->recording, event->name, false, dump->event_records[i]});
  }
  return result;
}

/* What the threads' spans and what they are of are found by. */
struct timeline {
  struct out_dump *dump;
  struct sorted sorted;
  struct names names;
};

/* The address of the queue or event of a span; 0 when the recording lists none of this name, which a reader counts. */
static uint64_t named_address(const struct timeline *timeline, const struct out_span *span)
{
  struct named wanted = {.recording = out_profile_thread(timeline->dump->profile, span->thread)->recording,
                         .string = span->what,
                         .is_queue = span->kind == FMT_SPAN_PUT || span->kind == FMT_SPAN_GET};
  uint32_t number = out_idset_find(&timeline->names.set, hash_of(&wanted), &timeline->names, &wanted, equal_named);
  return number == FMT_NONE ? 0 : ((const struct named *)base_vector_at(&timeline->names.list, number))->address;
}

static struct fmt_rec_span record_of(const struct timeline *timeline, const struct out_span *span)
{
  bool is_call = span->kind == FMT_SPAN_CALL || span->kind == FMT_SPAN_TASK;
  return (struct fmt_rec_span){.start = span->start,
                               .duration = span->duration,
                               .what = is_call ? timeline->dump->edges[span->what] : named_address(timeline, span),
                               .item = span->kind == FMT_SPAN_CALL ? span->stood_still : span->item,
                               .value = span->open ? FMT_SPAN_OPEN : span->value,
                               .kind = span->kind};
}

/* A ring that says how many spans were overwritten before these: as large a one as they need, its last places free. */
static uint64_t put_ring(const struct timeline *timeline, const uint32_t *spans, uint32_t count, uint64_t overwritten)
{
  struct out_dump *dump = timeline->dump;
  uint64_t capacity = 1;
  while (capacity < count)
    capacity *= 2;
  if (overwritten > UINT64_MAX - capacity)
    overwritten = UINT64_MAX - capacity;
  uint64_t size = sizeof(struct fmt_rec_ring) + capacity * sizeof(struct fmt_rec_span);
  struct fmt_rec_ring ring = {.tag = {FMT_TAG_RING, size < UINT32_MAX ? (uint32_t)size : UINT32_MAX & ~UINT32_C(7)},
                              .capacity = capacity,
                              .written = overwritten > 0 ? overwritten + capacity : count};
  uint64_t address = out_dump_put(dump, &ring, sizeof ring);
  for (uint64_t i = 0; i < capacity; i++) {
    uint64_t place = (i - overwritten) & (capacity - 1);
    struct fmt_rec_span record = {.kind = 0};
    if (place < count)
      record = record_of(timeline, out_profile_span(dump->profile, spans[place]));
    out_dump_put(dump, &record, sizeof record);
  }
  return address;
}

int out_dump_rings(struct out_dump *dump)
{
  const struct out_profile *profile = dump->profile;
  struct timeline timeline = {.dump = dump, .names = {.list = BASE_VECTOR_OF(struct named)}};
  dump->rings = calloc(profile->threads.count + 1u, sizeof *dump->rings);
  int result = dump->rings ? sort_spans(profile, &timeline.sorted) : -ENOMEM;
  if (result == 0 && profile->spans.count > 0)
    result = find_names(dump, &timeline.names);
  for (uint32_t i = 0; i < profile->threads.count && result == 0; i++) {
    uint32_t first = timeline.sorted.first[i], count = timeline.sorted.first[i + 1] - first;
    uint64_t overwritten = out_profile_thread(profile, i)->overwritten;
    if (count > 0 || overwritten > 0)
      dump->rings[i] = put_ring(&timeline, timeline.sorted.spans + first, count, overwritten);
  }
  free(timeline.sorted.first);
  free(timeline.sorted.spans);
  base_vector_free(&timeline.names.list);
  out_idset_free(&timeline.names.set);
  return result;
}
