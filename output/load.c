#include "load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "text.h"

/* The contexts from `address` up to the root, numbered and linked. CS_NONE when there is none at `address`. */
static int load_context(struct cs_loader *loader, uint64_t address, uint32_t *context)
{
  struct cs_profile *profile = loader->profile;
  uint32_t child = CS_NONE;
  for (;;) {
    uint32_t number;
    struct cs_record record;
    int found = cs_recording_number(loader->recording, &loader->contexts, address, CS_TAG_CONTEXT,
                                    sizeof(struct cs_rec_context), &number, &record);
    if (found < 0)
      return found;
    number = found == CS_RECORD_BAD ? CS_NONE : loader->first_context + number;
    if (child == CS_NONE)
      *context = number;
    else
      cs_profile_context(profile, child)->parent = number;
    if (found != CS_RECORD_NEW)
      return 0;
    struct cs_rec_context head;
    memcpy(&head, record.data, sizeof head);
    struct cs_context *added = cs_vector_add(&profile->contexts, 1);
    if (!added)
      return -ENOMEM;
    *added = (struct cs_context){.parent = CS_NONE, .code = CS_NONE};
    if (head.function) {
      int result = cs_load_code(loader, head.function, &added->code);
      if (result < 0)
        return result;
    }
    if (!head.parent)
      return 0;
    child = number;
    address = head.parent;
  }
}

/* The variant at `address`; CS_NONE when it cannot be read whole. */
static int load_variant(struct cs_loader *loader, uint64_t address, uint32_t *variant)
{
  uint32_t number;
  struct cs_record record;
  *variant = CS_NONE;
  int found = cs_recording_number(loader->recording, &loader->variants, address, CS_TAG_VARIANT,
                                  sizeof(struct cs_rec_variant), &number, &record);
  if (found < 0 || found == CS_RECORD_BAD)
    return found < 0 ? found : 0;
  number += loader->first_variant;
  if (found == CS_RECORD_NEW) {
    struct cs_rec_variant head;
    memcpy(&head, record.data, sizeof head);
    struct cs_variant added = {.context = CS_NONE, .signature = CS_NONE};
    struct cs_variant *slot = cs_vector_add(&loader->profile->variants, 1);
    if (!slot)
      return -ENOMEM;
    int result = load_context(loader, head.context, &added.context);
    if (result == 0 && head.signature)
      result = cs_load_signature(loader, head.signature, &added.signature);
    if (result < 0)
      return result;
    *(struct cs_variant *)cs_vector_at(&loader->profile->variants, number) = added;
  }
  if (cs_profile_variant(loader->profile, number)->context != CS_NONE)
    *variant = number;
  return 0;
}

static int load_recursion(struct cs_loader *loader, uint64_t address, struct cs_edge *edge)
{
  const struct cs_rec_recursion *record =
      cs_recording_record(loader->recording, address, CS_TAG_RECURSION, sizeof *record);
  if (!record) {
    loader->recording->damaged++;
    return 0;
  }
  struct cs_recursion *added = cs_vector_add(&loader->profile->recursions, 1);
  if (!added)
    return -ENOMEM;
  added->calls = record->calls;
  added->total = record->total;
  memcpy(added->primitive, record->primitive, sizeof added->primitive);
  memcpy(added->cumulative, record->cumulative, sizeof added->cumulative);
  if (loader->recording->header.flags & CS_REC_MERGED)
    added->open = record->active[0] < record->calls ? record->active[0] : record->calls;
  edge->recursion = loader->profile->recursions.count - 1;
  return 0;
}

bool cs_load_is_call(const struct cs_profile *profile, uint32_t variant)
{
  const struct cs_variant *known = variant == CS_NONE ? NULL : cs_profile_variant(profile, variant);
  return known && known->signature != CS_NONE && known->context != CS_NONE &&
         cs_profile_context(profile, known->context)->code != CS_NONE;
}

static int load_edge(struct cs_loader *loader, const struct cs_rec_edge *record, uint32_t thread)
{
  struct cs_edge *slot = cs_vector_add(&loader->profile->edges, 1);
  if (!slot)
    return -ENOMEM;
  *slot = (struct cs_edge){.from = CS_NONE, .to = CS_NONE, .recursion = CS_NONE};
  uint32_t number = loader->profile->edges.count - 1;
  struct cs_edge edge = {.from = CS_NONE,
                         .to = CS_NONE,
                         .thread = thread,
                         .recursion = CS_NONE,
                         .calls = record->calls,
                         .total = record->total,
                         .children = record->children,
                         .overhead = record->overhead,
                         .min = record->min,
                         .max = record->max};
  int result = load_variant(loader, record->to, &edge.to);
  if (result == 0 && record->from)
    result = load_variant(loader, record->from, &edge.from);
  if (result == 0 && record->recursion)
    result = load_recursion(loader, record->recursion, &edge);
  if (result < 0)
    return result;
  if (record->histogram) {
    result = cs_load_times(loader, record->histogram, number);
    if (result < 0)
      return result;
  }
  if (!cs_load_is_call(loader->profile, edge.to)) {
    /* The root edge leads to the root: it is no call. */
    if (record->from)
      loader->recording->damaged++;
    edge.to = CS_NONE;
  }
  if (!cs_load_is_call(loader->profile, edge.from))
    edge.from = CS_NONE;
  *cs_profile_edge(loader->profile, number) = edge;
  return 0;
}

