/* Reads the threads of a recording, and their trees of calls, into a profile. */
#include "output/profile/load.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/profile/call_place.h"
#include "output/profile/edge_time.h"
#include "output/recording/live.h"
#include "output/text/message.h"
#include "output/text/text.h"

/* The contexts from `address` up to the root, numbered and linked. FMT_NONE when there is none at `address`. One that a
 * damaged file has below itself is a root, so that every walk upwards ends. */
static int load_context(struct out_loader *loader, uint64_t address, uint32_t *context)
{
  struct out_profile *profile = loader->profile;
  const uint32_t first = profile->contexts.count;
  uint32_t child = FMT_NONE;
  for (;;) {
    uint32_t number;
    struct out_record record;
    int found = out_recording_number(loader->recording, &loader->contexts, address, FMT_TAG_CONTEXT,
                                     sizeof(struct fmt_rec_context), &number, &record);
    if (found < 0)
      return found;
    number = found == OUT_RECORD_BAD ? FMT_NONE : loader->first_context + number;
    if (child != FMT_NONE && found == OUT_RECORD_KNOWN && number >= first) {
      loader->recording->damaged++;
      return 0;
    }
    if (child == FMT_NONE)
      *context = number;
    else
      out_profile_context(profile, child)->parent = number;
    if (found != OUT_RECORD_NEW)
      return 0;
    struct fmt_rec_context head;
    memcpy(&head, record.data, sizeof head);
    struct out_context *added = base_vector_add(&profile->contexts, 1);
    if (!added)
      return -ENOMEM;
    *added = (struct out_context){.parent = FMT_NONE, .callable = FMT_NONE};
    if (head.function) {
      int result = out_load_callable(loader, head.function, &added->callable);
      if (result < 0)
        return result;
    }
    if (!head.parent)
      return 0;
    child = number;
    address = head.parent;
  }
}

/* The variant at `address`; FMT_NONE when it cannot be read whole. */
static int load_variant(struct out_loader *loader, uint64_t address, uint32_t *variant)
{
  uint32_t number;
  struct out_record record;
  *variant = FMT_NONE;
  int found = out_recording_number(loader->recording, &loader->variants, address, FMT_TAG_VARIANT,
                                   sizeof(struct fmt_rec_variant), &number, &record);
  if (found < 0 || found == OUT_RECORD_BAD)
    return found < 0 ? found : 0;
  number += loader->first_variant;
  if (found == OUT_RECORD_NEW) {
    struct fmt_rec_variant head;
    memcpy(&head, record.data, sizeof head);
    struct out_variant added = {.context = FMT_NONE, .signature = FMT_NONE};
    struct out_variant *slot = base_vector_add(&loader->profile->variants, 1);
    if (!slot)
      return -ENOMEM;
    int result = load_context(loader, head.context, &added.context);
    if (result == 0 && head.signature)
      result = out_load_signature(loader, head.signature, &added.signature);
    if (result < 0)
      return result;
    *(struct out_variant *)base_vector_at(&loader->profile->variants, number) = added;
  }
  if (out_profile_variant(loader->profile, number)->context != FMT_NONE)
    *variant = number;
  return 0;
}

static int load_recursion(struct out_loader *loader, uint64_t address, bool is_sampled, struct out_edge *edge)
{
  const struct fmt_rec_recursion *record =
      out_recording_record(loader->recording, address, FMT_TAG_RECURSION, sizeof *record);
  if (!record) {
    loader->recording->damaged++;
    return 0;
  }
  struct out_recursion *added = base_vector_add(&loader->profile->recursions, 1);
  if (!added)
    return -ENOMEM;
  added->calls = record->calls;
  added->total = record->total;
  memcpy(added->primitive, record->primitive, sizeof added->primitive);
  memcpy(added->cumulative, record->cumulative, sizeof added->cumulative);
  if (is_sampled) {
    added->apart = out_at_most(record->primitive[FMT_GROUP_EDGE], edge->calls + record->calls);
    added->apart_total = out_at_most(record->cumulative[FMT_GROUP_EDGE], edge->total + record->total);
  }
  if (loader->recording->header.flags & FMT_REC_MERGED)
    added->open = record->active[0] < record->calls ? record->active[0] : record->calls;
  edge->recursion = loader->profile->recursions.count - 1;
  return 0;
}

