/* callsig_stats_fold(): threads of one process that have one name become one, and their trees one tree. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/merge/fold_times.h"
#include "output/profile/load.h"
#include "output/stats/stats_object.h"
#include "output/text/message.h"
#include "output/text/text.h"

/* The new arrays on their way, and where each old number went. */
struct fold {
  struct out_profile *profile;
  struct base_vector threads, contexts, variants, edges, recursions;
  uint32_t *edge_of; /* by old edge: the new one; FMT_NONE where it is no call */
  struct out_idset code_set, thread_set, context_set, variant_set, edge_set;
  uint32_t *code_of;       /* by code: the first that is the same */
  uint32_t *thread_of;     /* by old thread: the new one */
  uint32_t *owner;         /* by old context: the new thread whose tree it is in */
  uint32_t *context_of;    /* by old context */
  uint32_t *variant_of;    /* by old variant */
  struct base_vector keys; /* struct context_key by new context */
};

/* What makes two contexts one. Roots have no parent: they are told apart by their thread. */
struct context_key {
  uint32_t parent, code, thread, is_root;
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
  const struct fold *fold = owner;
  const struct out_known_thread *there = base_vector_at(&fold->threads, number), *wanted = key;
  return there->recording == wanted->recording &&
         strncmp(there->raw_name, wanted->raw_name, sizeof there->raw_name) == 0;
}

static int fold_thread(struct fold *fold, uint32_t old)
{
  const struct out_known_thread *thread = out_profile_thread(fold->profile, old);
  uint64_t hash = thread->recording;
  for (size_t i = 0; i < sizeof thread->raw_name && thread->raw_name[i]; i++)
    hash = out_hash_mix(hash, (unsigned char)thread->raw_name[i]);
  uint32_t known = out_idset_find(&fold->thread_set, hash, fold, thread, equal_thread);
  fold->thread_of[old] = known;
  if (known == FMT_NONE)
    return add(&fold->thread_set, hash, &fold->threads, thread, &fold->thread_of[old]);
  struct out_known_thread *into = base_vector_at(&fold->threads, known);
  bool live = !into->end_ticks || !thread->end_ticks;
  into->tid = 0;
  into->state = FMT_THREAD_FOLDED;
  into->threads += thread->threads;
  into->overwritten += thread->overwritten;
  into->start_ticks = thread->start_ticks < into->start_ticks ? thread->start_ticks : into->start_ticks;
  into->end_ticks = live ? 0 : (thread->end_ticks > into->end_ticks ? thread->end_ticks : into->end_ticks);
  if (into->root == FMT_NONE)
    into->root = thread->root;
  return 0;
}

static bool equal_code(const void *owner, uint32_t number, const void *key)
{
  const struct out_code *there = out_profile_code(owner, number), *wanted = key;
  return there->function == wanted->function && there->module == wanted->module && there->layout == wanted->layout &&
         there->entry == wanted->entry && there->stage == wanted->stage && there->address == wanted->address;
}

/* Threads number code that is in no index for themselves. */
static int fold_code(struct fold *fold, uint32_t old)
{
  const struct out_code *code = out_profile_code(fold->profile, old);
  uint64_t hash = out_hash_mix(out_hash_mix(code->function, code->module), code->address);
  fold->code_of[old] = out_idset_find(&fold->code_set, hash, fold->profile, code, equal_code);
  if (fold->code_of[old] != FMT_NONE)
    return 0;
  fold->code_of[old] = old;
  return out_idset_add(&fold->code_set, hash, old);
}

/* Every context on the way from a variant up belongs to the thread. */
static void own(struct fold *fold, uint32_t variant, uint32_t thread)
{
  if (variant == FMT_NONE)
    return;
  uint32_t context = out_profile_variant(fold->profile, variant)->context;
  while (context != FMT_NONE && fold->owner[context] == FMT_NONE) {
    fold->owner[context] = thread;
    context = out_profile_context(fold->profile, context)->parent;
  }
}

static void find_owners(struct fold *fold)
{
  for (uint32_t i = 0; i < fold->profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(fold->profile, i);
    own(fold, edge->to, fold->thread_of[edge->thread]);
    own(fold, edge->from, fold->thread_of[edge->thread]);
  }
  for (uint32_t i = 0; i < fold->profile->threads.count; i++)
    own(fold, out_profile_thread(fold->profile, i)->root, fold->thread_of[i]);
}

static bool equal_context(const void *owner, uint32_t number, const void *key)
{
  const struct fold *fold = owner;
  return memcmp(base_vector_at(&fold->keys, number), key, sizeof(struct context_key)) == 0;
}