static int load_edges(struct cs_loader *loader, uint64_t address, uint32_t thread)
{
  while (address) {
    uint32_t number;
    struct cs_record record;
    int found = cs_recording_number(loader->recording, &loader->edges, address, CS_TAG_EDGE, sizeof(struct cs_rec_edge),
                                    &number, &record);
    if (found != CS_RECORD_NEW)
      return found < 0 ? found : 0;
    struct cs_rec_edge edge;
    memcpy(&edge, record.data, sizeof edge);
    int result = load_edge(loader, &edge, thread);
    if (result < 0)
      return result;
    address = edge.next;
  }
  return 0;
}

/* The edges of one thread and all that they refer to. */
static int load_tree(struct cs_loader *loader, uint64_t first_edge, uint32_t thread)
{
  const struct cs_profile *profile = loader->profile;
  uint32_t signature = profile->signatures.count, record = loader->signature_of.count,
           variant = profile->variants.count;
  int result = load_edges(loader, first_edge, thread);
  return result < 0 ? result : cs_load_join_signatures(loader, signature, record, variant);
}

int cs_load_label_thread(struct cs_profile *profile, struct cs_known_thread *thread)
{
  struct cs_strings *strings = profile->strings;
  struct cs_text text = {0};
  cs_text_printable(&text, thread->raw_name, strnlen(thread->raw_name, sizeof thread->raw_name));
  if (thread->state == CS_THREAD_FOLDED && text.length == 0)
    cs_text_puts(&text, "ended threads");
  int result = text.failed ? -ENOMEM : cs_strings_add(strings, cs_text_string(&text), &thread->name);
  if (thread->state == CS_THREAD_FOLDED)
    cs_text_printf(&text, " (%llu)", (unsigned long long)thread->threads);
  else
    cs_text_printf(&text, " (%u)", thread->tid);
  if (result == 0)
    result = text.failed ? -ENOMEM : cs_strings_add(strings, cs_text_string(&text), &thread->label);
  cs_text_free(&text);
  return result;
}

/* The root is known by the edges that lead from it, or into it. */
static uint32_t find_root(struct cs_loader *loader, uint64_t address)
{
  uint32_t number = cs_recording_known(loader->recording, &loader->variants, address);
  if (number == CS_NONE || cs_profile_variant(loader->profile, loader->first_variant + number)->context == CS_NONE)
    return CS_NONE;
  return loader->first_variant + number;
}

/* What is still to be read of a thread when all trees are there. */
struct open_thread {
  uint32_t process;            /* loader.number */
  uint32_t first_frame, count; /* in reading.frames */
  uint64_t end_ticks;
};

/* What is kept of all threads until their trees are there. */
struct reading {
  struct cs_vector open;   /* struct open_thread */
  struct cs_vector frames; /* struct cs_loaded_frame */
  struct cs_vector lists;  /* struct cs_kept_lists */
};

/* Keeps what is open in a thread, and where its lists begin. */
static int keep_open(struct cs_loader *loader, const struct cs_rec_thread *record, struct reading *reading)
{
  uint32_t first = reading->frames.count;
  int result = cs_load_stacks(loader, record->first_stack, &reading->frames);
  if (result < 0)
    return result;
  struct open_thread *added = cs_vector_add(&reading->open, 1);
  struct cs_kept_lists *lists = cs_vector_add(&reading->lists, 1);
  if (!added || !lists)
    return -ENOMEM;
  *added = (struct open_thread){.process = loader->number,
                                .first_frame = first,
                                .count = reading->frames.count - first,
                                .end_ticks = record->end_ticks};
  *lists = (struct cs_kept_lists){.first_tasks = record->first_tasks, .first_queue_use = record->first_queue_use};
  return 0;
}

