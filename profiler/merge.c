/*
 * Folding: the counters of an ended thread's tree are added to those of another tree.
 *
 * Edges are taken in the order in which they were made, so the caller of each is known when its turn comes. Contexts
 * map by their path of functions, so what was folded or merged in the source is so in the target. Signatures pass the
 * target's cardinality guard, whose budget then holds for all the threads that were folded together.
 */
#include <errno.h>

#include "guard.h"
#include "histogram.h"
#include "queue.h"
#include "ring.h"
#include "stage.h"
#include "table.h"
#include "tree.h"

/* Records of the source and what stands for them in the target, in memory that lives as long as the merge. */
struct merge {
  struct cs_tree *target;
  struct cs_arena scratch;
  struct cs_table map; /* struct mapped */
  uint64_t *words;     /* CS_SIGNATURE_MAX_WORDS */
};

struct mapped {
  uint64_t source;
  void *target;
};

static void *find_mapped(const struct merge *merge, uint64_t source)
{
  const struct cs_table_slot *slot;
  for (uint64_t i = cs_hash_mix(0, source); (slot = cs_table_at(&merge->map, i))->item; i++) {
    const struct mapped *mapped = slot->item;
    if (mapped->source == source)
      return mapped->target;
  }
  return NULL;
}

/* Gives `target` back, or NULL without memory. */
static void *note_mapped(struct merge *merge, uint64_t source, void *target)
{
  struct mapped *mapped = target ? cs_arena_alloc(&merge->scratch, sizeof *mapped) : NULL;
  if (!mapped)
    return NULL;
  *mapped = (struct mapped){source, target};
  return cs_table_add(&merge->map, &merge->scratch, cs_hash_mix(0, source), mapped) ? target : NULL;
}

static struct cs_rec_function *map_function(struct merge *merge, uint64_t source)
{
  struct cs_rec_function *known = find_mapped(merge, source);
  if (known)
    return known;
  const struct cs_rec_function *function = (const struct cs_rec_function *)source;
  known = cs_tree_function(merge->target, function->module, function->kind, function->function, function->address);
  if (known && function->levels && !cs_guard_raise(merge->target, known, (const struct cs_rec_name *)function->levels))
    return NULL;
  return note_mapped(merge, source, known);
}

static struct cs_rec_context *map_context(struct merge *merge, uint64_t source)
{
  struct cs_rec_context *known = find_mapped(merge, source);
  if (known)
    return known;
  const struct cs_rec_context *context = (const struct cs_rec_context *)source;
  struct cs_rec_function *function = map_function(merge, context->function);
  /* The parent was the caller of an older edge, or this is a merged context: then there is none, or it is one. */
  struct cs_rec_context *parent = context->parent ? map_context(merge, context->parent) : NULL;
  if (!function || (context->parent && !parent))
    return NULL;
  return note_mapped(merge, source, cs_context_of(merge->target, parent, function));
}

/* The words of a signature as the target takes them, in merge->words. False: no space. */
static bool map_words(struct merge *merge, const struct cs_rec_signature *signature, struct cs_rec_function *function,
                      uint32_t *count)
{
  *count = signature->word_count;
  for (uint32_t i = 0; i < *count; i++)
    merge->words[i] = signature->words[i];
  const struct cs_rec_module *module = (const struct cs_rec_module *)function->module;
  if (*count == 0 || !module)
    return true;
  return cs_guard_admit_recorded(merge->target, module, function, merge->words, count);
}

static struct cs_rec_variant *map_variant(struct merge *merge, uint64_t source)
{
  struct cs_rec_variant *known = find_mapped(merge, source);
  if (known)
    return known;
  const struct cs_rec_variant *variant = (const struct cs_rec_variant *)source;
  const struct cs_rec_signature *signature = (const struct cs_rec_signature *)variant->signature;
  struct cs_rec_context *context = map_context(merge, variant->context);
  uint32_t count;
  if (!context || !map_words(merge, signature, (struct cs_rec_function *)context->function, &count))
    return NULL;
  known = cs_tree_variant(merge->target, context, merge->words, count, signature->flags);
  return note_mapped(merge, source, known);
}

/* The edge of the target for a call of the source whose module is gone: found by caller and callee, as it has no site.
 */
static struct cs_rec_edge *map_retired(struct merge *merge, struct cs_rec_variant *from, struct cs_rec_variant *to,
                                       const struct cs_edge_key *key)
{
  struct retired {
    struct cs_rec_variant *from, *to;
    struct cs_rec_edge *edge;
  } * retired;
  struct cs_tree *target = merge->target;
  uint64_t hash = cs_hash_mix(cs_hash_mix(0, (uintptr_t)from), (uintptr_t)to);
  struct cs_table_slot *slot;
  for (uint64_t i = hash; (slot = cs_table_at(&target->pairs, i))->item; i++) {
    retired = slot->item;
    if (retired->from == from && retired->to == to)
      return retired->edge;
  }
  retired = cs_arena_alloc(&target->arena, sizeof *retired);
  struct cs_rec_edge *edge = retired ? cs_edge_make(target, from, key) : NULL;
  if (!edge || !cs_table_add(&target->pairs, &target->arena, hash, retired))
    return NULL;
  *retired = (struct retired){from, to, edge};
  return edge;
}