/* The new context of an old one whose parent has its own already. */
static int fold_context(struct fold *fold, uint32_t old)
{
  const struct out_context *context = out_profile_context(fold->profile, old);
  bool is_root = context->parent == FMT_NONE;
  struct context_key key = {.parent = is_root ? FMT_NONE : fold->context_of[context->parent],
                            .code = context->code == FMT_NONE ? FMT_NONE : fold->code_of[context->code],
                            .thread = is_root ? fold->owner[old] : FMT_NONE,
                            .is_root = is_root};
  uint64_t hash = out_hash_mix(out_hash_mix(key.parent, key.code), key.thread);
  fold->context_of[old] = out_idset_find(&fold->context_set, hash, fold, &key, equal_context);
  if (fold->context_of[old] != FMT_NONE)
    return 0;
  struct out_context *added = base_vector_add(&fold->contexts, 1);
  if (!added)
    return -ENOMEM;
  *added = (struct out_context){.parent = key.parent, .code = key.code};
  return add(&fold->context_set, hash, &fold->keys, &key, &fold->context_of[old]);
}

static int fold_contexts(struct fold *fold)
{
  const struct out_profile *profile = fold->profile;
  int result = 0;
  for (uint32_t i = 0; i < profile->preorder.count && result == 0; i++)
    result = fold_context(fold, *(uint32_t *)base_vector_at(&profile->preorder, i));
  /* What a damaged file hangs on a cycle has no place in a tree: each is a root of its own kind. */
  for (uint32_t i = 0; i < profile->contexts.count && result == 0; i++) {
    if (fold->context_of[i] == FMT_NONE) {
      out_profile_context(profile, i)->parent = FMT_NONE;
      result = fold_context(fold, i);
    }
  }
  return result;
}

static bool equal_variant(const void *owner, uint32_t number, const void *key)
{
  const struct fold *fold = owner;
  return memcmp(base_vector_at(&fold->variants, number), key, sizeof(struct out_variant)) == 0;
}

static int fold_variant(struct fold *fold, uint32_t old)
{
  struct out_variant variant = *out_profile_variant(fold->profile, old);
  if (variant.context != FMT_NONE)
    variant.context = fold->context_of[variant.context];
  uint64_t hash = out_hash_mix(variant.context, variant.signature);
  fold->variant_of[old] = out_idset_find(&fold->variant_set, hash, fold, &variant, equal_variant);
  if (fold->variant_of[old] != FMT_NONE)
    return 0;
  return add(&fold->variant_set, hash, &fold->variants, &variant, &fold->variant_of[old]);
}

static bool equal_edge(const void *owner, uint32_t number, const void *key)
{
  const struct fold *fold = owner;
  const struct out_edge *there = base_vector_at(&fold->edges, number), *wanted = key;
  return there->from == wanted->from && there->to == wanted->to && there->thread == wanted->thread;
}

/* Adds an old recursion record to `into`, which gets a record of its own when it has none. */
static int fold_recursion(struct fold *fold, uint32_t old, struct out_edge *into)
{
  if (old == FMT_NONE)
    return 0;
  if (into->recursion == FMT_NONE) {
    if (!base_vector_add(&fold->recursions, 1))
      return -ENOMEM;
    into->recursion = fold->recursions.count - 1;
  }
  struct out_recursion *sum = base_vector_at(&fold->recursions, into->recursion);
  const struct out_recursion *recursion = out_profile_recursion(fold->profile, old);
  sum->calls += recursion->calls;
  sum->total += recursion->total;
  sum->open += recursion->open;
  for (uint32_t i = 0; i < FMT_GROUP_COUNT; i++) {
    sum->primitive[i] += recursion->primitive[i];
    sum->cumulative[i] += recursion->cumulative[i];
  }
  return 0;
}

static void add_counters(struct out_edge *into, const struct out_edge *edge)
{
  into->calls += edge->calls;
  into->total += edge->total;
  into->children += edge->children;
  into->overhead += edge->overhead;
  into->min = edge->min < into->min ? edge->min : into->min;
  into->max = edge->max > into->max ? edge->max : into->max;
}

static int fold_edge(struct fold *fold, uint32_t old)
{
  struct out_edge edge = *out_profile_edge(fold->profile, old);
  uint32_t recursion = edge.recursion, number;
  if (edge.to == FMT_NONE)
    return 0;
  edge.recursion = FMT_NONE;
  edge.to = fold->variant_of[edge.to];
  edge.from = edge.from == FMT_NONE ? FMT_NONE : fold->variant_of[edge.from];
  edge.thread = fold->thread_of[edge.thread];
  uint64_t hash = out_hash_mix(out_hash_mix(edge.from, edge.to), edge.thread);
  number = out_idset_find(&fold->edge_set, hash, fold, &edge, equal_edge);
  fold->edge_of[old] = number;
  if (number != FMT_NONE) {
    add_counters(base_vector_at(&fold->edges, number), &edge);
  } else {
    int result = add(&fold->edge_set, hash, &fold->edges, &edge, &number);
    if (result < 0)
      return result;
    fold->edge_of[old] = number;
  }
  return fold_recursion(fold, recursion, base_vector_at(&fold->edges, number));
}

