/*
 * A flame graph: an SVG that needs nothing but a browser. Frames are stacked upwards, callees on callers, each as wide
 * as its weight with all that it called. Its script (export_flamegraph.js) zooms and searches.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/export/export.h"
#include "output/export/export_stacks.h"
#include "output/text/xml.h"

extern const char out_flamegraph_script[];

/* Pixels. The script has the first two as well. */
#define LEFT   10.0
#define WIDTH  1180.0
#define HEIGHT 16u /* of a frame */
#define TOP    64u
#define BOTTOM 30u
#define LETTER 7.2 /* of the font, at its size */

/* What is narrower than this part of the width is not drawn unless asked for: a tenth of a pixel. */
#define CUTOFF (0.1 / WIDTH)

struct writer {
  const struct out_export *export;
  const struct out_stacks *stacks;
  struct out_text line;
  uint64_t *start; /* by node: the weight of all before it; behind the last: of all */
  uint64_t *calls; /* by node */
  uint64_t total;
  uint64_t least; /* weight of what is drawn */
  uint32_t depth, left_out;
};

/* Where each node starts: its own weight comes first, then its callees. */
static int lay_out(struct writer *writer)
{
  const struct out_stacks *stacks = writer->stacks;
  struct out_export_clock clock = {.tick = writer->export->stats->grouping.tick};
  size_t count = stacks->nodes.count + 1u;
  writer->start = calloc(count, sizeof *writer->start);
  writer->calls = calloc(count, sizeof *writer->calls);
  if (!writer->start || !writer->calls)
    return -ENOMEM;
  for (uint32_t i = 0; i < stacks->list.count; i++) {
    const struct out_stack *stack = out_stacks_at(stacks, i);
    writer->start[stack->node + 1] = writer->export->calls ? stack->calls : out_export_nanoseconds(&clock, stack->own);
    writer->calls[stack->node] = stack->calls;
  }
  for (size_t i = 1; i < count; i++)
    writer->start[i] += writer->start[i - 1];
  writer->total = writer->start[count - 1];
  double cutoff = writer->export->cutoff < 0 ? CUTOFF : writer->export->cutoff;
  writer->least = (uint64_t)(cutoff * (double)writer->total);
  return 0;
}

static uint64_t weight_of(const struct writer *writer, uint32_t node)
{
  return writer->start[out_stacks_node(writer->stacks, node)->end] - writer->start[node];
}

/* What weighs nothing has no width; the root is there whatever it weighs. */
static bool is_drawn(const struct writer *writer, uint32_t node)
{
  uint64_t weight = weight_of(writer, node);
  return node == 0 || (weight > 0 && weight >= writer->least);
}

static void count_drawn(struct writer *writer)
{
  for (uint32_t i = 0; i < writer->stacks->nodes.count; i++) {
    uint32_t depth = out_stacks_node(writer->stacks, i)->depth;
    if (!is_drawn(writer, i))
      writer->left_out++;
    else if (depth > writer->depth)
      writer->depth = depth;
  }
}

static double pixels(const struct writer *writer, uint64_t weight)
{
  return writer->total > 0 ? WIDTH * ((double)weight / (double)writer->total) : WIDTH;
}

static void put_weight(struct writer *writer, uint64_t weight)
{
  static const char *const units[] = {"ns", "us", "ms", "s"};
  double value = (double)weight;
  size_t unit = 0;
  if (writer->export->calls) {
    out_text_printf(&writer->line, "%llu calls", (unsigned long long)weight);
    return;
  }
  for (; unit < 3 && value >= 1000; unit++)
    value /= 1000;
  out_text_fixed(&writer->line, value, 0);
  out_text_printf(&writer->line, " %s", units[unit]);
}

/* 32-bit FNV-1a: the same name has the same colour in every graph. */
static uint32_t hash_of(const char *name)
{
  uint32_t hash = 2166136261u;
  for (; *name; name++)
    hash = (hash ^ (unsigned char)*name) * 16777619u;
  return hash;
}

/* Code is red to yellow by its function's name, a little lighter or darker by the rest of its text; stages, actions and
 * labels are blue. */
static void put_color(struct writer *writer, uint32_t frame)
{
  const struct out_known_function *function = out_frame_function(&writer->stacks->frames, frame);
  const char *text = writer->stacks->texts.list[frame];
  bool is_code = function && !function->is_action;
  uint32_t hue = hash_of(is_code ? out_profile_string(&writer->export->stats->profile, function->name) : text) % 50;
  out_text_printf(&writer->line, "hsl(%u,%u%%,%u%%)", is_code ? hue : 180 + hue, is_code ? 90u : 45u,
                  58 + hash_of(text) % 10);
}

/* The name, as much of it as has room. */
static void put_fitting(struct writer *writer, const char *name, double width)
{
  size_t length = strlen(name), room = width > 4 ? (size_t)((width - 4) / LETTER) : 0;
  if (room < 3)
    return;
  if (out_text_width(name, length) <= room) {
    out_xml_text(&writer->line, name, length);
    return;
  }
  size_t cut = 0;
  for (size_t letters = 0; letters < room - 2; letters++) {
    size_t character = out_text_utf8(name + cut, length - cut);
    cut += character ? character : 1;
  }
  out_xml_text(&writer->line, name, cut);
  out_text_puts(&writer->line, "..");
}

