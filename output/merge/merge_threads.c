/* Threads of one process that have one name become one, and their trees one tree. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/merge/merge_threads.h"
#include "output/merge/merge_times.h"
#include "output/profile/load.h"
#include "output/stats/stats_object.h"
#include "output/text/message.h"
#include "output/text/text.h"

/* The new arrays on their way, and where each old number went. */
struct merge {
  struct out_profile *profile;
  const struct out_merge_processes *processes;
  struct base_vector threads, contexts, variants, edges, recursions, samplings;
  uint32_t *edge_of; /* by old edge: the new one; FMT_NONE where it is no call */
  struct out_idset callable_set, thread_set, context_set, variant_set, edge_set;
  uint32_t *callable_of;   /* by callable: the first that is the same */
  uint32_t *thread_of;     /* by old thread: the new one */
  uint32_t *owner;         /* by old context: the new thread whose tree it is in */
  uint32_t *context_of;    /* by old context */
  uint32_t *variant_of;    /* by old variant */
  struct base_vector keys; /* struct context_key by new context */
};

/* What makes two contexts one. Roots have no parent: they are told apart by their thread. */
struct context_key {
  uint32_t parent, callable, thread, is_root;
};

static int add(struct out_idset *set, uint64_t hash, struct base_vector *list, const void *entry, uint32_t *number)
{
  void *added = base_vector_add(list, 1);
  if (!added)
    return -ENOMEM;
  memcpy(added, entry, list->entry_size);
  *number = list->count - 1;
  return out_idset_add(set, hash, *number);
}

static bool equal_thread(const void *owner, uint32_t number, const void *key)
{
  const struct merge *merge = owner;
  const struct out_known_thread *there = base_vector_at(&merge->threads, number), *wanted = key;
  return there->recording == wanted->recording &&
         strncmp(there->raw_name, wanted->raw_name, sizeof there->raw_name) == 0;
}

static int merge_thread(struct merge *merge, uint32_t old)
{
  struct out_known_thread moved = *out_profile_thread(merge->profile, old), *thread = &moved;
  const bool joins = merge->processes->joins[thread->recording];
  thread->recording = merge->processes->process_of[thread->recording];
  uint64_t hash = thread->recording;
  for (size_t i = 0; i < sizeof thread->raw_name && thread->raw_name[i]; i++)
    hash = out_hash_mix(hash, (unsigned char)thread->raw_name[i]);
  uint32_t known = joins ? out_idset_find(&merge->thread_set, hash, merge, thread, equal_thread) : FMT_NONE;
  merge->thread_of[old] = known;
  if (known == FMT_NONE)
    return add(&merge->thread_set, hash, &merge->threads, thread, &merge->thread_of[old]);
  struct out_known_thread *into = base_vector_at(&merge->threads, known);
  bool live = !into->end_ticks || !thread->end_ticks;
  into->tid = 0;
  into->state = FMT_THREAD_FOLDED;
  into->threads += thread->threads;
  into->overwritten += thread->overwritten;
  out_asked_add(&into->asked, &thread->asked);
  into->start_ticks = thread->start_ticks < into->start_ticks ? thread->start_ticks : into->start_ticks;
  into->end_ticks = live ? 0 : (thread->end_ticks > into->end_ticks ? thread->end_ticks : into->end_ticks);
  if (into->root == FMT_NONE)
    into->root = thread->root;
  return 0;
}

static bool equal_callable(const void *owner, uint32_t number, const void *key)
{
  const struct out_callable *there = out_profile_callable(owner, number), *wanted = key;
  return there->function == wanted->function && there->module == wanted->module && there->layout == wanted->layout &&
         there->entry == wanted->entry && there->stage == wanted->stage && there->address == wanted->address;
}

/* Threads number functions that are in no index for themselves. */
static int merge_callable(struct merge *merge, uint32_t old)
{
  const struct out_callable *callable = out_profile_callable(merge->profile, old);
  uint64_t hash = out_hash_mix(out_hash_mix(callable->function, callable->module), callable->address);
  merge->callable_of[old] = out_idset_find(&merge->callable_set, hash, merge->profile, callable, equal_callable);
  if (merge->callable_of[old] != FMT_NONE)
    return 0;
  merge->callable_of[old] = old;
  return out_idset_add(&merge->callable_set, hash, old);
}

