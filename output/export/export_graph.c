/* Sums the calls of a recording into a graph of functions. */
#define _GNU_SOURCE
#include "output/export/export_graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/export/export.h"
#include "output/profile/call_place.h"
#include "output/text/message.h"

struct builder {
  struct callsig_stats *stats;
  struct out_graph *graph;
  struct out_grouping keys; /* what functions are told apart by */
  uint32_t kind;            /* enum out_frame_kind */
  bool sites;               /* arcs are by call place, too */
  struct out_idset arc_set;
};

static bool equal_arc(const void *owner, uint32_t number, const void *key)
{
  const struct out_graph_arc *arc = out_graph_arc(owner, number), *wanted = key;
  return arc->from == wanted->from && arc->to == wanted->to && arc->place == wanted->place;
}

/* Until the nodes are sorted, node and frame have the same number. */
static int node_of(struct builder *builder, uint32_t variant, uint32_t thread, uint32_t *number)
{
  const struct out_profile *profile = &builder->stats->profile;
  struct out_graph *graph = builder->graph;
  struct out_frame frame = {.key = out_rows_key(profile, &builder->keys, out_profile_variant(profile, variant), thread),
                            .kind = builder->kind};
  int result = out_frames_add(&graph->frames, &frame, number);
  if (result < 0 || *number < graph->nodes.count)
    return result;
  struct out_graph_node *added = base_vector_add(&graph->nodes, 1);
  if (!added)
    return -ENOMEM;
  added->frame = *number;
  return 0;
}

static int add_arc(struct builder *builder, const struct out_graph_arc *arc)
{
  struct out_graph *graph = builder->graph;
  uint64_t hash = out_hash_mix(arc->from, (uint64_t)arc->place << 32 | arc->to);
  uint32_t number = out_idset_find(&builder->arc_set, hash, graph, arc, equal_arc);
  if (number != FMT_NONE) {
    struct out_graph_arc *known = base_vector_at(&graph->arcs, number);
    known->calls += arc->calls;
    known->inclusive += arc->inclusive;
    return 0;
  }
  struct out_graph_arc *added = base_vector_add(&graph->arcs, 1);
  if (!added)
    return -ENOMEM;
  *added = *arc;
  return out_idset_add(&builder->arc_set, hash, graph->arcs.count - 1);
}

static int add_edge(struct builder *builder, const struct out_edge *edge, const struct out_row *counts)
{
  const struct out_profile *profile = &builder->stats->profile;
  struct out_graph *graph = builder->graph;
  struct out_graph_arc arc = {.from = FMT_NONE,
                              .place = builder->sites && edge->place != FMT_NONE
                                           ? out_profile_call_place(profile, edge->place)->shown
                                           : FMT_NONE,
                              .calls = counts->calls,
                              .inclusive = counts->cumulative};
  int result = node_of(builder, edge->to, edge->thread, &arc.to);
  if (result == 0 && edge->from != FMT_NONE)
    result = node_of(builder, edge->from, edge->thread, &arc.from);
  if (result < 0)
    return result;
  struct out_graph_node *node = base_vector_at(&graph->nodes, arc.to);
  node->calls += counts->calls;
  node->primitive += counts->primitive;
  node->own += counts->own;
  node->inclusive += counts->cumulative;
  graph->calls += counts->calls;
  graph->own += counts->own;
  return add_arc(builder, &arc);
}

static int add_edges(struct builder *builder)
{
  const struct out_profile *profile = &builder->stats->profile;
  int result = 0;
  for (uint32_t i = 0; i < profile->edges.count && result == 0; i++) {
    struct out_row counts;
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (out_rows_edge(profile, &builder->stats->grouping, edge, &counts))
      result = add_edge(builder, edge, &counts);
  }
  return result;
}

static const char *module_of(const struct out_graph *graph, uint32_t node)
{
  uint32_t module = out_frames_at(&graph->frames, out_graph_node(graph, node)->frame)->key.module;
  return module == FMT_NONE ? "" : out_profile_string(&graph->frames.stats->profile, module);
}

static int compare_nodes(const void *left, const void *right, void *data)
{
  const struct out_graph *graph = data;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  int order = strcmp(out_graph_text(graph, a), out_graph_text(graph, b));
  if (order == 0)
    order = strcmp(module_of(graph, a), module_of(graph, b));
  return order ? order : a < b ? -1 : a > b;
}

static int compare_arcs(const void *left, const void *right)
{
  const struct out_graph_arc *a = left, *b = right;
  if (a->from != b->from)
    return a->from < b->from ? -1 : 1;
  if (a->to != b->to)
    return a->to < b->to ? -1 : 1;
  return a->place < b->place ? -1 : a->place > b->place;
}

/* Puts nodes in the order of their texts, and arcs in the order of their nodes. `order` and `place` are by node. 0
 * or -ENOMEM. */
static int renumber(struct out_graph *graph, uint32_t *order, uint32_t *place)
{
  uint32_t count = graph->nodes.count;
  for (uint32_t i = 0; i < count; i++)
    order[i] = i;
  qsort_r(order, count, sizeof *order, compare_nodes, graph);
  for (uint32_t i = 0; i < count; i++)
    place[order[i]] = i;
  int result = out_export_permute(&graph->nodes, order);
  if (result < 0)
    return result;
  for (uint32_t i = 0; i < graph->arcs.count; i++) {
    struct out_graph_arc *arc = base_vector_at(&graph->arcs, i);
    arc->from = arc->from == FMT_NONE ? FMT_NONE : place[arc->from];
    arc->to = place[arc->to];
  }
  if (graph->arcs.count > 0)
    qsort(graph->arcs.data, graph->arcs.count, graph->arcs.entry_size, compare_arcs);
  return 0;
}

static int arrange(struct out_graph *graph)
{
  size_t count = graph->nodes.count + 1u;
  uint32_t *order = malloc(count * sizeof *order), *place = malloc(count * sizeof *place);
  int result = order && place ? out_frame_texts_make(&graph->frames, &graph->texts) : -ENOMEM;
  if (result == 0)
    result = renumber(graph, order, place);
  free(order);
  free(place);
  return result;
}

int out_graph_make(struct callsig_stats *stats, const char *format, bool is_exact, struct out_graph *graph)
{
  if (!(stats->by & CALLSIG_BY_FUNCTION))
    return out_stats_fail(-EINVAL, "%s shows calls between functions: add function or signature to --by", format);
  *graph =
      (struct out_graph){.nodes = BASE_VECTOR_OF(struct out_graph_node), .arcs = BASE_VECTOR_OF(struct out_graph_arc)};
  out_frames_init(&graph->frames, stats);
  struct builder builder = {.stats = stats,
                            .graph = graph,
                            .keys = stats->grouping,
                            .kind = stats->by & CALLSIG_BY_SIGNATURE ? OUT_FRAME_SIGNATURE : OUT_FRAME_FUNCTION};
  builder.keys.by |= is_exact ? CALLSIG_BY_MODULE : 0u;
  builder.sites = is_exact;
  int result = is_exact ? out_call_places_look_up(&stats->profile) : 0;
  if (result == 0)
    result = add_edges(&builder);
  out_idset_free(&builder.arc_set);
  out_frames_close(&graph->frames);
  if (result == 0)
    result = arrange(graph);
  if (result < 0)
    out_graph_free(graph);
  return result;
}

void out_graph_free(struct out_graph *graph)
{
  out_frames_free(&graph->frames);
  out_frame_texts_free(&graph->texts);
  base_vector_free(&graph->nodes);
  base_vector_free(&graph->arcs);
  *graph = (struct out_graph){0};
}
