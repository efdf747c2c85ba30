/*
 * Folding: the counters of an ended thread's tree are added to those of another tree.
 *
 * Edges are taken in the order in which they were made, so the caller of each is known when its turn comes. Contexts
 * map by their path of functions, so what was folded or merged in the source is so in the target. Signatures pass the
 * target's cardinality limit, whose budget then holds for all the threads that were folded together.
 */
#include "profiler/lifetime/tree_merge.h"

#include <errno.h>

#include "format/index.h"
#include "format/recording.h"
#include "profiler/base/arena.h"
#include "profiler/base/counter.h"
#include "profiler/base/histogram_record.h"
#include "profiler/base/process.h"
#include "profiler/base/recording.h"
#include "profiler/base/table.h"
#include "profiler/pipeline/counter.h"
#include "profiler/pipeline/queue.h"
#include "profiler/pipeline/stage.h"
#include "profiler/stack/ring.h"
#include "profiler/stack/sleeping.h"
#include "profiler/tree/asked.h"
#include "profiler/tree/cardinality_limit.h"
#include "profiler/tree/sampling.h"
#include "profiler/tree/tree.h"

/* Records of the source and what stands for them in the target, in memory that lives as long as the merge. */
struct merge {
  struct prof_tree *target;
  struct prof_arena scratch;
  struct prof_table map; /* struct mapped */
  uint64_t *words;       /* of a signature, and one more */
};

struct mapped {
  uint64_t source;
  void *target;
};

static void *find_mapped(const struct merge *merge, uint64_t source)
{
  const struct prof_table_slot *slot;
  for (uint64_t i = prof_hash_mix(0, source); (slot = prof_table_at(&merge->map, i))->item; i++) {
    const struct mapped *mapped = slot->item;
    if (mapped->source == source)
      return mapped->target;
  }
  return NULL;
}

/* Gives `target` back, or NULL without memory. */
static void *note_mapped(struct merge *merge, uint64_t source, void *target)
{
  struct mapped *mapped = target ? prof_arena_alloc(&merge->scratch, sizeof *mapped) : NULL;
  if (!mapped)
    return NULL;
  *mapped = (struct mapped){source, target};
  return prof_table_add(&merge->map, &merge->scratch, prof_hash_mix(0, source), mapped) ? target : NULL;
}

static struct fmt_rec_function *map_function(struct merge *merge, uint64_t source)
{
  struct fmt_rec_function *known = find_mapped(merge, source);
  if (known)
    return known;
  const struct fmt_rec_function *function = (const struct fmt_rec_function *)source;
  known = prof_tree_function(merge->target, function->module, function->kind, function->function, function->address);
  if (known && function->levels &&
      !prof_cardinality_raise(merge->target, known, (const struct fmt_rec_name *)function->levels))
    return NULL;
  return note_mapped(merge, source, known);
}

static struct fmt_rec_context *map_context(struct merge *merge, uint64_t source)
{
  struct fmt_rec_context *known = find_mapped(merge, source);
  if (known)
    return known;
  const struct fmt_rec_context *context = (const struct fmt_rec_context *)source;
  struct fmt_rec_function *function = map_function(merge, context->function);
  /* The parent was the caller of an older edge, or this is a merged context: then there is none, or it is one. */
  struct fmt_rec_context *parent = context->parent ? map_context(merge, context->parent) : NULL;
  if (!function || (context->parent && !parent))
    return NULL;
  return note_mapped(merge, source, prof_context_of(merge->target, parent, function));
}

/* The words of a signature as the target takes them, in merge->words. False: no space. */
static bool map_words(struct merge *merge, const struct fmt_rec_signature *signature, struct fmt_rec_function *function,
                      uint32_t *count)
{
  *count = signature->word_count;
  for (uint32_t i = 0; i < *count; i++)
    merge->words[i] = signature->words[i];
  const struct fmt_rec_module *module = (const struct fmt_rec_module *)function->module;
  if (*count == 0 || !module)
    return true;
  return prof_cardinality_admit_recorded(merge->target, module, function, merge->words, count);
}

static struct fmt_rec_variant *map_cct_node(struct merge *merge, uint64_t source)
{
  struct fmt_rec_variant *known = find_mapped(merge, source);
  if (known)
    return known;
  const struct fmt_rec_variant *node = (const struct fmt_rec_variant *)source;
  const struct fmt_rec_signature *signature = (const struct fmt_rec_signature *)node->signature;
  struct fmt_rec_context *context = map_context(merge, node->context);
  uint32_t count;
  if (!context || !map_words(merge, signature, (struct fmt_rec_function *)context->function, &count))
    return NULL;
  known = prof_tree_cct_node(merge->target, context, merge->words, count, signature->flags);
  return note_mapped(merge, source, known);
}

/* What an edge's calls are made at. A module may have gone, or come back: the edge is the same then. */
static uint64_t site_of(const struct fmt_rec_edge *edge)
{
  const struct prof_fast_compare *compare = prof_edge_fast_compare(edge);
  return compare && !(edge->flags & FMT_EDGE_INHERITED) ? prof_site_key(compare->site) : edge->site;
}