/* "123.45", whatever the locale. */
static void put_pixels(struct writer *writer, const char *before, double value)
{
  out_text_puts(&writer->line, before);
  out_text_fixed(&writer->line, value, 0);
  out_text_putc(&writer->line, '"');
}

static int put_frame(struct writer *writer, uint32_t number)
{
  const struct out_stack_node *node = out_stacks_node(writer->stacks, number);
  const char *name = number == 0 ? "all" : writer->stacks->texts.list[node->frame];
  uint64_t weight = weight_of(writer, number), below = writer->start[number + 1] - writer->start[number];
  double x = LEFT + (number == 0 ? 0 : pixels(writer, writer->start[number])), width = pixels(writer, weight);
  uint32_t y = TOP + (writer->depth - node->depth) * HEIGHT;
  out_text_printf(&writer->line, "<g class=\"f\" data-x=\"%llu\" data-w=\"%llu\" data-d=\"%u\"><title>",
                  (unsigned long long)writer->start[number], (unsigned long long)weight, node->depth);
  out_xml_text(&writer->line, name, strlen(name));
  out_text_puts(&writer->line, "\n");
  put_weight(writer, weight);
  out_text_puts(&writer->line, ", ");
  out_text_fixed(&writer->line, writer->total > 0 ? 100 * (double)weight / (double)writer->total : 100, 0);
  out_text_puts(&writer->line, " %");
  if (number > 0 && !writer->export->calls) {
    out_text_puts(&writer->line, "; self ");
    put_weight(writer, below);
    out_text_printf(&writer->line, "; %llu calls", (unsigned long long)writer->calls[number]);
  }
  put_pixels(writer, "</title><rect x=\"", x);
  put_pixels(writer, " width=\"", width);
  out_text_printf(&writer->line, " y=\"%u\" height=\"%u\" rx=\"1\" fill=\"", y, HEIGHT - 1);
  if (number == 0)
    out_text_puts(&writer->line, "hsl(0,0%,85%)");
  else
    put_color(writer, node->frame);
  put_pixels(writer, "\"/><text x=\"", x + 3);
  out_text_printf(&writer->line, " y=\"%u\">", y + HEIGHT - 5);
  put_fitting(writer, name, width);
  out_text_puts(&writer->line, "</text></g>\n");
  return out_export_flush(writer->export, &writer->line);
}

static int put_head(struct writer *writer)
{
  const struct out_profile *profile = &writer->export->stats->profile;
  const char *program = out_profile_string(profile, out_profile_recording(profile, 0)->program);
  uint32_t height = TOP + (writer->depth + 1) * HEIGHT + BOTTOM;
  struct out_text *line = &writer->line;
  out_text_printf(
      line,
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1200\" height=\"%u\" viewBox=\"0 0 1200 %u\">\n"
      "<style>text { font: 12px monospace; fill: #000; } .f { cursor: pointer; } .f:hover rect { stroke: #000; }\n"
      ".f text { pointer-events: none; } rect.m { fill: #e0f; } .b { cursor: pointer; fill: #00c; }</style>\n"
      "<script><![CDATA[\n",
      height, height);
  out_text_puts(line, out_flamegraph_script);
  out_text_puts(line, "]]></script>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<text x=\"10\" y=\"20\">");
  out_xml_text(line, program, strlen(program));
  out_text_puts(line, ": ");
  put_weight(writer, writer->total);
  if (!writer->export->calls)
    out_text_printf(line, ", %llu calls", (unsigned long long)writer->stacks->calls);
  out_text_puts(line, "</text>\n");
  if (writer->left_out > 0)
    out_text_printf(line, "<text x=\"10\" y=\"36\" id=\"left-out\">%u frames are too narrow to be drawn</text>\n",
                    writer->left_out);
  out_text_printf(line,
                  "<text x=\"10\" y=\"54\" class=\"b\" id=\"reset\" style=\"display:none\">reset zoom</text>\n"
                  "<text x=\"1130\" y=\"20\" class=\"b\" id=\"search\">search</text>\n"
                  "<text x=\"1190\" y=\"36\" text-anchor=\"end\" id=\"matched\"> </text>\n"
                  "<text x=\"10\" y=\"%u\" id=\"details\"> </text>\n<g id=\"frames\">\n",
                  height - 10);
  return out_export_flush(writer->export, line);
}

static int write_graph(struct writer *writer)
{
  int result = lay_out(writer);
  if (result < 0)
    return result;
  count_drawn(writer);
  result = put_head(writer);
  for (uint32_t i = 0; i < writer->stacks->nodes.count && result == 0; i++) {
    if (is_drawn(writer, i))
      result = put_frame(writer, i);
  }
  out_text_puts(&writer->line, "</g>\n</svg>\n");
  return result == 0 ? out_export_flush(writer->export, &writer->line) : result;
}

int out_export_flamegraph(const struct out_export *export)
{
  struct out_stacks stacks;
  int result = out_stacks_make(export->stats, &(struct out_stack_shape){.apart = false}, &stacks);
  if (result < 0)
    return result;
  struct writer writer = {.export = export, .stacks = &stacks};
  result = write_graph(&writer);
  free(writer.start);
  free(writer.calls);
  out_text_free(&writer.line);
  out_stacks_free(&stacks);
  return result;
}
