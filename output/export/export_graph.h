/*
 * The call graph: functions, with their signatures when rows are by signature, and the calls between them, for the
 * formats that show calls from function to function.
 *
 * The inclusive time of an arc is that of its calls that were the outermost activation of the callee. So the inclusive
 * time of a function is the sum over the arcs that lead to it, under recursion too: it is its cumtime.
 */
#ifndef CALLSIG_OUTPUT_EXPORT_EXPORT_GRAPH_H
#define CALLSIG_OUTPUT_EXPORT_EXPORT_GRAPH_H

#include "output/export/export_frames.h"

/* A function. One without calls is a caller that is not selected. */
struct out_graph_node {
  uint32_t frame;
  uint64_t calls, primitive, own, inclusive; /* ticks */
};

/* Calls from one to the other. `from` is FMT_NONE for outermost calls. */
struct out_graph_arc {
  uint32_t from, to;
  uint32_t place; /* number of a call place; FMT_NONE where it was not recorded, and where nobody asked */
  uint64_t calls, inclusive;
};

struct out_graph {
  struct out_frames frames;
  struct out_frame_texts texts; /* by frame */
  struct base_vector nodes;     /* struct out_graph_node, by text, then module */
  struct base_vector arcs;      /* struct out_graph_arc, by from (outermost last), then to, then place */
  uint64_t calls, own;          /* sums */
};

/* Makes the graph of a grouped object; with `is_exact`, one function in two modules is two, and calls are told apart by
 * where they were made, as far as that was recorded. -EINVAL after a message,
 * that names the format, when rows are by neither function nor signature; -ENOMEM. Free with out_graph_free(). */
int out_graph_make(struct callsig_stats *stats, const char *format, bool is_exact, struct out_graph *graph);
void out_graph_free(struct out_graph *graph);

static inline const struct out_graph_node *out_graph_node(const struct out_graph *graph, uint32_t number)
{
  return base_vector_at(&graph->nodes, number);
}

static inline const struct out_graph_arc *out_graph_arc(const struct out_graph *graph, uint32_t number)
{
  return base_vector_at(&graph->arcs, number);
}

static inline const char *out_graph_text(const struct out_graph *graph, uint32_t node)
{
  return graph->texts.list[out_graph_node(graph, node)->frame];
}

#endif