static int load_thread(struct cs_loader *loader, const struct cs_rec_thread *record, struct reading *reading)
{
  struct cs_profile *profile = loader->profile;
  cs_load_choose_process(loader, record->process);
  struct cs_known_thread thread = {.recording = loader->number,
                                   .tid = record->tid,
                                   .root = CS_NONE,
                                   .state = record->state,
                                   .start_ticks = record->start_ticks,
                                   .end_ticks = record->end_ticks,
                                   .threads = record->threads};
  memcpy(thread.raw_name, record->name, sizeof thread.raw_name);
  int result = cs_load_label_thread(profile, &thread);
  if (result < 0)
    return result;
  struct cs_known_thread *slot = cs_vector_add(&profile->threads, 1);
  if (!slot)
    return -ENOMEM;
  *slot = thread;
  if (record->state == CS_THREAD_FOLDED)
    cs_profile_recording(profile, loader->number)->folded_threads += record->threads;
  uint32_t number = profile->threads.count - 1;
  result = keep_open(loader, record, reading);
  if (result == 0)
    result = load_tree(loader, record->first_edge, number);
  cs_profile_thread(profile, number)->root = find_root(loader, record->root);
  return result == 0 && profile->keeps_timeline ? cs_load_ring(loader, record->ring) : result;
}

static int load_open_threads(struct cs_loader *loader, const struct reading *reading)
{
  int result = 0;
  for (uint32_t i = 0; i < reading->open.count && result == 0; i++) {
    const struct open_thread *thread = cs_vector_at(&reading->open, i);
    loader->number = thread->process;
    if (thread->count > 0)
      result = cs_load_open_frames(loader, cs_vector_at(&reading->frames, thread->first_frame), thread->count,
                                   thread->end_ticks);
  }
  return result;
}

/* The trees of all threads; into `reading` what is still to be done of each. */
static int load_trees(struct cs_loader *loader, struct reading *reading)
{
  struct cs_vector threads = CS_VECTOR_OF(uint64_t);
  uint64_t address = loader->recording->header.first_thread;
  int result = 0;
  while (address && result == 0) {
    uint32_t number;
    struct cs_record record;
    result = cs_recording_number(loader->recording, &threads, address, CS_TAG_THREAD, sizeof(struct cs_rec_thread),
                                 &number, &record);
    if (result != CS_RECORD_NEW)
      break;
    struct cs_rec_thread thread;
    memcpy(&thread, record.data, sizeof thread);
    result = load_thread(loader, &thread, reading);
    address = thread.next;
  }
  cs_vector_free(&threads);
  return result < 0 ? result : 0;
}

static int load_threads(struct cs_loader *loader)
{
  struct reading reading = {.open = CS_VECTOR_OF(struct open_thread),
                            .frames = CS_VECTOR_OF(struct cs_loaded_frame),
                            .lists = CS_VECTOR_OF(struct cs_kept_lists)};
  uint32_t first = loader->profile->threads.count;
  int result = load_trees(loader, &reading);
  if (result == 0)
    result = cs_load_cover(loader->profile, loader->first_context, loader->first_code);
  if (result == 0)
    result = load_open_threads(loader, &reading);
  if (result == 0)
    result = cs_load_kept(loader, &reading.lists, first);
  cs_vector_free(&reading.open);
  cs_vector_free(&reading.frames);
  cs_vector_free(&reading.lists);
  return result;
}

static int load_all(struct cs_loader *loader)
{
  int result = cs_load_processes(loader);
  if (result == 0)
    result = cs_load_modules(loader);
  if (result == 0)
    result = cs_load_stages(loader);
  if (result == 0)
    result = load_threads(loader);
  if (result == 0)
    cs_load_finish_processes(loader);
  return result;
}

int cs_load(struct cs_profile *profile, struct cs_recording *recording, const struct cs_rec_clock_point *now)
{
  struct cs_loader loader = {
      .profile = profile,
      .recording = recording,
      .now = now,
      .modules = CS_VECTOR_OF(uint64_t),
      .stages = CS_VECTOR_OF(uint64_t),
      .functions = CS_VECTOR_OF(uint64_t),
      .contexts = CS_VECTOR_OF(uint64_t),
      .variants = CS_VECTOR_OF(uint64_t),
      .signatures = CS_VECTOR_OF(uint64_t),
      .edges = CS_VECTOR_OF(uint64_t),
      .stacks = CS_VECTOR_OF(uint64_t),
      .processes = CS_VECTOR_OF(uint64_t),
      .stage_of = CS_VECTOR_OF(uint32_t),
      .code_of = CS_VECTOR_OF(uint32_t),
      .signature_of = CS_VECTOR_OF(uint32_t),
      .first_kept_stage = profile->kept.stages.count,
      .first_process = profile->recordings.count,
      .first_code = profile->codes.count,
      .first_context = profile->contexts.count,
      .first_variant = profile->variants.count,
      .first_edge = profile->edges.count,
  };
  int result = load_all(&loader);
  struct cs_vector *vectors[] = {&loader.modules,   &loader.stages,     &loader.functions, &loader.contexts,
                                 &loader.variants,  &loader.signatures, &loader.edges,     &loader.stacks,
                                 &loader.processes, &loader.stage_of,   &loader.code_of,   &loader.signature_of};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
    cs_vector_free(vectors[i]);
  cs_idset_free(&loader.indexes);
  cs_arguments_free(&loader.arguments);
  return result < 0 ? cs_stats_no_memory() : cs_recording_failed(recording);
}
