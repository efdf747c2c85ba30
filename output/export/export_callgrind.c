/*
 * Callgrind's format, which KCachegrind and callgrind_annotate read: the own time of each function, and its calls with
 * their inclusive times. Files, objects and functions are named once and have a number from then on.
 */
#include <errno.h>
#include <stdlib.h>

#include "output/export/export.h"
#include "output/export/export_graph.h"

#define CREATOR "callsig"
#define ROOT    "(root)" /* who makes outermost calls */

struct writer {
  const struct out_export *export;
  const struct out_graph *graph;
  struct out_text line;
  struct base_vector named; /* struct name: what has a number */
  struct out_idset named_set;
  bool *named_nodes; /* by node, the root behind them */
  struct out_export_clock clock;
};

/* A file or object that has a number: its place in writer.named, and 1. */
struct name {
  uint32_t string, is_object;
};

static bool equal_name(const void *owner, uint32_t number, const void *key)
{
  const struct name *name = base_vector_at(&((const struct writer *)owner)->named, number), *wanted = key;
  return name->string == wanted->string && name->is_object == wanted->is_object;
}

/* "fl=(7) text" the first time, then "fl=(7)". */
static void put_name(struct writer *writer, const char *key, uint32_t string, bool is_object)
{
  const char *text = out_profile_string(&writer->export->stats->profile, string);
  struct name name = {.string = string, .is_object = is_object};
  uint64_t hash = out_hash_mix(string, is_object);
  uint32_t number = out_idset_find(&writer->named_set, hash, writer, &name, equal_name);
  if (number != FMT_NONE) {
    out_text_printf(&writer->line, "%s=(%u)\n", key, number + 1);
    return;
  }
  struct name *added = base_vector_add(&writer->named, 1);
  if (!added || out_idset_add(&writer->named_set, hash, writer->named.count - 1) < 0) {
    writer->line.failed = true;
    return;
  }
  *added = name;
  out_text_printf(&writer->line, "%s=(%u) %s\n", key, writer->named.count, *text ? text : "???");
}

/* The object, file and function of a node, by the keys of a caller or of a callee. */
static void put_node(struct writer *writer, uint32_t node, const char *object_key, const char *file_key,
                     const char *function_key)
{
  const struct out_graph *graph = writer->graph;
  bool is_root = node == graph->nodes.count;
  if (!is_root) {
    uint32_t frame = out_graph_node(graph, node)->frame;
    put_name(writer, object_key, out_frames_at(&graph->frames, frame)->key.module, true);
    put_name(writer, file_key, out_frame_function(&graph->frames, frame)->file, false);
  } else {
    put_name(writer, object_key, 0, true);
    put_name(writer, file_key, 0, false);
  }
  out_text_printf(&writer->line, "%s=(%u)", function_key, node + 1);
  if (!writer->named_nodes[node])
    out_text_printf(&writer->line, " %s", is_root ? ROOT : out_graph_text(graph, node));
  out_text_putc(&writer->line, '\n');
  writer->named_nodes[node] = true;
}

static uint32_t line_of(const struct writer *writer, uint32_t node)
{
  if (node == writer->graph->nodes.count)
    return 0;
  return out_frame_function(&writer->graph->frames, out_graph_node(writer->graph, node)->frame)->line;
}

static uint64_t nanoseconds(const struct writer *writer, uint64_t ticks)
{
  struct out_export_clock clock = {.tick = writer->export->stats->grouping.tick};
  return out_export_nanoseconds(&clock, ticks);
}