/* Every context on the way from a variant up belongs to the thread. */
static void own(struct merge *merge, uint32_t variant, uint32_t thread)
{
  if (variant == FMT_NONE)
    return;
  uint32_t context = out_profile_variant(merge->profile, variant)->context;
  while (context != FMT_NONE && merge->owner[context] == FMT_NONE) {
    merge->owner[context] = thread;
    context = out_profile_context(merge->profile, context)->parent;
  }
}

static void find_owners(struct merge *merge)
{
  for (uint32_t i = 0; i < merge->profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(merge->profile, i);
    own(merge, edge->to, merge->thread_of[edge->thread]);
    own(merge, edge->from, merge->thread_of[edge->thread]);
  }
  for (uint32_t i = 0; i < merge->profile->threads.count; i++)
    own(merge, out_profile_thread(merge->profile, i)->root, merge->thread_of[i]);
}

static bool equal_context(const void *owner, uint32_t number, const void *key)
{
  const struct merge *merge = owner;
  return memcmp(base_vector_at(&merge->keys, number), key, sizeof(struct context_key)) == 0;
}

/* The new context of an old one whose parent has its own already. */
static int merge_context(struct merge *merge, uint32_t old)
{
  const struct out_context *context = out_profile_context(merge->profile, old);
  bool is_root = context->parent == FMT_NONE;
  struct context_key key = {.parent = is_root ? FMT_NONE : merge->context_of[context->parent],
                            .callable =
                                context->callable == FMT_NONE ? FMT_NONE : merge->callable_of[context->callable],
                            .thread = is_root ? merge->owner[old] : FMT_NONE,
                            .is_root = is_root};
  uint64_t hash = out_hash_mix(out_hash_mix(key.parent, key.callable), key.thread);
  merge->context_of[old] = out_idset_find(&merge->context_set, hash, merge, &key, equal_context);
  if (merge->context_of[old] != FMT_NONE)
    return 0;
  struct out_context *added = base_vector_add(&merge->contexts, 1);
  if (!added)
    return -ENOMEM;
  *added = (struct out_context){.parent = key.parent, .callable = key.callable};
  return add(&merge->context_set, hash, &merge->keys, &key, &merge->context_of[old]);
}

static int merge_contexts(struct merge *merge)
{
  const struct out_profile *profile = merge->profile;
  int result = 0;
  for (uint32_t i = 0; i < profile->preorder.count && result == 0; i++)
    result = merge_context(merge, *(uint32_t *)base_vector_at(&profile->preorder, i));
  return result;
}

static bool equal_variant(const void *owner, uint32_t number, const void *key)
{
  const struct merge *merge = owner;
  return memcmp(base_vector_at(&merge->variants, number), key, sizeof(struct out_variant)) == 0;
}

static int merge_variant(struct merge *merge, uint32_t old)
{
  struct out_variant variant = *out_profile_variant(merge->profile, old);
  if (variant.context != FMT_NONE)
    variant.context = merge->context_of[variant.context];
  uint64_t hash = out_hash_mix(variant.context, variant.signature);
  merge->variant_of[old] = out_idset_find(&merge->variant_set, hash, merge, &variant, equal_variant);
  if (merge->variant_of[old] != FMT_NONE)
    return 0;
  return add(&merge->variant_set, hash, &merge->variants, &variant, &merge->variant_of[old]);
}

static bool equal_edge(const void *owner, uint32_t number, const void *key)
{
  const struct merge *merge = owner;
  const struct out_edge *there = base_vector_at(&merge->edges, number), *wanted = key;
  return there->from == wanted->from && there->to == wanted->to && there->thread == wanted->thread &&
         there->place == wanted->place && there->is_inherited == wanted->is_inherited;
}