/* Takes for what they are the frames that the recording has in place of calls. */
static void take_inherited(struct out_loader *loader, struct out_edge *edge)
{
  struct out_recursion none = {0};
  struct out_recursion *recursion =
      edge->recursion == FMT_NONE ? &none : out_profile_recursion(loader->profile, edge->recursion);
  const uint64_t frames = edge->calls > UINT64_MAX - recursion->calls ? UINT64_MAX : edge->calls + recursion->calls;
  edge->is_inherited = true;
  edge->inherited = (uint32_t)out_at_most(frames, UINT32_MAX);
  edge->calls = recursion->calls = recursion->open = 0;
  memset(recursion->primitive, 0, sizeof recursion->primitive);
  edge->min = UINT64_MAX;
  edge->max = 0;
}

static int load_edge(struct out_loader *loader, uint64_t address, const struct fmt_rec_edge *record, uint32_t thread)
{
  struct out_edge *slot = base_vector_add(&loader->profile->edges, 1);
  if (!slot)
    return -ENOMEM;
  *slot = (struct out_edge){.from = FMT_NONE,
                            .to = FMT_NONE,
                            .recursion = FMT_NONE,
                            .sampling = FMT_NONE,
                            .asked = FMT_NONE,
                            .place = FMT_NONE};
  uint32_t number = loader->profile->edges.count - 1;
  struct out_edge edge = {.from = FMT_NONE,
                          .to = FMT_NONE,
                          .thread = thread,
                          .recursion = FMT_NONE,
                          .sampling = FMT_NONE,
                          .asked = FMT_NONE,
                          .place = FMT_NONE,
                          .is_returned = record->flags & FMT_EDGE_RETURNED,
                          .calls = record->calls,
                          .total = record->total,
                          .children = record->children,
                          .overhead = record->overhead,
                          .min = record->min,
                          .max = record->max};
  int result = load_variant(loader, record->to, &edge.to);
  if (result == 0 && record->from)
    result = load_variant(loader, record->from, &edge.from);
  const bool is_sampled = record->flags & FMT_EDGE_SAMPLED && !(record->flags & FMT_EDGE_INHERITED) && !loader->is_late;
  if (loader->is_late) {
    /* What the thread has counted is of an earlier period. */
    edge.calls = edge.total = edge.children = edge.overhead = 0;
    take_inherited(loader, &edge);
  }
  if (result == 0 && record->recursion && !loader->is_late)
    result = load_recursion(loader, record->recursion, is_sampled, &edge);
  if (result == 0 && is_sampled)
    result = out_load_sampling(loader, address, &edge);
  if (result == 0)
    result = out_load_edge_asked(loader, address, record->flags, &edge);
  if (result < 0)
    return result;
  if (record->flags & FMT_EDGE_INHERITED && !loader->is_late)
    take_inherited(loader, &edge);
  else if (record->histogram && !loader->is_late) {
    result = out_load_times(loader, record->histogram, number);
    if (result < 0)
      return result;
  }
  if (!out_profile_is_call(loader->profile, edge.to)) {
    /* The root edge leads to the root: it is no call. */
    if (record->from)
      loader->recording->damaged++;
    edge.to = FMT_NONE;
  }
  if (!out_profile_is_call(loader->profile, edge.from))
    edge.from = FMT_NONE;
  if (edge.to != FMT_NONE && record->flags & FMT_EDGE_CALL_SITE) {
    const struct out_variant *to = out_profile_variant(loader->profile, edge.to);
    result = out_load_call_place(loader, address, record, out_profile_context(loader->profile, to->context)->callable,
                                 &edge.place);
    if (result < 0)
      return result;
  }
  *out_profile_edge(loader->profile, number) = edge;
  return 0;
}