static struct cs_rec_edge *map_edge(struct merge *merge, const struct cs_rec_edge *edge)
{
  struct cs_rec_variant *from = map_variant(merge, edge->from);
  struct cs_rec_variant *to = from ? map_variant(merge, edge->to) : NULL;
  if (!to)
    return NULL;
  const struct cs_rec_signature *signature = (const struct cs_rec_signature *)to->signature;
  struct cs_edge_key key = {.site = edge->site,
                            .function_address = edge->function_address,
                            .function = (struct cs_rec_function *)signature->function,
                            .words = signature->words,
                            .word_count = signature->word_count,
                            .signature_flags = signature->flags,
                            .context = (struct cs_rec_context *)to->context,
                            .flags = edge->flags,
                            .generic = true};
  if (!edge->site)
    return map_retired(merge, from, to, &key);
  struct cs_rec_edge *known =
      cs_edge_find(merge->target, from, key.site, key.function_address, key.words, key.word_count);
  return known ? known : cs_edge_make(merge->target, from, &key);
}

/* False: no space for the recursion's counters. */
static bool move_recursion(struct cs_tree *tree, struct cs_rec_edge *edge, struct cs_rec_recursion *source)
{
  struct cs_rec_recursion *target = (struct cs_rec_recursion *)edge->recursion;
  if (!source->calls)
    return true;
  if (!target) {
    target = cs_record_alloc(tree, sizeof *target);
    if (!target)
      return false;
    target->tag = (struct cs_rec_tag){CS_TAG_RECURSION, sizeof *target};
    __atomic_store_n(&edge->recursion, (uintptr_t)target, __ATOMIC_RELEASE);
  }
  cs_move(&target->calls, &source->calls);
  cs_move(&target->total, &source->total);
  for (unsigned group = 0; group < CS_GROUP_COUNT; group++) {
    cs_move(&target->primitive[group], &source->primitive[group]);
    cs_move(&target->cumulative[group], &source->cumulative[group]);
  }
  return true;
}

static bool move_edge(struct cs_tree *tree, struct cs_rec_edge *target, struct cs_rec_edge *source)
{
  if (source->recursion && !move_recursion(tree, target, (struct cs_rec_recursion *)source->recursion))
    return false;
  cs_move(&target->calls, &source->calls);
  cs_move(&target->total, &source->total);
  cs_move(&target->children, &source->children);
  cs_move(&target->overhead, &source->overhead);
  if (source->histogram) {
    uint64_t lost = 0;
    if (!cs_histogram_move(tree, &target->histogram, (struct cs_rec_histogram *)source->histogram, &lost))
      cs_count_loss(CS_LOSS_HISTOGRAM, lost);
  }
  target->min = source->min < target->min ? source->min : target->min;
  target->max = source->max > target->max ? source->max : target->max;
  return true;
}

static uint64_t calls_of(const struct cs_rec_edge *edge)
{
  return edge->calls + (edge->recursion ? ((const struct cs_rec_recursion *)edge->recursion)->calls : 0);
}

/* The source's edges, oldest first. NULL: no memory. */
static struct cs_rec_edge **edges_in_order(struct merge *merge, const struct cs_tree *source, uint64_t *count)
{
  *count = 0;
  for (uint64_t at = source->record->first_edge; at; at = ((const struct cs_rec_edge *)at)->next)
    ++*count;
  struct cs_rec_edge **edges = cs_arena_alloc(&merge->scratch, (*count + 1) * sizeof *edges);
  uint64_t place = *count;
  for (uint64_t at = source->record->first_edge; edges && at; at = ((const struct cs_rec_edge *)at)->next)
    edges[--place] = (struct cs_rec_edge *)at;
  return edges;
}

static uint64_t map_span(void *data, uint64_t edge)
{
  return (uintptr_t)map_edge(data, (const struct cs_rec_edge *)edge);
}

static uint64_t map_nothing(void *data, uint64_t edge)
{
  (void)data;
  (void)edge;
  return 0;
}

int cs_tree_merge(struct cs_tree *target, const struct cs_tree *source)
{
  struct merge merge = {.target = target};
  uint64_t count = 0, lost = 0;
  struct cs_rec_edge **edges = edges_in_order(&merge, source, &count);
  merge.words = cs_arena_alloc(&merge.scratch, CS_SIGNATURE_MAX_WORDS * sizeof(uint64_t));
  bool ready = edges && merge.words && cs_table_init(&merge.map, &merge.scratch, 1024) &&
               note_mapped(&merge, source->root->context, (void *)target->root->context) &&
               note_mapped(&merge, (uintptr_t)source->root, target->root);
  cs_move(&target->root_edge->children, &source->root_edge->children);
  for (uint64_t i = 0; edges && i < count; i++) {
    struct cs_rec_edge *edge = ready ? map_edge(&merge, edges[i]) : NULL;
    if (!edge || !move_edge(target, edge, edges[i]))
      lost += calls_of(edges[i]);
  }
  lost += cs_tasks_fold(target, source->record);
  lost += cs_queues_fold(target, source->record);
  cs_ring_fold(target->record, source->record, ready ? map_span : map_nothing, &merge);
  cs_arena_free(&merge.scratch);
  if (lost)
    cs_count_loss(CS_LOSS_NO_SPACE, lost);
  return lost || !edges ? -ENOSPC : 0;
}
