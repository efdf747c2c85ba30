/* The call trees: contexts, variants, edges and what was counted under recursion. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/merge/dump.h"

/* By context: its depth (0 where the preorder never comes) and how many edges lead into it. */
struct shape {
  uint32_t *depth, *edges;
};

static int measure(const struct out_profile *profile, struct shape *shape)
{
  shape->depth = calloc(profile->contexts.count + 1u, sizeof *shape->depth);
  shape->edges = calloc(profile->contexts.count + 1u, sizeof *shape->edges);
  if (!shape->depth || !shape->edges)
    return -ENOMEM;
  for (uint32_t i = 0; i < profile->preorder.count; i++) {
    uint32_t context = *(uint32_t *)base_vector_at(&profile->preorder, i);
    uint32_t parent = out_profile_context(profile, context)->parent;
    shape->depth[context] = parent == FMT_NONE ? 0 : shape->depth[parent] + 1;
  }
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    uint32_t to = out_profile_edge(profile, i)->to;
    if (to != FMT_NONE)
      shape->edges[out_profile_variant(profile, to)->context]++;
  }
  return 0;
}

static uint64_t context_address(const struct out_dump *dump, uint32_t context)
{
  return context == FMT_NONE ? 0 : dump->contexts + (uint64_t)context * sizeof(struct fmt_rec_context);
}

static void put_contexts(struct out_dump *dump, const struct shape *shape)
{
  const struct out_profile *profile = dump->profile;
  dump->contexts = dump->next;
  for (uint32_t i = 0; i < profile->contexts.count; i++) {
    const struct out_context *context = out_profile_context(profile, i);
    struct fmt_rec_context record = {
        .tag = OUT_DUMP_TAG(FMT_TAG_CONTEXT, record),
        .parent = context_address(dump, context->parent),
        .function = context->callable == FMT_NONE ? 0 : dump->functions[context->callable],
        .depth = shape->depth[i],
        .edges = shape->edges[i],
    };
    out_dump_put(dump, &record, sizeof record);
  }
}

int out_dump_contexts(struct out_dump *dump)
{
  const struct out_profile *profile = dump->profile;
  struct shape shape = {0};
  int result = measure(profile, &shape);
  if (result == 0)
    put_contexts(dump, &shape);
  free(shape.depth);
  free(shape.edges);
  dump->variants = dump->next;
  for (uint32_t i = 0; i < profile->variants.count && result == 0; i++) {
    const struct out_variant *variant = out_profile_variant(profile, i);
    struct fmt_rec_variant record = {
        .tag = OUT_DUMP_TAG(FMT_TAG_VARIANT, record),
        .context = context_address(dump, variant->context),
        .signature = variant->signature == FMT_NONE ? 0 : dump->signatures[variant->signature],
    };
    out_dump_put(dump, &record, sizeof record);
  }
  return result;
}

/* In the order of their edges, so that the address of each follows from how many came before. */
static void put_recursions(struct out_dump *dump)
{
  const struct out_profile *profile = dump->profile;
  dump->recursions = dump->next;
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (edge->to == FMT_NONE || edge->recursion == FMT_NONE)
      continue;
    const struct out_recursion *recursion = out_profile_recursion(profile, edge->recursion);
    struct fmt_rec_recursion record = {.tag = OUT_DUMP_TAG(FMT_TAG_RECURSION, record),
                                       .calls = recursion->calls,
                                       .total = recursion->total,
                                       .active = {recursion->open}};
    memcpy(record.primitive, recursion->primitive, sizeof recursion->primitive);
    memcpy(record.cumulative, recursion->cumulative, sizeof recursion->cumulative);
    record.primitive[FMT_GROUP_EDGE] = recursion->apart;
    record.cumulative[FMT_GROUP_EDGE] = recursion->apart_total;
    out_dump_put(dump, &record, sizeof record);
  }
}

/* Each lies where its number says. */
static void put_sleeps(struct out_dump *dump)
{
  dump->sleeps = dump->next;
  for (uint32_t i = 0; i < dump->profile->sleeps.count; i++) {
    const struct out_sleep *sleep = out_profile_sleep(dump->profile, i);
    const struct fmt_rec_sleep record = {.tag = OUT_DUMP_TAG(FMT_TAG_SLEEP, record),
                                         .times = sleep->times,
                                         .ticks = sleep->ticks,
                                         .unsure = sleep->unsure,
                                         .drawn = sleep->drawn,
                                         .drawn_times = sleep->drawn_times};
    out_dump_put(dump, &record, sizeof record);
  }
}

/* Where a sleep record lies, as a sampling record says it. */
static uint32_t sleep_place(struct out_dump *dump, uint32_t sleep)
{
  const uint64_t place = (dump->sleeps + (uint64_t)sleep * sizeof(struct fmt_rec_sleep) - OUT_DUMP_BASE) / 8;
  if (sleep == FMT_NONE)
    return 0;
  if (place > UINT32_MAX && dump->error == 0)
    dump->error = -EFBIG;
  return (uint32_t)place;
}

/* What is left of a sampling record: what was counted with it, and nothing of how more would be. */
static void put_sampling(struct out_dump *dump, const struct out_sampling *sampling)
{
  struct fmt_rec_sampling record = {.tag = OUT_DUMP_TAG(FMT_TAG_SAMPLING, record),
                                    .timed = sampling->timed,
                                    .timed_total = sampling->timed_total,
                                    .squares_low = sampling->squares_low,
                                    .squares_high = sampling->squares_high,
                                    .sleep = sleep_place(dump, sampling->sleep)};
  out_dump_put(dump, &record, sizeof record);
}