static int load_edges(struct out_loader *loader, uint64_t address, uint32_t thread)
{
  while (address) {
    uint32_t number;
    struct out_record record;
    int found = out_recording_number(loader->recording, &loader->edges, address, FMT_TAG_EDGE,
                                     sizeof(struct fmt_rec_edge), &number, &record);
    if (found != OUT_RECORD_NEW)
      return found < 0 ? found : 0;
    struct fmt_rec_edge edge;
    memcpy(&edge, record.data, sizeof edge);
    int result = load_edge(loader, address, &edge, thread);
    if (result < 0)
      return result;
    address = edge.next;
  }
  return 0;
}

/* The edges of one thread and all that they refer to. */
static int load_tree(struct out_loader *loader, uint64_t first_edge, uint32_t thread)
{
  const struct out_profile *profile = loader->profile;
  uint32_t signature = profile->signatures.count, record = loader->signature_of.count,
           variant = profile->variants.count;
  int result = load_edges(loader, first_edge, thread);
  return result < 0 ? result : out_load_join_signatures(loader, signature, record, variant);
}

/* The root is known by the edges that lead from it, or into it. */
static uint32_t find_root(struct out_loader *loader, uint64_t address)
{
  uint32_t number = out_recording_known(loader->recording, &loader->variants, address);
  if (number == FMT_NONE || out_profile_variant(loader->profile, loader->first_variant + number)->context == FMT_NONE)
    return FMT_NONE;
  return loader->first_variant + number;
}

/* What is kept of all threads until their trees are there. */
struct reading {
  struct base_vector open;   /* struct out_open_thread */
  struct base_vector frames; /* struct out_loaded_frame */
  struct base_vector lists;  /* struct out_thread_lists */
};

/* What a thread that has not entered the period yet has in it: nothing but the time of what it has open, from the
 * period's beginning on, unless recording was switched since. */
static void take_late(const struct fmt_rec_header *header, struct fmt_rec_thread *record)
{
  record->start_ticks = record->end_ticks;
  record->end_ticks = 0;
  if (record->state != FMT_THREAD_LIVE || header->is_off || header->switched_ns > header->period_realtime_ns)
    record->first_stack = 0;
  record->first_tasks = record->first_queue_use = record->first_counter_use = record->ring = 0;
}

/* Has the frames begin no earlier than the period. */
static void begin_late(const struct base_vector *frames, uint32_t first, uint64_t period)
{
  for (uint32_t i = first; i < frames->count; i++) {
    struct out_loaded_frame *frame = base_vector_at(frames, i);
    const bool is_time = frame->start < FMT_START_COUNTED;
    if (frame->edge && frame->start != FMT_START_AHEAD && (!is_time || frame->start < period))
      frame->start = period;
  }
}

/* Keeps what is open in a thread, and where its lists begin. */
static int keep_open(struct out_loader *loader, const struct fmt_rec_thread *record, struct reading *reading)
{
  uint32_t first = reading->frames.count;
  int result = out_load_stacks(loader, record->first_stack, &reading->frames);
  if (result < 0)
    return result;
  if (loader->is_late)
    begin_late(&reading->frames, first, record->start_ticks);
  struct out_open_thread *added = base_vector_add(&reading->open, 1);
  struct out_thread_lists *lists = base_vector_add(&reading->lists, 1);
  if (!added || !lists)
    return -ENOMEM;
  *added = (struct out_open_thread){.process = loader->number,
                                    .first_frame = first,
                                    .count = reading->frames.count - first,
                                    .end_ticks = record->end_ticks,
                                    .not_slept = UINT64_MAX,
                                    .slept_most = UINT64_MAX};
  *lists = out_thread_lists_of(record);
  return 0;
}