/* Adds an old recursion record to `into`, which gets a record of its own when it has none. */
static int merge_recursion(struct merge *merge, uint32_t old, struct out_edge *into)
{
  if (old == FMT_NONE)
    return 0;
  if (into->recursion == FMT_NONE) {
    if (!base_vector_add(&merge->recursions, 1))
      return -ENOMEM;
    into->recursion = merge->recursions.count - 1;
  }
  struct out_recursion *sum = base_vector_at(&merge->recursions, into->recursion);
  const struct out_recursion *recursion = out_profile_recursion(merge->profile, old);
  sum->calls += recursion->calls;
  sum->total += recursion->total;
  sum->open += recursion->open;
  for (uint32_t i = 0; i < FMT_GROUP_COUNT; i++) {
    sum->primitive[i] += recursion->primitive[i];
    sum->cumulative[i] += recursion->cumulative[i];
  }
  sum->apart += recursion->apart;
  sum->apart_total += recursion->apart_total;
  return 0;
}

/* What a sampling record would say of an edge that has none, as all its calls were timed. Their squares are not known:
 * those of their mean stand in for them. */
static struct out_sampling all_timed(const struct out_edge *edge, const struct out_recursion *recursion)
{
  uint64_t calls = edge->calls + (recursion ? recursion->calls - recursion->open : 0);
  uint64_t total = edge->total + (recursion ? recursion->total : 0);
  unsigned __int128 squares = calls ? (unsigned __int128)total * total / calls : 0;
  return (struct out_sampling){.timed = calls,
                               .timed_total = total,
                               .squares_low = (uint64_t)squares,
                               .squares_high = (uint64_t)(squares >> 64),
                               .sleep = FMT_NONE};
}

static const struct out_recursion *recursion_of(const struct base_vector *recursions, const struct out_edge *edge)
{
  return edge->recursion == FMT_NONE ? NULL : base_vector_at(recursions, edge->recursion);
}

/* Gives `into`, which has none, a sampling record of its own. */
static int add_sampling(struct merge *merge, struct out_edge *into, const struct out_sampling *sampling)
{
  struct out_sampling *added = base_vector_add(&merge->samplings, 1);
  if (!added)
    return -ENOMEM;
  *added = *sampling;
  added->imputed = 0;
  into->sampling = merge->samplings.count - 1;
  return 0;
}

/* Adds how the calls of `old`, an edge of the profile, were timed to `into`, which has their counters not yet. */
static int merge_sampling(struct merge *merge, const struct out_edge *old, struct out_edge *into)
{
  const struct out_profile *profile = merge->profile;
  if (old->sampling == FMT_NONE && into->sampling == FMT_NONE)
    return 0;
  if (into->sampling == FMT_NONE) {
    struct out_sampling before = all_timed(into, recursion_of(&merge->recursions, into));
    int result = add_sampling(merge, into, &before);
    if (result < 0)
      return result;
  }
  struct out_sampling more = old->sampling == FMT_NONE ? all_timed(old, recursion_of(&profile->recursions, old))
                                                       : *out_profile_sampling(profile, old->sampling);
  struct out_sampling *sum = base_vector_at(&merge->samplings, into->sampling);
  sum->timed += more.timed;
  sum->timed_total += more.timed_total;
  sum->squares_low += more.squares_low;
  sum->squares_high += more.squares_high + (sum->squares_low < more.squares_low);
  if (more.sleep != FMT_NONE) {
    const struct out_sleep sleep = *out_profile_sleep(profile, more.sleep);
    return out_load_sleep(merge->profile, sum, &sleep);
  }
  return 0;
}

static void add_counters(struct out_edge *into, const struct out_edge *edge)
{
  into->calls += edge->calls;
  into->total += edge->total;
  into->children += edge->children;
  into->overhead += edge->overhead;
  into->inherited += edge->inherited < UINT32_MAX - into->inherited ? edge->inherited : UINT32_MAX - into->inherited;
  into->min = edge->min < into->min ? edge->min : into->min;
  into->max = edge->max > into->max ? edge->max : into->max;
}