uint64_t out_dump_asked(struct out_dump *dump, const struct out_asked *asked)
{
  const struct fmt_rec_asked record = {.tag = OUT_DUMP_TAG(FMT_TAG_ASKED, record),
                                       .calls = asked->calls,
                                       .bytes = asked->bytes,
                                       .freed_calls = asked->freed_calls,
                                       .freed_bytes = asked->freed_bytes,
                                       .lost_calls = asked->lost_calls,
                                       .lost_bytes = asked->lost_bytes};
  return out_dump_put(dump, &record, sizeof record);
}

void out_dump_asked_list(struct out_dump *dump, uint64_t first)
{
  const struct fmt_rec_asked_list record = {.tag = OUT_DUMP_TAG(FMT_TAG_ASKED_LIST, record), .first = first};
  out_dump_put(dump, &record, sizeof record);
}

/* Each lies where its number says. */
static void put_asked(struct out_dump *dump)
{
  dump->asked = dump->next;
  for (uint32_t i = 0; i < dump->profile->asked.count; i++)
    out_dump_asked(dump, out_profile_asked(dump->profile, i));
}

static void put_edge(struct out_dump *dump, uint32_t number, uint64_t next, uint64_t recursion)
{
  const struct out_profile *profile = dump->profile;
  const struct out_edge *edge = out_profile_edge(profile, number);
  bool sampled = edge->sampling != FMT_NONE, asks = edge->asked != FMT_NONE;
  uint32_t root = out_profile_thread(profile, edge->thread)->root;
  const struct out_context *context = out_profile_context(profile, out_profile_variant(profile, edge->to)->context);
  const bool has_place = edge->place != FMT_NONE;
  const uint64_t place = has_place ? dump->call_places[edge->place] : 0;
  struct fmt_rec_edge record = {
      .tag = {FMT_TAG_EDGE, (uint32_t)(sizeof record + has_place * sizeof place)},
      .from = out_dump_variant(dump, edge->from == FMT_NONE ? root : edge->from),
      .to = out_dump_variant(dump, edge->to),
      .calls = edge->is_inherited ? edge->inherited : edge->calls,
      .total = edge->total,
      .children = edge->children,
      .min = edge->min,
      .max = edge->max,
      .recursion = recursion,
      .next = next,
      .flags = (context->enclosing & OUT_ENCLOSING_MODULE ? 0u : (uint32_t)FMT_EDGE_MODULE) |
               (sampled ? (uint32_t)FMT_EDGE_SAMPLED : 0u) | (asks ? (uint32_t)FMT_EDGE_ASKS : 0u) |
               (edge->is_inherited ? (uint32_t)FMT_EDGE_INHERITED : 0u) |
               (edge->is_returned ? (uint32_t)FMT_EDGE_RETURNED : 0u) | (has_place ? (uint32_t)FMT_EDGE_CALL_SITE : 0u),
      .word_count = has_place,
      .overhead = edge->overhead,
      .histogram = dump->times[number],
  };
  if (asks)
    out_dump_asked_list(dump, dump->asked + (uint64_t)edge->asked * sizeof(struct fmt_rec_asked));
  if (sampled)
    put_sampling(dump, out_profile_sampling(profile, edge->sampling));
  out_dump_put(dump, &record, sizeof record);
  if (has_place)
    out_dump_put(dump, &place, sizeof place);
}

static size_t words_size(const struct out_edge *edge)
{
  return edge->place == FMT_NONE ? 0 : sizeof(uint64_t);
}

/* An edge's bytes, with what lies before it. */
static size_t edge_size(const struct out_edge *edge)
{
  size_t sampling = edge->sampling == FMT_NONE ? 0 : sizeof(struct fmt_rec_sampling);
  size_t asked = edge->asked == FMT_NONE ? 0 : sizeof(struct fmt_rec_asked_list);
  return edge->to == FMT_NONE ? 0 : sizeof(struct fmt_rec_edge) + asked + sampling + words_size(edge);
}

/* Edges that lead to a call follow each other. By edge, the address of the next one of its thread; the heads of the
 * lists go into the dump. */
static void link_edges(struct out_dump *dump, uint64_t *next)
{
  const struct out_profile *profile = dump->profile;
  uint64_t address = dump->next;
  for (uint32_t i = 0; i < profile->edges.count; i++)
    address += edge_size(out_profile_edge(profile, i));
  for (uint32_t i = profile->edges.count; i-- > 0;) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (edge->to == FMT_NONE)
      continue;
    address -= sizeof(struct fmt_rec_edge) + words_size(edge);
    next[i] = dump->first_edges[edge->thread];
    dump->first_edges[edge->thread] = address;
    if (dump->edges)
      dump->edges[i] = address;
    address -= edge_size(edge) - sizeof(struct fmt_rec_edge) - words_size(edge);
  }
}

int out_dump_edges(struct out_dump *dump)
{
  const struct out_profile *profile = dump->profile;
  uint64_t *next = calloc(profile->edges.count + 1u, sizeof *next);
  dump->first_edges = calloc(profile->threads.count + 1u, sizeof *dump->first_edges);
  /* What refers to edges: spans, and what tasks waited for. */
  const bool needed = profile->spans.count + profile->stage_records.tasks.count > 0;
  dump->edges = needed ? calloc(profile->edges.count + 1u, sizeof *dump->edges) : NULL;
  if (!next || !dump->first_edges || (needed && !dump->edges)) {
    free(next);
    return -ENOMEM;
  }
  put_recursions(dump);
  put_sleeps(dump);
  put_asked(dump);
  link_edges(dump, next);
  uint64_t recursion = dump->recursions;
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (edge->to == FMT_NONE)
      continue;
    bool recursive = edge->recursion != FMT_NONE;
    put_edge(dump, i, next[i], recursive ? recursion : 0);
    recursion += recursive ? sizeof(struct fmt_rec_recursion) : 0;
  }
  free(next);
  return 0;
}
