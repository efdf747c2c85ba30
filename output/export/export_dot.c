/*
 * Graphviz: the call graph, a box a function and an arrow a caller-callee pair, coloured by inclusive time from blue
 * (little) to red (all of it). Each has its exact numbers as attributes: calls, primitive calls, ns.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/export/export.h"
#include "output/export/export_graph.h"

/* What takes less of the time than this is left out: a graph of thousands of boxes shows nothing. */
#define CUTOFF 0.005

struct writer {
  const struct out_export *export;
  const struct out_graph *graph;
  struct out_text line;
  double least;         /* ticks */
  uint32_t nodes, arcs; /* left out */
  struct out_export_clock clock;
};

/* Inside double quotes a backslash escapes; labels would have it start line ends and the like. */
static void put_quoted(struct out_text *line, const char *text)
{
  for (; *text; text++) {
    if (*text == '"' || *text == '\\')
      out_text_putc(line, '\\');
    out_text_putc(line, *text);
  }
}

static double share_of(const struct writer *writer, uint64_t ticks)
{
  return writer->graph->own > 0 ? (double)ticks / (double)writer->graph->own : 0;
}

static bool is_shown(const struct writer *writer, uint64_t inclusive)
{
  return (double)inclusive >= writer->least;
}

static bool is_node_shown(const struct writer *writer, uint32_t node)
{
  return is_shown(writer, out_graph_node(writer->graph, node)->inclusive);
}

/* Graphviz's hue, saturation and value: from blue, 2/3, to red, 0. */
static void put_color(struct writer *writer, const char *attribute, double share, double value)
{
  double hue = share < 1 ? (1 - share) * 2 / 3 : 0;
  out_text_printf(&writer->line, ", %s=\"", attribute);
  out_text_fixed(&writer->line, hue, 0);
  out_text_puts(&writer->line, " 0.350 ");
  out_text_fixed(&writer->line, value, 0);
  out_text_putc(&writer->line, '"');
}

static void put_percent(struct writer *writer, uint64_t ticks)
{
  out_text_fixed(&writer->line, 100 * share_of(writer, ticks), 0);
  out_text_puts(&writer->line, " %");
}

static uint64_t nanoseconds(const struct writer *writer, uint64_t ticks)
{
  struct out_export_clock clock = {.tick = writer->export->stats->grouping.tick};
  return out_export_nanoseconds(&clock, ticks);
}

static int put_node(struct writer *writer, uint32_t number)
{
  const struct out_graph *graph = writer->graph;
  const struct out_graph_node *node = out_graph_node(graph, number);
  const struct out_known_function *function = out_frame_function(&graph->frames, node->frame);
  unsigned long long own = out_export_nanoseconds(&writer->clock, node->own);
  out_text_printf(&writer->line, "  n%u [label=\"", number);
  put_quoted(&writer->line, out_graph_text(graph, number));
  if (!function->is_action) {
    out_text_puts(&writer->line, "\\n");
    put_quoted(&writer->line, out_profile_string(&writer->export->stats->profile, function->file));
    out_text_printf(&writer->line, ":%u", function->line);
  }
  out_text_puts(&writer->line, "\\n");
  put_percent(writer, node->inclusive);
  out_text_puts(&writer->line, " (self ");
  put_percent(writer, node->own);
  out_text_printf(&writer->line, ")\\n%llu", (unsigned long long)node->calls);
  if (node->calls != node->primitive)
    out_text_printf(&writer->line, "/%llu", (unsigned long long)node->primitive);
  out_text_printf(&writer->line, " calls\", calls=%llu, primitive=%llu, ns=%llu, inclusive_ns=%llu",
                  (unsigned long long)node->calls, (unsigned long long)node->primitive, own,
                  (unsigned long long)nanoseconds(writer, node->inclusive));
  put_color(writer, "fillcolor", share_of(writer, node->inclusive), 1);
  out_text_puts(&writer->line, "];\n");
  return out_export_flush(writer->export, &writer->line);
}

static int put_arc(struct writer *writer, const struct out_graph_arc *arc)
{
  out_text_printf(&writer->line, "  n%u -> n%u [label=\"", arc->from, arc->to);
  put_percent(writer, arc->inclusive);
  out_text_printf(&writer->line, "\\n%llu\", calls=%llu, inclusive_ns=%llu", (unsigned long long)arc->calls,
                  (unsigned long long)arc->calls, (unsigned long long)nanoseconds(writer, arc->inclusive));
  put_color(writer, "color", share_of(writer, arc->inclusive), 0.7);
  out_text_puts(&writer->line, ", penwidth=");
  out_text_fixed(&writer->line, 1 + 4 * share_of(writer, arc->inclusive), 0);
  out_text_puts(&writer->line, "];\n");
  return out_export_flush(writer->export, &writer->line);
}

static int put_nodes(struct writer *writer)
{
  int result = 0;
  for (uint32_t i = 0; i < writer->graph->nodes.count && result == 0; i++) {
    if (is_node_shown(writer, i))
      result = put_node(writer, i);
    else
      writer->nodes++;
  }
  return result;
}

static int put_arcs(struct writer *writer)
{
  int result = 0;
  for (uint32_t i = 0; i < writer->graph->arcs.count && result == 0; i++) {
    const struct out_graph_arc *arc = out_graph_arc(writer->graph, i);
    if (arc->from == FMT_NONE)
      continue;
    if (is_node_shown(writer, arc->from) && is_node_shown(writer, arc->to))
      result = put_arc(writer, arc);
    else
      writer->arcs++;
  }
  return result;
}

static int write_graph(struct writer *writer)
{
  const struct out_profile *profile = &writer->export->stats->profile;
  const struct out_graph *graph = writer->graph;
  const char *program = out_profile_string(profile, out_profile_recording(profile, 0)->program);
  out_text_puts(&writer->line,
                "digraph callsig {\n  node [shape=box, style=filled, fontname=\"sans-serif\", fontsize=10];\n"
                "  edge [fontname=\"sans-serif\", fontsize=9];\n");
  int result = out_export_flush(writer->export, &writer->line);
  if (result == 0)
    result = put_nodes(writer);
  if (result == 0)
    result = put_arcs(writer);
  out_text_puts(&writer->line, "  label=\"");
  put_quoted(&writer->line, program);
  out_text_printf(&writer->line, ": %llu calls in ", (unsigned long long)graph->calls);
  out_text_fixed(&writer->line, (double)graph->own * writer->export->stats->grouping.tick, 0);
  out_text_puts(&writer->line, " seconds");
  if (writer->nodes > 0)
    out_text_printf(&writer->line, "\\n%u functions of less time are left out, with %u caller-callee pairs",
                    writer->nodes, writer->arcs);
  out_text_printf(&writer->line, "\"; calls=%llu; ns=%llu; left_out=%u;\n}\n", (unsigned long long)graph->calls,
                  (unsigned long long)nanoseconds(writer, graph->own), writer->nodes);
  return result == 0 ? out_export_flush(writer->export, &writer->line) : result;
}

int out_export_dot(const struct out_export *export)
{
  struct out_graph graph;
  int result = out_graph_make(export->stats, "dot", false, &graph);
  if (result < 0)
    return result;
  double cutoff = export->cutoff < 0 ? CUTOFF : export->cutoff;
  struct writer writer = {.export = export,
                          .graph = &graph,
                          .least = cutoff * (double)graph.own,
                          .clock = {.tick = export->stats->grouping.tick}};
  result = write_graph(&writer);
  out_text_free(&writer.line);
  out_graph_free(&graph);
  return result;
}