/* Each of the profile's records is of one old edge, so that the first of those that meet may keep its own. */
static void merge_asked(struct merge *merge, uint32_t old, struct out_edge *into)
{
  if (old == FMT_NONE)
    return;
  if (into->asked == FMT_NONE)
    into->asked = old;
  else
    out_asked_add(out_profile_asked(merge->profile, into->asked), out_profile_asked(merge->profile, old));
}

static int merge_edge(struct merge *merge, uint32_t old)
{
  const struct out_edge *from = out_profile_edge(merge->profile, old);
  struct out_edge edge = *from;
  uint32_t number;
  if (edge.to == FMT_NONE)
    return 0;
  edge.recursion = edge.sampling = FMT_NONE;
  edge.to = merge->variant_of[edge.to];
  edge.from = edge.from == FMT_NONE ? FMT_NONE : merge->variant_of[edge.from];
  edge.thread = merge->thread_of[edge.thread];
  uint64_t hash = out_hash_mix(out_hash_mix(edge.from, edge.to), (uint64_t)edge.place << 32 | edge.thread);
  number = out_idset_find(&merge->edge_set, hash, merge, &edge, equal_edge);
  merge->edge_of[old] = number;
  int result = 0;
  if (number != FMT_NONE) {
    result = merge_sampling(merge, from, base_vector_at(&merge->edges, number));
    add_counters(base_vector_at(&merge->edges, number), &edge);
    merge_asked(merge, from->asked, base_vector_at(&merge->edges, number));
  } else {
    if (from->sampling != FMT_NONE)
      result = add_sampling(merge, &edge, out_profile_sampling(merge->profile, from->sampling));
    if (result == 0)
      result = add(&merge->edge_set, hash, &merge->edges, &edge, &number);
    merge->edge_of[old] = number;
  }
  return result < 0 ? result : merge_recursion(merge, from->recursion, base_vector_at(&merge->edges, number));
}

static uint32_t *numbers(uint32_t count)
{
  uint32_t *list = malloc((count + 1u) * sizeof *list);
  if (list)
    memset(list, 0xFF, (count + 1u) * sizeof *list);
  return list;
}

static int merge_all(struct merge *merge)
{
  const struct out_profile *profile = merge->profile;
  int result = 0;
  if (!merge->callable_of || !merge->thread_of || !merge->owner || !merge->context_of || !merge->variant_of ||
      !merge->edge_of)
    return -ENOMEM;
  for (uint32_t i = 0; i < profile->callables.count && result == 0; i++)
    result = merge_callable(merge, i);
  for (uint32_t i = 0; i < profile->threads.count && result == 0; i++)
    result = merge_thread(merge, i);
  if (result == 0) {
    find_owners(merge);
    result = merge_contexts(merge);
  }
  for (uint32_t i = 0; i < profile->variants.count && result == 0; i++)
    result = merge_variant(merge, i);
  for (uint32_t i = 0; i < profile->edges.count && result == 0; i++)
    result = merge_edge(merge, i);
  return result;
}

/* What refers to variants, edges and threads from elsewhere. */
static void move_references(struct merge *merge)
{
  struct out_profile *profile = merge->profile;
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    uint32_t *innermost = &out_profile_recording(profile, i)->innermost;
    *innermost = *innermost == FMT_NONE ? FMT_NONE : merge->variant_of[*innermost];
    out_profile_recording(profile, i)->folded_threads = 0;
  }
  for (uint32_t i = 0; i < profile->stage_records.tasks.count; i++) {
    struct out_tasks_record *tasks = base_vector_at(&profile->stage_records.tasks, i);
    tasks->thread = merge->thread_of[tasks->thread];
    for (unsigned j = 0; j < FMT_WAIT_SLOTS; j++)
      if (tasks->waits.slots[j].edge)
        tasks->waits.slots[j].edge = merge->edge_of[tasks->waits.slots[j].edge - 1] + UINT64_C(1);
  }
  for (uint32_t i = 0; i < profile->stage_records.uses.count; i++) {
    struct out_queue_use_record *use = base_vector_at(&profile->stage_records.uses, i);
    use->thread = merge->thread_of[use->thread];
  }
  for (uint32_t i = 0; i < profile->stage_records.counter_uses.count; i++) {
    struct out_counter_use_record *use = base_vector_at(&profile->stage_records.counter_uses, i);
    use->thread = merge->thread_of[use->thread];
  }
  for (uint32_t i = 0; i < profile->spans.count; i++) {
    struct out_span *span = out_profile_span(profile, i);
    span->thread = merge->thread_of[span->thread];
    if (span->kind == FMT_SPAN_CALL || span->kind == FMT_SPAN_TASK)
      span->what = merge->edge_of[span->what];
  }
}