static uint32_t *numbers(uint32_t count)
{
  uint32_t *list = malloc((count + 1u) * sizeof *list);
  if (list)
    memset(list, 0xFF, (count + 1u) * sizeof *list);
  return list;
}

static int fold_all(struct fold *fold)
{
  const struct out_profile *profile = fold->profile;
  int result = 0;
  if (!fold->code_of || !fold->thread_of || !fold->owner || !fold->context_of || !fold->variant_of || !fold->edge_of)
    return -ENOMEM;
  for (uint32_t i = 0; i < profile->codes.count && result == 0; i++)
    result = fold_code(fold, i);
  for (uint32_t i = 0; i < profile->threads.count && result == 0; i++)
    result = fold_thread(fold, i);
  if (result == 0) {
    find_owners(fold);
    result = fold_contexts(fold);
  }
  for (uint32_t i = 0; i < profile->variants.count && result == 0; i++)
    result = fold_variant(fold, i);
  for (uint32_t i = 0; i < profile->edges.count && result == 0; i++)
    result = fold_edge(fold, i);
  return result;
}

/* What refers to variants, edges and threads from elsewhere. */
static int label_threads(struct fold *fold)
{
  struct out_profile *profile = fold->profile;
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    uint32_t *innermost = &out_profile_recording(profile, i)->innermost;
    *innermost = *innermost == FMT_NONE ? FMT_NONE : fold->variant_of[*innermost];
    out_profile_recording(profile, i)->folded_threads = 0;
  }
  for (uint32_t i = 0; i < profile->kept.tasks.count; i++) {
    struct out_kept_tasks *tasks = base_vector_at(&profile->kept.tasks, i);
    tasks->thread = fold->thread_of[tasks->thread];
  }
  for (uint32_t i = 0; i < profile->kept.uses.count; i++) {
    struct out_kept_use *use = base_vector_at(&profile->kept.uses, i);
    use->thread = fold->thread_of[use->thread];
  }
  for (uint32_t i = 0; i < profile->spans.count; i++) {
    struct out_span *span = out_profile_span(profile, i);
    span->thread = fold->thread_of[span->thread];
    if (span->kind == FMT_SPAN_CALL || span->kind == FMT_SPAN_TASK)
      span->what = fold->edge_of[span->what];
  }
  for (uint32_t i = 0; i < fold->threads.count; i++) {
    struct out_known_thread *thread = base_vector_at(&fold->threads, i);
    thread->root = thread->root == FMT_NONE ? FMT_NONE : fold->variant_of[thread->root];
    if (thread->state != FMT_THREAD_FOLDED)
      continue;
    out_profile_recording(profile, thread->recording)->folded_threads += thread->threads;
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

static void take_over(struct fold *fold)
{
  struct out_profile *profile = fold->profile;
  exchange(&profile->threads, &fold->threads);
  exchange(&profile->contexts, &fold->contexts);
  exchange(&profile->variants, &fold->variants);
  exchange(&profile->edges, &fold->edges);
  exchange(&profile->recursions, &fold->recursions);
  profile->preorder.count = 0;
}

static void release(struct fold *fold)
{
  struct base_vector *vectors[] = {&fold->threads, &fold->contexts,   &fold->variants,
                                   &fold->edges,   &fold->recursions, &fold->keys};
  struct out_idset *sets[] = {&fold->code_set, &fold->thread_set, &fold->context_set, &fold->variant_set,
                              &fold->edge_set};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
    base_vector_free(vectors[i]);
  for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
    out_idset_free(sets[i]);
  free(fold->code_of);
  free(fold->thread_of);
  free(fold->owner);
  free(fold->context_of);
  free(fold->variant_of);
  free(fold->edge_of);
}

int callsig_stats_fold(struct callsig_stats *stats)
{
  struct out_profile *profile = &stats->profile;
  struct fold fold = {
      .profile = profile,
      .threads = BASE_VECTOR_OF(struct out_known_thread),
      .contexts = BASE_VECTOR_OF(struct out_context),
      .variants = BASE_VECTOR_OF(struct out_variant),
      .edges = BASE_VECTOR_OF(struct out_edge),
      .recursions = BASE_VECTOR_OF(struct out_recursion),
      .keys = BASE_VECTOR_OF(struct context_key),
      .code_of = numbers(profile->codes.count),
      .thread_of = numbers(profile->threads.count),
      .owner = numbers(profile->contexts.count),
      .context_of = numbers(profile->contexts.count),
      .variant_of = numbers(profile->variants.count),
      .edge_of = numbers(profile->edges.count),
  };
  out_stats_forget(stats);
  int result = fold_all(&fold);
  if (result == 0)
    result = out_fold_times(profile, fold.edge_of, fold.edges.count);
  if (result == 0)
    result = label_threads(&fold);
  if (result == 0) {
    take_over(&fold);
    result = out_load_cover(profile, 0, 0);
  }
  release(&fold);
  return result < 0 ? out_stats_no_memory() : 0;
}