/* What was asked for outside of all functions is told of the edge that leads to the root. */
static int load_outside(struct out_loader *loader, uint64_t root_edge, struct out_asked *asked)
{
  const struct fmt_rec_edge *edge =
      root_edge ? out_recording_record(loader->recording, root_edge, FMT_TAG_EDGE, sizeof *edge) : NULL;
  return edge ? out_load_asked(loader, root_edge, edge->flags, asked) : 0;
}

/* Of a thread that runs on, what it can have slept beyond what is told of its sleep, which the profile has from
 * `first_sleep` on. It may have run on since the clock was read, and been looked at. */
static void find_sleep(const struct out_loader *loader, const struct fmt_rec_thread *record, uint32_t first_sleep,
                       struct out_open_thread *open)
{
  const struct out_profile *profile = loader->profile;
  const double tick = out_profile_recording(profile, loader->number)->tick;
  struct out_thread_life life;
  if (!loader->now || record->state != FMT_THREAD_LIVE || record->process || open->count == 0 || !(tick > 0) ||
      !out_recording_thread_life(loader->recording->header.pid, record->tid, &life))
    return;
  double told = 0;
  for (uint32_t i = first_sleep; i < profile->sleeps.count; i++)
    told += (double)out_profile_sleep(profile, i)->ticks;
  open->not_slept = out_ticks((double)life.awake / tick / 1e9 + told);
  open->slept_most = out_ticks(fmax(0, (double)life.asleep / tick / 1e9 - told));
}

static int load_thread(struct out_loader *loader, struct fmt_rec_thread *record, struct reading *reading)
{
  struct out_profile *profile = loader->profile;
  loader->is_late = record->period != loader->recording->header.period;
  if (loader->is_late)
    take_late(&loader->recording->header, record);
  out_load_choose_process(loader, record->process);
  struct out_known_thread thread = {.recording = loader->number,
                                    .tid = record->tid,
                                    .root = FMT_NONE,
                                    .state = record->state,
                                    .start_ticks = record->start_ticks,
                                    .end_ticks = record->end_ticks,
                                    .threads = record->threads};
  memcpy(thread.raw_name, record->name, sizeof thread.raw_name);
  int result = load_outside(loader, record->root_edge, &thread.asked);
  if (result == 0)
    result = out_load_label_thread(profile, &thread);
  if (result < 0)
    return result;
  struct out_known_thread *slot = base_vector_add(&profile->threads, 1);
  if (!slot)
    return -ENOMEM;
  *slot = thread;
  if (record->state == FMT_THREAD_FOLDED)
    out_profile_recording(profile, loader->number)->folded_threads += record->threads;
  uint32_t number = profile->threads.count - 1;
  const uint32_t first_sleep = profile->sleeps.count;
  result = keep_open(loader, record, reading);
  if (result == 0)
    result = load_tree(loader, record->first_edge, number);
  if (result == 0)
    find_sleep(loader, record, first_sleep, base_vector_at(&reading->open, reading->open.count - 1));
  out_profile_thread(profile, number)->root = find_root(loader, record->root);
  return result == 0 && profile->keeps_timeline ? out_load_ring(loader, record->ring) : result;
}

static int load_open_threads(struct out_loader *loader, const struct reading *reading)
{
  int result = 0;
  for (uint32_t i = 0; i < reading->open.count && result == 0; i++) {
    const struct out_open_thread *thread = base_vector_at(&reading->open, i);
    loader->number = thread->process;
    result = out_load_open_frames(loader, &reading->frames, thread);
  }
  return result;
}