static int label_threads(struct merge *merge)
{
  struct out_profile *profile = merge->profile;
  for (uint32_t i = 0; i < merge->threads.count; i++) {
    struct out_known_thread *thread = base_vector_at(&merge->threads, i);
    thread->root = thread->root == FMT_NONE ? FMT_NONE : merge->variant_of[thread->root];
    if (thread->state != FMT_THREAD_FOLDED)
      continue;
    const uint32_t process = merge->processes->first_of[thread->recording];
    out_profile_recording(profile, process)->folded_threads += thread->threads;
    int result = out_load_label_thread(profile, thread);
    if (result < 0)
      return result;
  }
  return 0;
}

static void exchange(struct base_vector *left, struct base_vector *right)
{
  struct base_vector kept = *left;
  *left = *right;
  *right = kept;
}

static void take_over(struct merge *merge)
{
  struct out_profile *profile = merge->profile;
  exchange(&profile->threads, &merge->threads);
  exchange(&profile->contexts, &merge->contexts);
  exchange(&profile->variants, &merge->variants);
  exchange(&profile->edges, &merge->edges);
  exchange(&profile->recursions, &merge->recursions);
  exchange(&profile->samplings, &merge->samplings);
  profile->preorder.count = 0;
}

static void release(struct merge *merge)
{
  struct base_vector *vectors[] = {&merge->threads,    &merge->contexts,  &merge->variants, &merge->edges,
                                   &merge->recursions, &merge->samplings, &merge->keys};
  struct out_idset *sets[] = {&merge->callable_set, &merge->thread_set, &merge->context_set, &merge->variant_set,
                              &merge->edge_set};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
    base_vector_free(vectors[i]);
  for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
    out_idset_free(sets[i]);
  free(merge->callable_of);
  free(merge->thread_of);
  free(merge->owner);
  free(merge->context_of);
  free(merge->variant_of);
  free(merge->edge_of);
}

int out_merge_threads(struct callsig_stats *stats, const struct out_merge_processes *processes)
{
  struct out_profile *profile = &stats->profile;
  struct merge merge = {
      .profile = profile,
      .processes = processes,
      .threads = BASE_VECTOR_OF(struct out_known_thread),
      .contexts = BASE_VECTOR_OF(struct out_context),
      .variants = BASE_VECTOR_OF(struct out_variant),
      .edges = BASE_VECTOR_OF(struct out_edge),
      .recursions = BASE_VECTOR_OF(struct out_recursion),
      .samplings = BASE_VECTOR_OF(struct out_sampling),
      .keys = BASE_VECTOR_OF(struct context_key),
      .callable_of = numbers(profile->callables.count),
      .thread_of = numbers(profile->threads.count),
      .owner = numbers(profile->contexts.count),
      .context_of = numbers(profile->contexts.count),
      .variant_of = numbers(profile->variants.count),
      .edge_of = numbers(profile->edges.count),
  };
  out_stats_forget(stats);
  int result = merge_all(&merge);
  if (result == 0)
    result = out_merge_times(profile, merge.edge_of, merge.edges.count);
  if (result == 0) {
    move_references(&merge);
    result = label_threads(&merge);
  }
  if (result == 0) {
    take_over(&merge);
    result = out_load_enclosing(profile, 0, 0);
  }
  release(&merge);
  return result;
}