/* The line of a call, with its file where that is not `*file`, which is it then: of a function that is inlined. */
static uint32_t put_call_line(struct writer *writer, const struct out_graph_arc *call, uint32_t line, uint32_t *file)
{
  const struct out_profile *profile = &writer->export->stats->profile;
  const struct out_call_place *place = call->place == FMT_NONE ? NULL : out_profile_call_place(profile, call->place);
  const uint32_t own =
      call->from == FMT_NONE
          ? 0
          : out_frame_function(&writer->graph->frames, out_graph_node(writer->graph, call->from)->frame)->file;
  const bool is_known = place && place->line && call->from != FMT_NONE;
  const uint32_t wanted = is_known && !writer->export->stats->strip_dirs ? place->file : own;
  if (wanted != *file)
    put_name(writer, wanted == own ? "fe" : "fi", wanted, false);
  *file = wanted;
  return is_known ? place->line : line;
}

/* A function's own time and its calls, from arc `*arc` on; afterwards *arc is the first of the next function. */
static int put_function(struct writer *writer, uint32_t node, uint32_t *arc)
{
  const struct out_graph *graph = writer->graph;
  uint32_t from = node == graph->nodes.count ? FMT_NONE : node, line = line_of(writer, node);
  uint64_t own = from == FMT_NONE ? 0 : out_export_nanoseconds(&writer->clock, out_graph_node(graph, node)->own);
  out_text_putc(&writer->line, '\n');
  put_node(writer, node, "ob", "fl", "fn");
  out_text_printf(&writer->line, "%u %llu\n", line, (unsigned long long)own);
  uint32_t file = from == FMT_NONE ? 0 : out_frame_function(&graph->frames, out_graph_node(graph, node)->frame)->file;
  int result = 0;
  for (; *arc < graph->arcs.count && out_graph_arc(graph, *arc)->from == from && result == 0; ++*arc) {
    const struct out_graph_arc *call = out_graph_arc(graph, *arc);
    const uint32_t at = put_call_line(writer, call, line, &file);
    put_node(writer, call->to, "cob", "cfi", "cfn");
    out_text_printf(&writer->line, "calls=%llu %u\n%u %llu\n", (unsigned long long)call->calls,
                    line_of(writer, call->to), at, (unsigned long long)nanoseconds(writer, call->inclusive));
    result = out_export_flush(writer->export, &writer->line);
  }
  return result == 0 ? out_export_flush(writer->export, &writer->line) : result;
}

static int write_graph(struct writer *writer)
{
  const struct out_profile *profile = &writer->export->stats->profile;
  const struct out_recording_info *first = out_profile_recording(profile, 0);
  const struct out_graph *graph = writer->graph;
  uint64_t total = nanoseconds(writer, graph->own);
  out_text_printf(&writer->line, "# callgrind format\nversion: 1\ncreator: " CREATOR "\npid: %u\ncmd: %s\n", first->pid,
                  out_profile_string(profile, first->program));
  out_text_printf(&writer->line, "positions: line\nevent: ns : Nanoseconds\nevents: ns\nsummary: %llu\n",
                  (unsigned long long)total);
  int result = 0;
  uint32_t arc = 0;
  for (uint32_t i = 0; i <= graph->nodes.count && result == 0; i++)
    result = put_function(writer, i, &arc);
  if (result == 0) {
    out_text_printf(&writer->line, "\ntotals: %llu\n", (unsigned long long)total);
    result = out_export_flush(writer->export, &writer->line);
  }
  return result;
}

int out_export_callgrind(const struct out_export *export)
{
  struct out_graph graph;
  int result = out_graph_make(export->stats, "callgrind", true, &graph);
  if (result < 0)
    return result;
  struct writer writer = {.export = export,
                          .graph = &graph,
                          .named = BASE_VECTOR_OF(struct name),
                          .named_nodes = calloc(graph.nodes.count + 1u, sizeof(bool)),
                          .clock = {.tick = export->stats->grouping.tick}};
  result = writer.named_nodes ? write_graph(&writer) : -ENOMEM;
  free(writer.named_nodes);
  out_text_free(&writer.line);
  base_vector_free(&writer.named);
  out_idset_free(&writer.named_set);
  out_graph_free(&graph);
  return result;
}