/* The trees of all threads; into `reading` what is still to be done of each. */
static int load_trees(struct out_loader *loader, struct reading *reading)
{
  struct base_vector threads = BASE_VECTOR_OF(uint64_t);
  uint64_t address = loader->recording->header.first_thread;
  int result = 0;
  while (address && result == 0) {
    uint32_t number;
    struct out_record record;
    result = out_recording_number(loader->recording, &threads, address, FMT_TAG_THREAD, sizeof(struct fmt_rec_thread),
                                  &number, &record);
    if (result != OUT_RECORD_NEW)
      break;
    struct fmt_rec_thread thread;
    memcpy(&thread, record.data, sizeof thread);
    result = load_thread(loader, &thread, reading);
    address = thread.next;
  }
  base_vector_free(&threads);
  return result < 0 ? result : 0;
}

static int load_threads(struct out_loader *loader)
{
  struct reading reading = {.open = BASE_VECTOR_OF(struct out_open_thread),
                            .frames = BASE_VECTOR_OF(struct out_loaded_frame),
                            .lists = BASE_VECTOR_OF(struct out_thread_lists)};
  uint32_t first = loader->profile->threads.count;
  int result = load_trees(loader, &reading);
  if (result == 0)
    result = out_load_enclosing(loader->profile, loader->first_context, loader->first_callable);
  if (result == 0)
    result = load_open_threads(loader, &reading);
  if (result == 0)
    result = out_load_stage_records(loader, &reading.lists, first);
  base_vector_free(&reading.open);
  base_vector_free(&reading.frames);
  base_vector_free(&reading.lists);
  return result;
}

static int load_all(struct out_loader *loader)
{
  int result = out_load_processes(loader);
  if (result == 0)
    result = out_load_samples(loader);
  if (result == 0)
    result = out_load_modules(loader);
  if (result == 0)
    result = out_stage_reader_stages(&loader->stages);
  if (result == 0)
    result = load_threads(loader);
  if (result == 0)
    out_load_finish_processes(loader);
  return result == 0 ? out_load_rank_rows(loader) : result;
}

int out_load(struct out_profile *profile, struct out_recording *recording, const struct fmt_rec_clock_point *now)
{
  struct out_loader loader = {
      .profile = profile,
      .recording = recording,
      .now = now,
      .modules = BASE_VECTOR_OF(uint64_t),
      .functions = BASE_VECTOR_OF(uint64_t),
      .contexts = BASE_VECTOR_OF(uint64_t),
      .variants = BASE_VECTOR_OF(uint64_t),
      .signatures = BASE_VECTOR_OF(uint64_t),
      .edges = BASE_VECTOR_OF(uint64_t),
      .stacks = BASE_VECTOR_OF(uint64_t),
      .processes = BASE_VECTOR_OF(uint64_t),
      .asked = BASE_VECTOR_OF(uint64_t),
      .stage_of = BASE_VECTOR_OF(uint32_t),
      .callable_of = BASE_VECTOR_OF(uint32_t),
      .signature_of = BASE_VECTOR_OF(uint32_t),
      .first_stage_record = profile->stage_records.stages.count,
      .first_process = profile->recordings.count,
      .first_callable = profile->callables.count,
      .first_context = profile->contexts.count,
      .first_variant = profile->variants.count,
      .first_edge = profile->edges.count,
  };
  out_stage_reader_init(&loader.stages, recording, &out_load_stage_taker, &loader);
  int result = load_all(&loader);
  if (result == 0 && out_recording_lost(recording) > 0)
    out_recording_count_unread(recording);
  struct base_vector *vectors[] = {&loader.modules,    &loader.functions,   &loader.contexts,     &loader.variants,
                                   &loader.signatures, &loader.edges,       &loader.stacks,       &loader.processes,
                                   &loader.stage_of,   &loader.callable_of, &loader.signature_of, &loader.asked};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
    base_vector_free(vectors[i]);
  out_stage_reader_free(&loader.stages);
  out_idset_free(&loader.indexes);
  out_arguments_free(&loader.arguments);
  return result < 0 ? out_stats_no_memory() : out_recording_failed(recording);
}
