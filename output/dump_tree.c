/* The call trees: contexts, variants, edges and what was counted under recursion. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"

/* By context: its depth (0 where the preorder never comes) and how many edges lead into it. */
struct shape {
  uint32_t *depth, *edges;
};

static int measure(const struct cs_profile *profile, struct shape *shape)
{
  shape->depth = calloc(profile->contexts.count + 1u, sizeof *shape->depth);
  shape->edges = calloc(profile->contexts.count + 1u, sizeof *shape->edges);
  if (!shape->depth || !shape->edges)
    return -ENOMEM;
  for (uint32_t i = 0; i < profile->preorder.count; i++) {
    uint32_t context = *(uint32_t *)cs_vector_at(&profile->preorder, i);
    uint32_t parent = cs_profile_context(profile, context)->parent;
    shape->depth[context] = parent == CS_NONE ? 0 : shape->depth[parent] + 1;
  }
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    uint32_t to = cs_profile_edge(profile, i)->to;
    if (to != CS_NONE)
      shape->edges[cs_profile_variant(profile, to)->context]++;
  }
  return 0;
}

static uint64_t context_address(const struct cs_dump *dump, uint32_t context)
{
  return context == CS_NONE ? 0 : dump->contexts + (uint64_t)context * sizeof(struct cs_rec_context);
}

static void put_contexts(struct cs_dump *dump, const struct shape *shape)
{
  const struct cs_profile *profile = dump->profile;
  dump->contexts = dump->next;
  for (uint32_t i = 0; i < profile->contexts.count; i++) {
    const struct cs_context *context = cs_profile_context(profile, i);
    struct cs_rec_context record = {
        .tag = CS_DUMP_TAG(CS_TAG_CONTEXT, record),
        .parent = context_address(dump, context->parent),
        .function = context->code == CS_NONE ? 0 : dump->functions[context->code],
        .depth = shape->depth[i],
        .edges = shape->edges[i],
    };
    cs_dump_put(dump, &record, sizeof record);
  }
}

int cs_dump_contexts(struct cs_dump *dump)
{
  const struct cs_profile *profile = dump->profile;
  struct shape shape = {0};
  int result = measure(profile, &shape);
  if (result == 0)
    put_contexts(dump, &shape);
  free(shape.depth);
  free(shape.edges);
  dump->variants = dump->next;
  for (uint32_t i = 0; i < profile->variants.count && result == 0; i++) {
    const struct cs_variant *variant = cs_profile_variant(profile, i);
    struct cs_rec_variant record = {
        .tag = CS_DUMP_TAG(CS_TAG_VARIANT, record),
        .context = context_address(dump, variant->context),
        .signature = variant->signature == CS_NONE ? 0 : dump->signatures[variant->signature],
    };
    cs_dump_put(dump, &record, sizeof record);
  }
  return result;
}

/* In the order of their edges, so that the address of each follows from how many came before. */
static void put_recursions(struct cs_dump *dump)
{
  const struct cs_profile *profile = dump->profile;
  dump->recursions = dump->next;
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct cs_edge *edge = cs_profile_edge(profile, i);
    if (edge->to == CS_NONE || edge->recursion == CS_NONE)
      continue;
    const struct cs_recursion *recursion = cs_profile_recursion(profile, edge->recursion);
    struct cs_rec_recursion record = {.tag = CS_DUMP_TAG(CS_TAG_RECURSION, record),
                                      .calls = recursion->calls,
                                      .total = recursion->total,
                                      .active = {recursion->open}};
    memcpy(record.primitive, recursion->primitive, sizeof recursion->primitive);
    memcpy(record.cumulative, recursion->cumulative, sizeof recursion->cumulative);
    cs_dump_put(dump, &record, sizeof record);
  }
}

static void put_edge(struct cs_dump *dump, uint32_t number, uint64_t next, uint64_t recursion)
{
  const struct cs_profile *profile = dump->profile;
  const struct cs_edge *edge = cs_profile_edge(profile, number);
  uint32_t root = cs_profile_thread(profile, edge->thread)->root;
  const struct cs_context *context = cs_profile_context(profile, cs_profile_variant(profile, edge->to)->context);
  struct cs_rec_edge record = {
      .tag = CS_DUMP_TAG(CS_TAG_EDGE, record),
      .from = cs_dump_variant(dump, edge->from == CS_NONE ? root : edge->from),
      .to = cs_dump_variant(dump, edge->to),
      .calls = edge->calls,
      .total = edge->total,
      .children = edge->children,
      .min = edge->min,
      .max = edge->max,
      .recursion = recursion,
      .next = next,
      .flags = context->cover & CS_COVER_MODULE ? 0 : CS_EDGE_MODULE,
      .overhead = edge->overhead,
      .histogram = dump->times[number],
  };
  cs_dump_put(dump, &record, sizeof record);
}

/* Edges that lead to a call follow each other. By edge, the address of the next one of its thread; the heads of the
 * lists go into the dump. */
static void link_edges(struct cs_dump *dump, uint64_t *next)
{
  const struct cs_profile *profile = dump->profile;
  uint64_t address = dump->next;
  for (uint32_t i = 0; i < profile->edges.count; i++)
    address += cs_profile_edge(profile, i)->to == CS_NONE ? 0 : sizeof(struct cs_rec_edge);
  for (uint32_t i = profile->edges.count; i-- > 0;) {
    const struct cs_edge *edge = cs_profile_edge(profile, i);
    if (edge->to == CS_NONE)
      continue;
    address -= sizeof(struct cs_rec_edge);
    next[i] = dump->first_edges[edge->thread];
    dump->first_edges[edge->thread] = address;
    if (dump->edges)
      dump->edges[i] = address;
  }
}

int cs_dump_edges(struct cs_dump *dump)
{
  const struct cs_profile *profile = dump->profile;
  uint64_t *next = calloc(profile->edges.count + 1u, sizeof *next);
  dump->first_edges = calloc(profile->threads.count + 1u, sizeof *dump->first_edges);
  bool has_spans = profile->spans.count > 0;
  dump->edges = has_spans ? calloc(profile->edges.count + 1u, sizeof *dump->edges) : NULL;
  if (!next || !dump->first_edges || (has_spans && !dump->edges)) {
    free(next);
    return -ENOMEM;
  }
  put_recursions(dump);
  link_edges(dump, next);
  uint64_t recursion = dump->recursions;
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct cs_edge *edge = cs_profile_edge(profile, i);
    if (edge->to == CS_NONE)
      continue;
    bool recursive = edge->recursion != CS_NONE;
    put_edge(dump, i, next[i], recursive ? recursion : 0);
    recursion += recursive ? sizeof(struct cs_rec_recursion) : 0;
  }
  free(next);
  return 0;
}