static struct fmt_rec_edge *map_edge(struct merge *merge, const struct fmt_rec_edge *edge)
{
  struct fmt_rec_variant *from = map_cct_node(merge, edge->from);
  struct fmt_rec_variant *to = from ? map_cct_node(merge, edge->to) : NULL;
  if (!to)
    return NULL;
  const struct fmt_rec_signature *signature = (const struct fmt_rec_signature *)to->signature;
  const bool call_site = edge->flags & FMT_EDGE_CALL_SITE;
  struct prof_edge_key key = {.site = site_of(edge),
                              .function_address = edge->function_address,
                              .function = (struct fmt_rec_function *)signature->function,
                              .words = prof_edge_words(edge, signature, merge->words),
                              .word_count = signature->word_count + call_site,
                              .signature_flags = signature->flags,
                              .context = (struct fmt_rec_context *)to->context,
                              .flags = edge->flags,
                              .generic = true,
                              .call_site = call_site};
  struct fmt_rec_edge *known =
      prof_edge_find(merge->target, from, key.site, key.function_address, key.words, key.word_count);
  return known ? known : prof_edge_make(merge->target, from, &key);
}

/* False: no space for the recursion's counters. */
static bool move_recursion(struct prof_tree *tree, struct fmt_rec_edge *edge, struct fmt_rec_recursion *source)
{
  struct fmt_rec_recursion *target = (struct fmt_rec_recursion *)edge->recursion;
  if (!source->calls && !source->primitive[FMT_GROUP_EDGE])
    return true;
  if (!target) {
    target = prof_record_alloc(tree, sizeof *target);
    if (!target)
      return false;
    target->tag = (struct fmt_rec_tag){FMT_TAG_RECURSION, sizeof *target};
    __atomic_store_n(&edge->recursion, (uintptr_t)target, __ATOMIC_RELEASE);
  }
  prof_move(&target->calls, &source->calls);
  prof_move(&target->total, &source->total);
  for (unsigned group = 0; group < FMT_GROUP_COUNT; group++) {
    prof_move(&target->primitive[group], &source->primitive[group]);
    prof_move(&target->cumulative[group], &source->cumulative[group]);
  }
  prof_move(&target->primitive[FMT_GROUP_EDGE], &source->primitive[FMT_GROUP_EDGE]);
  prof_move(&target->cumulative[FMT_GROUP_EDGE], &source->cumulative[FMT_GROUP_EDGE]);
  return true;
}

static bool move_edge(struct prof_tree *tree, struct fmt_rec_edge *target, struct fmt_rec_edge *source)
{
  if (source->recursion && !move_recursion(tree, target, (struct fmt_rec_recursion *)source->recursion))
    return false;
  if (!prof_sleeping_move(tree, target, source))
    return false;
  prof_sampling_move(target, source);
  prof_asked_move(target, source);
  prof_move(&target->calls, &source->calls);
  prof_move(&target->total, &source->total);
  prof_move(&target->children, &source->children);
  prof_move(&target->overhead, &source->overhead);
  if (source->histogram) {
    uint64_t lost = 0;
    if (!prof_histogram_move(tree, &target->histogram, (struct fmt_rec_histogram *)source->histogram, &lost))
      prof_count_loss(FMT_LOSS_HISTOGRAM, lost);
  }
  target->min = source->min < target->min ? source->min : target->min;
  target->max = source->max > target->max ? source->max : target->max;
  return true;
}

static uint64_t calls_of(const struct fmt_rec_edge *edge)
{
  return edge->calls + (edge->recursion ? ((const struct fmt_rec_recursion *)edge->recursion)->calls : 0);
}

/* The source's edges, oldest first. NULL: no memory. */
static struct fmt_rec_edge **edges_in_order(struct merge *merge, const struct prof_tree *source, uint64_t *count)
{
  *count = 0;
  for (uint64_t at = source->record->first_edge; at; at = ((const struct fmt_rec_edge *)at)->next)
    ++*count;
  struct fmt_rec_edge **edges = prof_arena_alloc(&merge->scratch, (*count + 1) * sizeof *edges);
  uint64_t place = *count;
  for (uint64_t at = source->record->first_edge; edges && at; at = ((const struct fmt_rec_edge *)at)->next)
    edges[--place] = (struct fmt_rec_edge *)at;
  return edges;
}

static uint64_t map_span(void *data, uint64_t edge)
{
  return (uintptr_t)map_edge(data, (const struct fmt_rec_edge *)edge);
}

static uint64_t map_nothing(void *data, uint64_t edge)
{
  (void)data;
  (void)edge;
  return 0;
}

int prof_tree_merge(struct prof_tree *target, const struct prof_tree *source)
{
  struct merge merge = {.target = target};
  uint64_t count = 0, lost = 0;
  struct fmt_rec_edge **edges = edges_in_order(&merge, source, &count);
  merge.words = prof_arena_alloc(&merge.scratch, (FMT_SIGNATURE_MAX_WORDS + 1) * sizeof(uint64_t));
  bool ready = edges && merge.words && prof_table_init(&merge.map, &merge.scratch, 1024) &&
               note_mapped(&merge, source->root->context, (void *)target->root->context) &&
               note_mapped(&merge, (uintptr_t)source->root, target->root);
  prof_move(&target->root_edge->children, &source->root_edge->children);
  prof_asked_move(target->root_edge, source->root_edge);
  for (uint64_t i = 0; edges && i < count; i++) {
    struct fmt_rec_edge *edge = ready ? map_edge(&merge, edges[i]) : NULL;
    if (!edge || !move_edge(target, edge, edges[i]))
      lost += calls_of(edges[i]);
  }
  lost += prof_tasks_merge(target, source->record, ready ? map_span : map_nothing, &merge);
  lost += prof_queues_merge(target, source->record);
  lost += prof_counters_merge(target, source->record);
  prof_ring_merge(target->record, source->record, ready ? map_span : map_nothing, &merge);
  prof_arena_free(&merge.scratch);
  if (lost)
    prof_count_loss(FMT_LOSS_NO_SPACE, lost);
  return lost || !edges ? -ENOSPC : 0;
}
